"""What past sessions left: their state files, and what was read of their transcripts."""
