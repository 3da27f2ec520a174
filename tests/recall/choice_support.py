"""Lessons, matches and memories for tests of recall's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome
from borgd.recall.policy import RecallPolicy
from borgd.recall.rank import Ranking, rank
from tests.memory.support import fold_memory

SYSTEM = "Answer Guard"
POLICY = RecallPolicy(match_floor=0.1)


class Found(NamedTuple):
    """A match, as far as ranking reads one."""

    id: str
    evidence: float
    scoped: bool = True
    in_scope: bool = True


def lesson(name: str, **fields: Any) -> Lesson:
    known = {"question": f"Is {name} minded?", "consequence": f"Without {name} it breaks.", "ms": 100}
    return Lesson(id=name, **{**known, **fields})


def scoped(name: str, **fields: Any) -> Lesson:
    return lesson(name, **({"scope": (SYSTEM,)} | fields))


def store(*lessons: Lesson) -> dict[str, Lesson]:
    return {lesson.id: lesson for lesson in lessons}


def matches(lessons: Mapping[str, Lesson], evidence: Mapping[str, float], outside: Sequence[str] = ()) -> list[Found]:
    """Best first, as the index gives them."""
    found = [
        Found(name, share, bool(name in lessons and lessons[name].scope), name not in outside)
        for name, share in evidence.items()
    ]
    return sorted(found, key=lambda match: -match.evidence)


def ranking(
    lessons: Mapping[str, Lesson],
    evidence: Mapping[str, float],
    memory: Memory | None = None,
    outside: Sequence[str] = (),
    policy: RecallPolicy = POLICY,
) -> Ranking:
    return rank(matches(lessons, evidence, outside), lessons, memory or Memory(lessons), policy)


def outcome(name: str, kind: str, session: str, **fields: Any) -> Outcome:
    known = {"ms": 1000, "agent": "claude-code", "evidence": "test", "id": f"{name}-{session}-{kind}"}
    return msgspec.convert({"lesson": name, "kind": kind, "session": session, **known, **fields}, Outcome)


def believed(lessons: Mapping[str, Lesson], changed: Mapping[str, int], vetoed: Mapping[str, int] | None = None) -> Memory:
    """A memory in which lessons changed something, or were vetoed, in so many sessions; all at once, so nothing fades."""
    records = [outcome(name, "changed", f"{name}{i}", ms=50) for name, count in changed.items() for i in range(count)]
    records += [
        outcome(name, "vetoed", f"{name}v{i}", ms=50) for name, count in (vetoed or {}).items() for i in range(count)
    ]
    return fold_memory(lessons, records)
