"""One session's state, its state file, its transcript."""
