"""The commands about what is remembered: recall, why, veto, forget, the team, past transcripts."""
