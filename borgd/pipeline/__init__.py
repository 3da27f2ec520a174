"""One event's way, from the session to the reply: pipeline.py in order, one module per stage."""
