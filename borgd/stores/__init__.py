"""Everything on disk that works with and without a daemon."""
