"""Recall: which lessons a context brings up, in which words, with which probability. Pure."""
