"""Codex: its hook events and answers, its wiring."""
