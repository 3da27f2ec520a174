"""A lesson tried: would it come up where it comes from, do its patterns tell mistake from repair, is it too wide?

Pure: lessons, the episode and past contexts come in, a verdict with advice goes out. Each piece of advice is one line that
whoever files the lesson can act on. It decides nothing: what is tried is stored all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import match, matches, prepare, problems
from borgd.recall.code_seen import code_stems
from borgd.recall.context import Context
from borgd.recall.evidence import Index
from borgd.recall.near_duplicates import near_duplicates
from borgd.recall.policy import RecallPolicy
from borgd.recall.text.document_frequencies import ContextPrior

TRIED = "tried"
"""design: the id of the lesson that is tried, among the others."""
WIDE_SHARE = 0.2
"""design: share of past sessions from which a lesson that comes up there is called too wide."""
WIDE_SESSIONS = 3
"""design: past sessions in which a lesson may come up without being called too wide, however few there are."""
FEW_SITUATIONS = 3
"""design: fewer situations than this are asked about."""
QUOTED_CHARS = 60
"""design: characters of code or words quoted in a piece of advice."""


class Like(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson that says nearly the same; ``likeness`` in [0, 1]."""

    id: str
    likeness: float
    question: str


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. None: there was nothing to try it on. Counts of patterns are of those that matched."""

    comes_up: bool | None = None
    """It would come up in the work of its own episode."""
    evidence: float | None = None
    floor: float
    signs_in_mistake: int | None = None
    handled_in_mistake: int | None = None
    handled_in_repair: int | None = None
    past_sessions: int = 0
    comes_up_elsewhere: int = 0
    near_duplicates: tuple[Like, ...] = ()
    advice: tuple[str, ...] = ()


def episode_context(episode: Episode) -> Context:
    """The work of ``episode`` as recall would have seen it at the stop before the correction."""
    parts = (episode.task, *episode.paths, episode.proposal)
    text = "\n".join(part for part in parts if part)
    return Context(
        text=text,
        remote=episode.repo,
        repos=(episode.repo,),
        moment="early",
        code=frozenset(code_stems("\n".join(episode.lines))),
    )


def mistake_text(episode: Episode) -> str:
    """What signs are tried on: the paths and lines that were changed, and what the agent said of it."""
    return "\n".join((*episode.paths, *episode.lines, episode.proposal))


def attempt(
    lesson: Lesson,
    others: Iterable[Lesson],
    *,
    policy: RecallPolicy,
    episode: Episode | None = None,
    repair: Sequence[str] = (),
    past: Sequence[Context] = (),
    prior: ContextPrior | None = None,
) -> Trial:
    """Try ``lesson`` among ``others``.

    :param policy: what telling a lesson costs, or the floor that its evidence must reach.
    :param repair: lines that were changed after the correction; empty: not known.
    :param past: what sessions of the last weeks worked on, that of the episode left out.
    """
    known = [one for one in others if one.id != lesson.id and not one.retired]
    tried = msgspec.structs.replace(lesson, id=TRIED)
    index = Index()
    for one in (*known, tried):
        index.add(one)
    evidence, floor = None, _floor(policy, edited=True)
    if episode is not None:
        context = episode_context(episode)
        hits = index.patterns.match(mistake_text(episode))
        asked = index.patterns.match(episode.task)
        evidence = _evidence(index, msgspec.structs.replace(context, hits=hits, said=asked), prior, policy)
        floor = _floor(policy, edited=bool(context.code))
    elsewhere = sum(
        _evidence(index, context, prior, policy) >= _floor(policy, edited=bool(context.code)) for context in past
    )
    told = None if episode is None else match(lesson.signs, lesson.handled, mistake_text(episode))
    mended = match((), lesson.handled, "\n".join(repair)).handled if repair else None
    likes = near_duplicates(lesson.question, lesson.consequence, known)
    trial = Trial(
        comes_up=None if evidence is None else evidence >= floor,
        evidence=None if evidence is None else round(evidence, 3),
        floor=floor,
        signs_in_mistake=told.signs if told and lesson.signs else None,
        handled_in_mistake=told.handled if told and lesson.handled else None,
        handled_in_repair=mended if lesson.handled else None,
        past_sessions=len(past),
        comes_up_elsewhere=elsewhere,
        near_duplicates=tuple(
            Like(id=one.lesson.id, likeness=round(one.likeness, 2), question=one.lesson.question) for one in likes
        ),
    )
    return msgspec.structs.replace(trial, advice=tuple(_advice(lesson, trial, episode, repair)))


def _evidence(index: Index, context: Context, prior: ContextPrior | None, policy: RecallPolicy) -> float:
    found = index.judge(context, prior) if policy.rule == "cost" else index.match(context, prior)
    return next((one.evidence for one in found if one.id == TRIED), 0.0)


def _floor(policy: RecallPolicy, *, edited: bool) -> float:
    """The evidence from which a lesson of neutral belief comes up: what a line costs beside an edit or with a prompt."""
    if policy.rule != "cost":
        return policy.match_floor
    return policy.cost(policy.line_cost if edited else policy.prompt_cost)


def _advice(lesson: Lesson, trial: Trial, episode: Episode | None, repair: Sequence[str]) -> Iterable[str]:
    yield from problems(lesson.signs, lesson.handled)
    if not lesson.signs:
        yield "no --sign: add 2 to 5 patterns of code or words where the point arises, one of them the mistake's own"
    elif episode is not None and trial.signs_in_mistake == 0:
        yield f"no --sign is in the work that was corrected ({_quoted(mistake_text(episode))}): write one that is"
    if lesson.signs and not lesson.handled:
        yield "no --handled: add a pattern of what the work looks like where the point is dealt with"
    mistake = prepare(mistake_text(episode)) if episode is not None and trial.handled_in_mistake else None
    for pattern in lesson.handled if mistake else ():
        if mistake and matches(pattern, mistake):
            yield f"--handled {pattern!r} is in the mistake too and would silence the lesson: make it narrower"
    if trial.handled_in_repair == 0:
        yield f"no --handled is in the repair ({_quoted(chr(10).join(repair))}): write one that is"
    if trial.comes_up is False and episode is not None:
        yield f"it would not come up for its own task ({_quoted(episode.task)}): add --situation in a person's words for it"
    elif len(lesson.situations) < FEW_SITUATIONS:
        yield "few situations: add --situation for what a person would ask for, what code would be touched, other words"
    if trial.comes_up_elsewhere > max(WIDE_SESSIONS, WIDE_SHARE * trial.past_sessions):
        yield (
            f"it would come up in {trial.comes_up_elsewhere} of {trial.past_sessions} sessions of the last weeks: "
            "narrow its situations, or name the system with --scope"
        )
    for one in trial.near_duplicates:
        yield f"like {one.id} ({one.likeness:.0%}): {one.question} A person can merge the two"


def _quoted(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "nothing is known of it")
    return line if len(line) <= QUOTED_CHARS else f"{line[: QUOTED_CHARS - 1]}…"
