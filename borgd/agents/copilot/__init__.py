"""GitHub Copilot CLI: its hook events and answers."""
