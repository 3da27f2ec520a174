"""Limits: investigations, interruptions, specialists; their inbox and audit trail. Pure."""
