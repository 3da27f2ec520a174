"""What the person switched off: everything, a session, a repository or an agent, for good or until a time.

One small file; the daemon looks at it with each event, so a switch counts from the next one on. A file that cannot be
used switches nothing off.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from borgd.files import replace_file

FILE = "off.json"
Kind = Literal["all", "session", "repo", "agent"]


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is off. ``value``: the start of a session's id, a directory, an agent; empty for all."""

    kind: Kind
    value: str = ""
    until_ms: int = 0
    """0: until it is switched on."""

    def covers(self, agent: str, session: str, directory: str) -> bool:
        """Whether an event of this session, agent and working directory is meant."""
        match self.kind:
            case "all":
                return True
            case "session":
                return session.startswith(self.value)
            case "agent":
                return agent == self.value
            case "repo":
                return directory == self.value or directory.startswith(self.value.rstrip("/") + "/")


class OffSwitch:
    """The switches in the state directory ``state``."""

    def __init__(self, state: Path) -> None:
        self.path = state / FILE
        self._mark: tuple[int, int, int] | None = None
        self._switches: tuple[Switch, ...] = ()

    def switches(self, now_ms: int) -> tuple[Switch, ...]:
        """Those that count now. Reads the file only where it has changed."""
        try:
            info = os.stat(self.path)  # noqa: PTH116 (with each event)
        except OSError:
            self._mark, self._switches = None, ()
            return ()
        mark = (info.st_ino, info.st_size, info.st_mtime_ns)
        if mark != self._mark:
            self._mark, self._switches = mark, self._read()
        return tuple(one for one in self._switches if not one.until_ms or now_ms < one.until_ms)

    def _read(self) -> tuple[Switch, ...]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=tuple[Switch, ...])
        except (OSError, msgspec.MsgspecError):
            return ()

    def is_off(self, agent: str, session: str, directory: str, now_ms: int) -> bool:
        """Whether this event is to be answered with nothing and leave no trace."""
        switches = self.switches(now_ms)
        if not switches:
            return False
        directory = os.path.realpath(directory) if directory else ""
        return any(one.covers(agent, session, directory) for one in switches)

    def add(self, switch: Switch, now_ms: int) -> None:
        """Switch off; the same thing again takes the new time.

        :raises OSError: the file cannot be written.
        """
        kept = [one for one in self.switches(now_ms) if (one.kind, one.value) != (switch.kind, switch.value)]
        self._write((*kept, switch))

    def remove(self, kind: Kind | None, value: str, now_ms: int) -> int:
        """Switch on again what is meant (``kind`` None: everything); how many switches that were.

        :raises OSError: the file cannot be written.
        """
        held = self.switches(now_ms)
        kept = tuple(one for one in held if kind is not None and (one.kind, one.value) != (kind, value))
        self._write(kept)
        return len(held) - len(kept)

    def _write(self, switches: tuple[Switch, ...]) -> None:
        if switches:
            replace_file(self.path, msgspec.json.encode(switches))
        else:
            self.path.unlink(missing_ok=True)
        self._mark = None
