"""The daemon: the socket, its life, what it watches, sessions, and one event's way through."""
