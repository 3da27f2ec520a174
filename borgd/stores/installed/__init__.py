"""What ``borg install`` puts on the machine: the hook client, the daemon's start line, entries in agents' settings."""
