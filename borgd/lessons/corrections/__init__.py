"""Telling whether a person's words correct the agent; one module per language of rules."""
