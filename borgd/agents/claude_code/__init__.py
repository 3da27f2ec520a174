"""Claude Code: its hook events and answers, and its transcript."""
