"""Gemini CLI: its hook events and answers, its wiring."""
