"""The audit trail on disk."""
