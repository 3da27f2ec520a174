"""Proposed lessons: they wait in proposals.jsonl until a person keeps, edits, merges or drops each, once.

Pure: records in, records out. A verdict is final, so that a dropped proposal is not put before the person again. A
merge never widens what a lesson reaches. Proposals come from agents: sealed text, nothing of them is recalled before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from borgd.errors import BorgError
from borgd.lessons.episodes import Episode, short_id
from borgd.lessons.lesson import Lesson, Reach, Source
from borgd.lessons.redact import redact, seal
from borgd.lessons.rules_file import as_question
from borgd.lessons.sanitize import (
    CONSEQUENCE_CHARS,
    LIST_ITEMS,
    NAME_CHARS,
    PHRASE_CHARS,
    QUESTION_CHARS,
    clean_all,
    clean_patterns,
)
from borgd.lessons.store import REACHES, narrower

PER_EPISODE = 3
"""guard: proposals from one correction."""

Word = Literal["keep", "merge", "drop"]


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson that somebody proposed. ``invariant``: from a veto that named what always holds; kept, it is standing."""

    id: str
    ms: int
    question: str
    consequence: str
    episode: str = ""
    scope: tuple[str, ...] = ()
    situations: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    handled: tuple[str, ...] = ()
    area: str = ""
    reach: Reach = "team"
    repo: str = ""
    agent: str = ""
    invariant: bool = False
    replaces: str = ""
    """An earlier proposal from the same correction, put in other words."""


class ProposalVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a person decided on the proposal (or episode) ``id``. ``lesson``: the one it became or joined."""

    id: str
    ms: int
    verdict: Word
    lesson: str = ""
    engineer: str = ""


class ProposalTable(NamedTuple):
    """``waiting``: undecided proposals, oldest first; ``verdicts``: by the id they decide; ``replaced``: by what, by id."""

    waiting: tuple[Proposal, ...]
    verdicts: Mapping[str, ProposalVerdict]
    replaced: Mapping[str, str] = {}


def propose(question: str, consequence: str, *, ms: int, **fields: Any) -> Proposal:
    """A proposal with sealed text; its id is the same for the same question, scope and reach.

    An invariant that is not a question is turned into one; its own wording becomes a facet.

    :raises BorgError: no visible question or consequence.
    """
    if fields.get("invariant") and not question.rstrip().endswith(("?", "？")):
        fields["facets"] = (*fields.get("facets", ()), question)
        question = as_question(question)
    sealed: dict[str, Any] = {
        "question": seal(question, QUESTION_CHARS),
        "consequence": seal(consequence, CONSEQUENCE_CHARS),
        "scope": clean_all((seal(name, NAME_CHARS) for name in fields.pop("scope", ())), NAME_CHARS, LIST_ITEMS),
        "area": seal(fields.pop("area", ""), NAME_CHARS),
    }
    for name in ("situations", "facets"):
        texts = (seal(text, PHRASE_CHARS) for text in fields.pop(name, ()))
        sealed[name] = clean_all(texts, PHRASE_CHARS, LIST_ITEMS)
    for name in ("signs", "handled"):
        sealed[name] = clean_patterns(redact(text) for text in fields.pop(name, ()))
    for name in ("question", "consequence"):
        if not sealed[name]:
            raise BorgError(f"--{name}: expected text, got none")
    key = short_id("P", sealed["question"].casefold(), *sealed["scope"], fields.get("reach", "team"))
    return msgspec.convert({"id": key, "ms": ms, **sealed, **fields}, Proposal)


def of_invariant(rule: str, reason: str, *, ms: int, scope: Iterable[str] = (), repo: str = "", agent: str = "") -> Proposal:
    """The proposal of a veto that named an invariant ``rule``; kept, it is standing. ``reason`` says why, or is empty.

    :raises BorgError: nothing visible in the rule.
    """
    consequence = reason or f"It breaks what always holds: {rule}"
    return propose(rule, consequence, ms=ms, scope=tuple(scope), repo=repo, agent=agent, invariant=True)


def table(records: Iterable[Mapping[str, Any]]) -> ProposalTable:
    """What waits and what was decided, in whatever order the records come. Records of neither kind are left out.

    Of one proposal the latest filing counts, of its verdicts the first.
    """
    proposals: dict[str, Proposal] = {}
    verdicts: dict[str, ProposalVerdict] = {}
    for record in records:
        kind: type[Proposal | ProposalVerdict] = ProposalVerdict if "verdict" in record else Proposal
        try:
            found = msgspec.convert(dict(record), kind)
        except msgspec.ValidationError:
            continue
        if isinstance(found, ProposalVerdict):
            verdicts[found.id] = min(found, verdicts.get(found.id, found), key=_first)
        else:
            proposals[found.id] = max(found, proposals.get(found.id, found), key=_first)
    replaced = _replaced(proposals.values())
    waiting = sorted((one for one in proposals.values() if one.id not in verdicts and one.id not in replaced), key=_first)
    return ProposalTable(tuple(waiting), verdicts, replaced)


def _replaced(proposals: Iterable[Proposal]) -> dict[str, str]:
    """By what each proposal was replaced. One that was filed again later counts again."""
    by_id = {one.id: one for one in proposals}
    return {
        one.replaces: one.id
        for one in sorted(by_id.values(), key=_first)
        if one.replaces in by_id and _first(by_id[one.replaces]) < _first(one)
    }


def _first(one: Proposal | ProposalVerdict) -> tuple[int, str, bytes]:
    return one.ms, one.id, msgspec.json.encode(one)


def unheard(
    episodes: Iterable[Episode], records: Iterable[Mapping[str, Any]], verdicts: Mapping[str, ProposalVerdict]
) -> list[Episode]:
    """The episodes that nobody made a proposal of or decided on, oldest first."""
    taken = {str(record.get("episode", "")) for record in records} | set(verdicts)
    first: dict[str, Episode] = {}
    for one in sorted(episodes, key=lambda episode: (episode.ms, episode.id)):
        first.setdefault(one.id, one)
    return [one for one in first.values() if one.id not in taken]


def source(proposal: Proposal, episode: Episode | None) -> Source:
    """Where a kept proposal comes from: an invariant is a constraint, an answer an answer, all else a correction."""
    if proposal.invariant:
        return "constraint"
    return "answer" if episode is not None and episode.rule == "answer-rule" else "correction"


def as_lesson(proposal: Proposal, episode: Episode | None, *, engineer: str, ms: int) -> Lesson:
    """The lesson that ``proposal`` becomes when kept, without an id. Its author is the person who ratified it."""
    return Lesson(
        id="",
        question=proposal.question,
        consequence=proposal.consequence,
        ms=ms,
        situations=proposal.situations,
        scope=proposal.scope,
        area=proposal.area,
        source=source(proposal, episode),
        engineers=(engineer,) if engineer else (),
        repo=proposal.repo,
        reach=proposal.reach,
        facets=proposal.facets,
        signs=proposal.signs,
        handled=proposal.handled,
        origin=proposal.episode,
        support=1,
    )


def merged(lesson: Lesson, proposal: Proposal) -> dict[str, Any]:
    """The changes to ``lesson`` that take ``proposal`` in: its wording as a facet, its situations, and the narrower reach.

    Scopes are joined only where both have some: a scoped lesson stays scoped and a generic one generic.

    :raises BorgError: each reaches where the other does not: two repositories, or one person and one repository.
    """
    if {lesson.reach, proposal.reach} == {"personal", "repo"}:
        raise BorgError(f"lesson {lesson.id} is {lesson.reach} and the proposal {proposal.reach}; keep it as its own")
    reach = narrower(lesson.reach, proposal.reach)
    repo = lesson.repo if lesson.reach == "repo" or reach != "repo" else proposal.repo
    if lesson.reach == proposal.reach == "repo" and lesson.repo != proposal.repo:
        raise BorgError(f"lesson {lesson.id} is for {lesson.repo}, the proposal for {proposal.repo}; keep it as its own")
    scope = lesson.scope + proposal.scope if lesson.scope and proposal.scope else lesson.scope
    changes: dict[str, Any] = {
        "situations": clean_all(lesson.situations + proposal.situations, PHRASE_CHARS, LIST_ITEMS),
        "facets": clean_all((*lesson.facets, *proposal.facets, proposal.question), PHRASE_CHARS, LIST_ITEMS),
        "signs": clean_patterns(lesson.signs + proposal.signs),
        "handled": clean_patterns(lesson.handled + proposal.handled),
        "scope": clean_all(scope, NAME_CHARS, LIST_ITEMS),
        "support": lesson.support + 1,
        "reach": reach,
        "repo": repo,
    }
    if proposal.invariant:
        changes["source"] = "constraint"
    assert REACHES.index(reach) <= min(REACHES.index(lesson.reach), REACHES.index(proposal.reach))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
