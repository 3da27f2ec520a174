"""Occasions of this machine and its team: which are settled, how likely each lesson is to be withheld next, what the team
is told.

Follows the journals of decisions and outcomes and the team's files; writes nothing. An occasion is settled a fixed time
after its coin, by what its own session was corrected for until then: a pure function of the journals, so a restart changes
nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import msgspec

from borgd.errors import JournalError
from borgd.journal import Journal, TypedFollower
from borgd.lessons.team import hashed
from borgd.memory.records import SettledOutcome
from borgd.replay.estimate.betting import log_evidence
from borgd.replay.occasions import DAY_MS, Occasions, OccasionTable, Stratum, is_sound
from borgd.replay.records import hash64
from borgd.replay.withholding import holdout
from borgd.stores.team import Team

NEVER = -1
"""host: when a lesson had its last contact, before it had any."""
SOON_BYTES = 16 << 20
"""design: a journal of decisions up to this size is read before the first hook is served; a longer one in the background,
and until it is read nothing is withheld."""


class _Entry(msgspec.Struct, gc=False):
    id: str = ""
    shown: bool = False
    held: bool = False
    holdout: float = 0.0


class _Line(msgspec.Struct, gc=False):
    """What is read of a decision."""

    id: str
    ms: int
    agent: str = ""
    session: str = ""
    channel: str = ""
    pool: list[_Entry] = []
    policy: str = ""
    repo: str = ""
    engineer: str = ""
    horizon_ms: int = 0
    ranking: int = 0


class _Said(msgspec.Struct, gc=False):
    """What is read of an outcome."""

    ms: int
    lesson: str
    kind: str
    decision: str = ""
    credit: float = 1.0


Key = tuple[str, str]


class OccasionStore:
    """Feed it with ``settle`` now and then; ask ``holdout`` and ``last_contact`` at any time."""

    def __init__(self, decisions: Journal, outcomes: Journal, team: Team | None = None) -> None:
        self.team = team
        self.complete = False
        """Whether everything that was there at the start is read."""
        self.problem = ""
        self.unread = ""
        """Why the journals cannot be read at the moment, or nothing."""
        self.unpublished: list[SettledOutcome] = []
        """SettledOutcome here and not told to the team yet."""
        self._decisions = TypedFollower(decisions, _Line)
        self._outcomes = TypedFollower(outcomes, _Said)
        self._shared: dict[str, TypedFollower[SettledOutcome]] = {}
        self._pending: dict[Key, SettledOutcome] = {}
        self._corrected: dict[Key, _Said] = {}
        self._counted: set[int] = set()
        self._counts = Occasions()
        self._contacts: dict[str, int] = {}
        self._evidence: dict[str, float] = {}
        path = decisions.path
        if not path.exists() or path.stat().st_size <= SOON_BYTES:
            with suppress(JournalError):  # nothing is withheld meanwhile; settle reports it
                self._follow()
                self.complete = True

    def last_contact(self, lesson: str) -> int | None:
        """When a session of this machine last had contact with it, ms since the epoch; NEVER, or None: not known yet."""
        return self._contacts.get(lesson, NEVER) if self.complete else None

    def saw(self, lesson: str, ms: int) -> None:
        """A session had contact with it just now."""
        self._contacts[lesson] = max(ms, self._contacts.get(lesson, NEVER))

    def holdout(self, lesson: str) -> float:
        """The probability with which a session's first contact withholds it, from what was settled up to the last
        ``settle``."""
        return holdout(self._evidence.get(lesson, 0.0))

    def settle(self, now_ms: int) -> None:
        """Take in what is new, settle what is due. Blocks on the disk. ``unread`` says what cannot be read at the moment."""
        try:
            self._follow()
        except JournalError as error:
            self.unread = str(error)
            return
        self.unread = ""
        due = [key for key, one in self._pending.items() if now_ms >= one.coin_ms + one.horizon_ms]
        settled = [self._settled(self._pending.pop(key)) for key in due]
        counted = [one for one in settled if self._count(one, self._name(one.decision), one.lesson)]
        gained = len(counted) + self._hear_team(now_ms)
        self._corrected = {key: said for key, said in self._corrected.items() if key in self._pending}
        self.complete = True
        if gained:
            self._weigh()
        if self.team is not None:
            self.unpublished += settled

    def publish(self, forgotten: Collection[str]) -> int:
        """Tell the team what was settled, but for lessons that were forgotten; how many lines that were. Blocks on the disk.

        :raises JournalError: the team's directory cannot be written; the next call tries again.
        """
        if self.team is None or not self.unpublished:
            return 0
        waiting = list(self.unpublished)
        told = self.team.publish([], [one for one in waiting if one.lesson not in forgotten])
        del self.unpublished[: len(waiting)]
        return told

    def _follow(self) -> None:
        for line in self._decisions.read().records:
            for entry in line.pool:
                if entry.shown or entry.held:
                    self.saw(entry.id, line.ms)
                if (entry.shown or entry.held) and 0.0 < entry.holdout < 1.0 and line.horizon_ms > 0:
                    self._pending[line.id, entry.id] = _occasion(line, entry)
        for said in self._outcomes.read().records:
            key = (said.decision, said.lesson)
            occasion = self._pending.get(key)
            first = self._corrected.get(key)
            if said.kind != "corrected" or occasion is None or (first is not None and first.ms <= said.ms):
                continue
            if occasion.coin_ms <= said.ms <= occasion.coin_ms + occasion.horizon_ms:
                self._corrected[key] = said

    def _settled(self, occasion: SettledOutcome) -> SettledOutcome:
        said = self._corrected.get((occasion.decision, occasion.lesson))
        if said is None:
            return occasion
        return msgspec.structs.replace(occasion, kind="corrected", credit=said.credit)

    def _name(self, decision: str) -> str:
        return hashed(self.team.salt, "decision", decision) if self.team is not None else decision

    def _count(self, one: SettledOutcome, decision: str, lesson: str) -> bool:
        """Count an occasion once, whoever tells of it."""
        key = hash64(decision, lesson)
        if key in self._counted:
            return False
        self._counted.add(key)
        self._counts.one(
            one.coin_ms // DAY_MS, lesson, Stratum(one.agent, one.ranking, "", True), one.holdout,
            held=one.held, corrected=one.kind == "corrected",
        )  # fmt: skip
        return True

    def _hear_team(self, now_ms: int) -> int:
        gained = 0
        for path in self.team.files("outcomes") if self.team is not None else ():
            follower = self._shared.setdefault(str(path), TypedFollower(Journal(path), SettledOutcome))
            try:
                records = follower.read().records
            except JournalError as error:
                self.problem = str(error)
                continue
            gained += sum(self._count(one, one.decision, one.lesson) for one in records if _is_sound(one, now_ms))
        return gained

    def _weigh(self) -> None:
        table = OccasionTable(self._counts.rows())
        self._evidence = {name: log_evidence(counts, 1) for name, counts in table.by(lambda row: row.lesson).items()}


def _occasion(line: _Line, entry: _Entry) -> SettledOutcome:
    """An occasion as it is settled where no correction comes."""
    return SettledOutcome(
        id=f"{line.id}.{entry.id}.settled",
        ms=line.ms + line.horizon_ms,
        lesson=entry.id,
        kind="not_corrected",
        evidence="its horizon passed",
        decision=line.id,
        agent=line.agent,
        session=line.session,
        channel=line.channel,
        held=entry.held,
        repo=line.repo,
        engineer=line.engineer,
        coin_ms=line.ms,
        horizon_ms=line.horizon_ms,
        holdout=entry.holdout,
        policy=line.policy,
        ranking=line.ranking,
    )


def _is_sound(one: SettledOutcome, now_ms: int) -> bool:
    return bool(one.lesson) and is_sound(one.kind, one.coin_ms, one.horizon_ms, one.holdout, now_ms)
