"""What a person's verdict on a proposal or an episode does to the journals. No questions asked here.

Lessons are written before the verdict: a crash between the two leaves a proposal that waits again, never a lost lesson.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.cli.lesson.lesson_files import append, change, edit, engineer, records
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.lessons.proposals import Proposal, ProposalVerdict, Word, as_lesson, merged
from borgd.recall.near_duplicates import NearDuplicate

NOTHING: Mapping[str, str] = {}


def episodes() -> dict[str, Episode]:
    """The episodes by id; a record that is none is left out."""
    found: dict[str, Episode] = {}
    for record in records("episodes"):
        try:
            one = msgspec.convert(record, Episode)
        except msgspec.ValidationError:
            continue
        found.setdefault(one.id, one)
    return found


def keep(proposal: Proposal, episode: Episode | None, edited: Mapping[str, Any] | None = None) -> Lesson:
    """Make ``proposal`` a lesson, with ``edited`` fields where the person changed some.

    :raises BorgError: there is such a lesson already.
    """
    name, ms = engineer(), now_ms()
    lesson = msgspec.structs.replace(as_lesson(proposal, episode, engineer=name, ms=ms), **(edited or {}))
    (kept,) = change(lambda store: [store.add(lesson)])
    decide(proposal.id, "keep", kept.id)
    return kept


def merge(proposal: Proposal, into: str) -> Lesson:
    """Take ``proposal`` into the lesson ``into``.

    :raises BorgError: no such lesson, or the two reach different places.
    """
    (lesson,) = change(lambda store: [edit(store, into, merged(store.find(into), proposal))])
    decide(proposal.id, "merge", lesson.id)
    return lesson


def decide(key: str, word: Word, lesson: str = "") -> None:
    """Record the verdict on a proposal or an episode."""
    append("proposals", [ProposalVerdict(id=key, ms=now_ms(), verdict=word, lesson=lesson, engineer=engineer())])


def waiting_proposal(waiting: tuple[Proposal, ...], key: str, replaced: Mapping[str, str] = NOTHING) -> Proposal:
    """The proposal with the id ``key``, or what replaced it, or the only one whose id starts with it.

    :raises BorgError: none, or several.
    """
    while key in replaced:
        key = replaced[key]
    near = [one for one in waiting if one.id == key] or [one for one in waiting if key and one.id.startswith(key)]
    if len(near) != 1:
        ids = ", ".join(one.id for one in waiting) or "none"
        raise BorgError(f"no proposal {key!r} waits (or several do); waiting: {ids}")
    return near[0]


def story(episode: Episode) -> str:
    """An episode for a person: where, what was asked, what the agent did, what it was told."""
    where = f"{episode.agent}{f' in {episode.repo}' if episode.repo else ''}"
    rows = [("asked", episode.task), ("agent", episode.proposal), ("you", episode.correction)]
    return f"correction {episode.id} ({where})\n" + "\n".join(f"  {name:<6} {text}" for name, text in rows if text)


def sheet(proposal: Proposal, near_duplicates: list[NearDuplicate]) -> str:
    """A proposal for a person, its near-duplicates beside it."""
    kind = "invariant, would be standing" if proposal.invariant else proposal.reach
    rows = [
        ("question", proposal.question),
        ("consequence", proposal.consequence),
        ("scope", ", ".join(proposal.scope) or "anywhere"),
        ("situations", "; ".join(proposal.situations)),
        ("facets", "; ".join(proposal.facets)),
        ("signs", "  ".join(proposal.signs)),
        ("handled", "  ".join(proposal.handled)),
    ]
    text = f"proposal {proposal.id} ({kind})\n" + "\n".join(f"  {name:<12} {value}" for name, value in rows if value)
    for found in near_duplicates:
        lesson = found.lesson
        text += f"\n  like {lesson.id} ({found.likeness:.0%}, {lesson.reach}): {lesson.question}\n    {lesson.consequence}"
    return text
