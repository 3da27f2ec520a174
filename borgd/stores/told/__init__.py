"""What agents were told lately, in numbers: for ``borg status`` and for the line at a session's start."""
