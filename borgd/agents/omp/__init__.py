"""oh-my-pi: what its extension tells, what its extension does."""
