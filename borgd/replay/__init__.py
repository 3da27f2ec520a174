"""Replay: what another policy would have done, estimated from the logs. Pure."""
