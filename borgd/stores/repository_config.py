"""A repository's own ``.borgd.toml``: found from a directory upwards, read as untrusted input, kept while unchanged.

One that cannot be read or used is reported and counts as absent: it could only have tightened. Its limits count only while a
person allows just this content (``borg repo allow``): a clone, a pull or an edit changes no limit of its own accord.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from borgd.config.schema import RepositoryConfig, RepositoryInvestigationConfig, decode
from borgd.errors import ConfigError
from borgd.files import replace_file
from borgd.paths import private_dir

FILE_NAME = ".borgd.toml"
ALLOWED = "allowed.json"
"""Below the data directory: by file, the hash of the content that a person allowed."""
LEVELS = 64
"""guard: directories looked at, from the working directory upwards."""
MAX_BYTES = 65_536
"""guard: of a file that a stranger may have written."""
REMEMBERED = 256
"""guard: files remembered."""


class RepositoryFile(NamedTuple):
    """A repository's file: where it is, what its bytes hash to, what it says."""

    path: str
    digest: str
    config: RepositoryConfig


class AllowedFiles:
    """Which contents of which files a person allowed: one small file, looked at again when it changes."""

    def __init__(self, data: Path) -> None:
        self.path = data / ALLOWED
        self._mark: tuple[int, int, int] | None = None
        self._allowed: dict[str, str] = {}

    def allows(self, file: RepositoryFile) -> bool:
        """Whether just this content of just this file is allowed."""
        return self.all().get(file.path) == file.digest

    def all(self) -> dict[str, str]:
        """The hash of the allowed content, by file; nothing where it cannot be read."""
        try:
            info = self.path.stat()
            mark = (info.st_ino, info.st_size, info.st_mtime_ns)
            if mark != self._mark:
                self._allowed = msgspec.json.decode(self.path.read_bytes(), type=dict[str, str])
                self._mark = mark
        except (OSError, msgspec.DecodeError):
            self._mark, self._allowed = None, {}
        return self._allowed

    def allow(self, file: RepositoryFile) -> None:
        """Let ``file`` count as it is now."""
        self._write({**self.all(), file.path: file.digest})

    def deny(self, path: str) -> bool:
        """Let it count no longer; False where it did not."""
        kept = dict(self.all())
        if kept.pop(path, None) is None:
            return False
        self._write(kept)
        return True

    def _write(self, allowed: dict[str, str]) -> None:
        private_dir(self.path.parent)
        replace_file(self.path, msgspec.json.encode(allowed, order="sorted") + b"\n", 0o600)


class RepositoryConfigs:
    """What repositories say about themselves, by directory."""

    def __init__(self, allowed: AllowedFiles) -> None:
        self.allowed = allowed
        self.problems: OrderedDict[str, str] = OrderedDict()
        """By file: why it is not used."""
        self._read: OrderedDict[str, tuple[tuple[int, int, int], RepositoryFile | None]] = OrderedDict()

    def of(self, directory: str) -> RepositoryConfig | None:
        """What the repository's file says, allowed or not: for what needs no allowance (``off``)."""
        found = self.file(directory)
        return None if found is None else found.config

    def limits_of(self, directory: str) -> RepositoryFile | None:
        """The file of the repository that ``directory`` is in, where a person allowed it as it is."""
        found = self.file(directory)
        if found is None or found.config.investigation == RepositoryInvestigationConfig():
            return None
        if self.allowed.allows(found):
            self.problems.pop(found.path, None)
            return found
        self._report(
            found.path, f"{found.path} would tighten limits and is ignored until a person allows it: {allow_command(found)}"
        )
        return None

    def file(self, directory: str) -> RepositoryFile | None:
        """The file of the repository that ``directory`` is in: the nearest one up to the repository's top."""
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

    def _load(self, path: Path) -> RepositoryFile | None:
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
                data = file.read(MAX_BYTES)
                digest = sha256(data).hexdigest()
                found: RepositoryFile | None = RepositoryFile(name, digest, decode(data, RepositoryConfig, name))
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


def allow_command(file: RepositoryFile) -> str:
    """What a person types to let ``file`` count."""
    return shlex.join(["borg", "repo", "allow", str(Path(file.path).parent)])
