"""The daemon's life from the terminal: run, start, stop, status, doctor, install, demo."""
