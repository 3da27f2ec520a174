"""Where the socket is, the frames on it, and the command line's client."""
