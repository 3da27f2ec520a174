"""The daemon: socket, requests, life, systemd, and the service that runs the pipeline."""
