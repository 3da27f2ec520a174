"""Settings: what they are (schema), how they are read, what a repository may add."""
