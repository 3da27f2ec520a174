"""config.toml from its place, and who works at this machine. Broken settings are reported and the defaults serve."""

from __future__ import annotations

import getpass
import os
import subprocess

from borgd.config.schema import Config, load
from borgd.errors import ConfigError
from borgd.paths import Paths

GIT_SECONDS = 2.0
"""guard: how long git may take to say the person's name."""


def read_config(where: Paths) -> Config:
    """The configuration of this user.

    :raises ConfigError: the file cannot be read or used; names file, field and what was expected.
    """
    try:
        data = where.config_file.read_bytes()
    except FileNotFoundError:
        return load(None)
    except OSError as error:
        raise ConfigError(str(where.config_file), f"cannot be read: {error.strerror}") from None
    return load(data, str(where.config_file))


def engineer_name(config: Config) -> str:
    """Who works here, by the canonical name: config's ``people.engineer``, else git's user.name, else the login name."""
    name = config.people.engineer or _found_name()
    return config.people.aliases.get(name, name)


def _found_name() -> str:
    try:
        done = subprocess.run(
            ["git", "config", "--global", "user.name"], capture_output=True, timeout=GIT_SECONDS, check=False, cwd="/"
        )
        name = done.stdout.decode("utf-8", "replace").strip()
    except (OSError, subprocess.TimeoutExpired):
        name = ""
    if name:
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid{os.getuid()}"


def machine_name() -> str:
    """This machine's name, as files of the team carry it."""
    return os.uname().nodename.partition(".")[0] or "machine"
