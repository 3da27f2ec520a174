"""Cursor: its hook events and answers."""
