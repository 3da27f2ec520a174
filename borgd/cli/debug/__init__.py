"""``borg debug …`` and ``borg report``: recall, replay and limits looked at from the terminal."""
