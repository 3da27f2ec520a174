"""Where the command was typed. Imports nothing but the standard library."""

from __future__ import annotations

import os


def working_directory() -> str:
    """The working directory; ``/`` where it has been removed meanwhile, so that a command still does what it can."""
    try:
        return os.getcwd()  # noqa: PTH109 (pathlib would say no more)
    except OSError:
        return "/"
