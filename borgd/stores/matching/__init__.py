"""What this machine alone knows to match lessons by: counts of words in past work, and episodes."""
