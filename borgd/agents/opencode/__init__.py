"""opencode: what its plugin tells, what its plugin does."""
