"""A settings file of an agent's, and a copy of what it was before our entries came into it.

Promises that a file which nobody changed in between gets the same bytes back, that one which was not there before goes
again, that nothing is written over what somebody else wrote meanwhile, and that a copy is kept as long as ours is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from borgd.errors import BorgError, InputError
from borgd.files import replace_file
from borgd.paths import private_dir
from borgd.protocol.address import fnv1a


class Receipt(NamedTuple):
    """What we wrote and what was there before. ``before``: None where there was no file."""

    before: bytes | None
    wrote: str
    directories: int
    """How many of the directories that the file is in we made, the innermost first."""


class SettingsFile:
    """``path``, with copies in ``kept`` (a private directory of ours, made when it is needed)."""

    def __init__(self, path: Path, kept: Path) -> None:
        self.path = path
        self._kept = kept
        name = f"{fnv1a(os.fsencode(path)):016x}-{path.name}"
        self._receipt, self.copy = kept / f"{name}.receipt", kept / f"{name}.before"

    def read(self) -> bytes | None:
        """The file's bytes, None where there is none.

        :raises InputError: it cannot be read.
        """
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(str(self.path), f"cannot be read: {error.strerror}") from None

    def text(self) -> str:
        """The file's text, a byte order mark included; empty where there is none.

        :raises InputError: it cannot be read, or is no UTF-8.
        """
        return decoded(self.read() or b"", str(self.path))

    def receipt(self) -> Receipt | None:
        """What we remember of our last writing; None: nothing, or what is remembered cannot be used."""
        try:
            said = json.loads(self._receipt.read_text())
            before = self.copy.read_bytes() if said["existed"] else None
            return Receipt(before, str(said["wrote"]), int(said["directory"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def is_as_we_left_it(self) -> bool:
        """Whether nobody has changed the file since we wrote it."""
        now = self.read()
        return now is not None and self.wrote(now)

    def put(self, seen: bytes | None, before: bytes | None, after: bytes) -> None:
        """Write ``after`` and remember ``before``, what the file is to be when ours goes out of it again.

        :param seen: what the file was when ``after`` was made from it.
        :raises BorgError: it has been changed since.
        """
        receipt = self.receipt()
        made = receipt.directories if receipt is not None and seen is not None else self._missing()
        self.remember(before, after, made=made)
        self._write(seen, after)

    def remember(self, before: bytes | None, after: bytes, *, made: int = 0) -> None:
        """Note that the file is ``after`` now, or is about to be, and ``before`` when ours goes out of it again.

        :param made: how many of the directories that it is in are ours to remove.
        """
        private_dir(self._kept)
        if before is not None:
            replace_file(self.copy, before, 0o600)
        said = {"path": str(self.path), "existed": before is not None, "wrote": _digest(after), "directory": made}
        replace_file(self._receipt, json.dumps(said).encode(), 0o600)

    def wrote(self, data: bytes) -> bool:
        """Whether ``data`` is what we left in the file."""
        receipt = self.receipt()
        return receipt is not None and _digest(data) == receipt.wrote

    def take_back(self) -> None:
        """Give the file the bytes that it had before; one that was not there goes.

        :raises BorgError: nothing is remembered.
        """
        receipt = self.receipt()
        if receipt is None:
            raise BorgError(f"nothing is known of what {self.path} was before")
        if receipt.before is None:
            self.remove(receipt)
        else:
            self._write(self.read(), receipt.before)
        self.forget()

    def change(self, seen: bytes | None, after: bytes) -> None:
        """Write ``after`` over ``seen``; the copy of what was before stays.

        :raises BorgError: the file has been changed since it was ``seen``.
        """
        self._write(seen, after)
        with suppress(FileNotFoundError):
            self._receipt.unlink()

    def remove(self, receipt: Receipt) -> None:
        """Take the file away, and the directories that we made for it where nothing else is in them."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # others use it by now
            for directory in list(self.path.parents)[: receipt.directories]:
                directory.rmdir()

    def _missing(self) -> int:
        """How many of the directories that the file is to be in are not there."""
        return sum(not directory.exists() for directory in self.path.parents)

    def forget(self) -> None:
        """Remember nothing of the file any more."""
        for path in (self._receipt, self.copy):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self._kept.rmdir()

    def _write(self, seen: bytes | None, after: bytes) -> None:
        if self.read() != seen:
            raise BorgError(f"{self.path} was changed by a running session meanwhile; run this again")
        replace_file(self.path, after)
        if self.path.read_bytes() != after:
            raise BorgError(f"{self.path} was overwritten by a running session meanwhile; close it and run this again")


def decoded(data: bytes, source: str) -> str:
    """``data`` as text.

    :raises InputError: no UTF-8; names the first byte that is not.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(source, f"expected UTF-8 text, byte {error.start} is not") from None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
