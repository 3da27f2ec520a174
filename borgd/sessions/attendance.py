"""When a session's person last wrote in it, and whether the turn asks to be asked. Pure; kept in the state file."""

from __future__ import annotations

from typing import NamedTuple

LINE = "#borg-wrote"
"""design: the line of the state file: milliseconds since the epoch, ``ask`` or ``-``, the turn's prompt id."""
_INVITES = "ask"


class Attendance(NamedTuple):
    """``wrote_ms`` since the epoch; None: nobody has written yet. ``invited`` is about the turn ``turn`` only."""

    wrote_ms: int | None = None
    invited: bool = False
    turn: str = ""

    def wrote(self, now_ms: int, turn: str, *, invites: bool) -> Attendance:
        """After another prompt; one that is typed into a running turn takes no invitation back."""
        return Attendance(now_ms, invites or (self.invited and bool(turn) and turn == self.turn), turn)

    def written(self) -> str:
        """The text of the line in the state file."""
        return f"{self.wrote_ms or 0} {_INVITES if self.invited else '-'} {self.turn}".rstrip()


def read_attendance(text: str) -> Attendance:
    """What ``written`` gave ``text`` for; nobody, where it was written by something else."""
    ms, _, rest = text.partition(" ")
    invites, _, turn = rest.partition(" ")
    known = ms.isascii() and ms.isdigit() and len(ms) < 16
    return Attendance(int(ms), invites == _INVITES, turn) if known else Attendance()
