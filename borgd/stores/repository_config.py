"""A repository's own ``.borgd.toml``: found from a directory upwards, read as untrusted input, kept while unchanged.

One that cannot be read or used is reported and counts as absent: it could only have tightened.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from pathlib import Path

from borgd.config.schema import RepositoryConfig, decode
from borgd.errors import ConfigError

FILE_NAME = ".borgd.toml"
LEVELS = 64
"""guard: directories looked at, from the working directory upwards."""
MAX_BYTES = 65_536
"""guard: of a file that a stranger may have written."""
REMEMBERED = 256
"""guard: files remembered."""


class RepositoryConfigs:
    """What repositories say about themselves, by directory."""

    def __init__(self) -> None:
        self.problems: OrderedDict[str, str] = OrderedDict()
        """By file: why it is not used."""
        self._read: OrderedDict[str, tuple[tuple[int, int, int], RepositoryConfig | None]] = OrderedDict()

    def of(self, directory: str) -> RepositoryConfig | None:
        """The configuration of the repository that ``directory`` is in: the nearest file up to the repository's top."""
        if not directory.startswith("/"):
            return None
        here = Path(directory)
        for level in [here, *here.parents][:LEVELS]:
            path = level / FILE_NAME
            if path.is_file() and not path.is_symlink():
                return self._load(path)
            if (level / ".git").exists():
                return None
        return None

    def _load(self, path: Path) -> RepositoryConfig | None:
        name = str(path)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:
                info = os.fstat(descriptor)
                mark = (info.st_ino, info.st_size, info.st_mtime_ns)
                known = self._read.get(name)
                if known is not None and known[0] == mark:
                    return known[1]
                if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
                    raise ConfigError(name, f"expected a file of at most {MAX_BYTES} bytes")
                found: RepositoryConfig | None = decode(file.read(MAX_BYTES), RepositoryConfig, name)
            self.problems.pop(name, None)
        except OSError as error:
            self._report(name, f"{name} cannot be read: {error.strerror}")
            return None
        except ConfigError as error:
            self._report(name, f"{error}; the file is not used")
            found = None
        self._read[name] = (mark, found)
        while len(self._read) > REMEMBERED:
            self._read.popitem(last=False)
        return found

    def _report(self, name: str, problem: str) -> None:
        self.problems[name] = problem
        while len(self.problems) > REMEMBERED:
            self.problems.popitem(last=False)
