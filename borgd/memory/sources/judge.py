"""From what was seen to one outcome per lesson of a decision. Pure; the caller brings decisions, lessons and the time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from borgd.lessons.lesson import Lesson
from borgd.lessons.redact import seal
from borgd.memory.records import Decision, Outcome, OutcomeKind
from borgd.memory.sources.answers import LessonAnswer
from borgd.memory.sources.changes import change_evidence

EVIDENCE_CHARS = 300
"""design: characters kept of what a judgement rests on."""

Lessons = Mapping[str, Lesson]


class WorkChanges(NamedTuple):
    """What changed since the ask: touched paths and the lines written."""

    paths: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def outcome(
    decision: Decision,
    name: str,
    kind: OutcomeKind,
    evidence: str,
    lessons: Lessons,
    *,
    ms: int,
    held: bool = False,
    credit: float = 1.0,
) -> Outcome:
    """One outcome of the lesson ``name`` in ``decision``; its id is decision, lesson and kind, so twice told is once."""
    return Outcome(
        id=f"{decision.id}.{name}.{kind}",
        ms=ms,
        lesson=name,
        kind=kind,
        evidence=seal(evidence, EVIDENCE_CHARS),
        decision=decision.id,
        agent=decision.agent,
        session=decision.session,
        channel=decision.channel,
        held=held,
        credit=credit,
        repo=decision.repo,
        engineer=decision.engineer,
        machine=decision.machine,
        area=lessons[name].area if name in lessons else "",
    )


def shown(decision: Decision) -> list[str]:
    """Ids that were shown in ``decision``."""
    return [entry.id for entry in decision.pool if entry.shown]


def shown_or_held(decision: Decision) -> list[tuple[str, bool]]:
    """(id, whether it was withheld) of what was shown in ``decision`` and of what won a slot and was withheld."""
    return [(entry.id, entry.held) for entry in decision.pool if entry.shown or entry.held]


def _split(
    decision: Decision, kind: OutcomeKind, evidence: str, lessons: Lessons, *, share: float, ms: int
) -> list[Outcome]:
    names = shown(decision)
    credit = min(1.0, share) / max(1, len(names))
    return [outcome(decision, name, kind, evidence, lessons, ms=ms, credit=credit) for name in names if credit > 0]


def judge_answers(
    decision: Decision, given: Mapping[str, LessonAnswer], lessons: Lessons, changes: WorkChanges, *, ms: int
) -> list[Outcome]:
    """Outcomes of a block, at the next Stop.

    applies: changed. skip: not_arisen. No answer: changed where a change speaks for the lesson, else ignored.
    """
    return [_judge_answer(decision, name, given.get(name), lessons, changes, ms=ms) for name in shown(decision)]


def _judge_answer(
    decision: Decision, name: str, answer: LessonAnswer | None, lessons: Lessons, changes: WorkChanges, *, ms: int
) -> Outcome:
    evidence = change_evidence(lessons[name], *changes) if name in lessons else ""
    kind: OutcomeKind
    if answer is None:
        kind, said = (
            ("changed", "") if evidence else ("ignored", "asked at Stop: no answer line, no change that speaks for it")
        )
    elif answer.applies:
        kind, said = "changed", f"answered applies: {answer.why}"
    else:
        kind, said, evidence = "not_arisen", f"answered skip: {answer.why}", ""
    return outcome(decision, name, kind, "; ".join(filter(None, (said, evidence))), lessons, ms=ms)


def judge_early(decision: Decision, lessons: Lessons, changes: WorkChanges, *, ms: int) -> list[Outcome]:
    """Outcomes of an early delivery at the next Stop: changed where a change speaks for the lesson, else nothing yet."""
    evidence = {name: change_evidence(lessons[name], *changes) for name in shown(decision) if name in lessons}
    return [outcome(decision, name, "changed", found, lessons, ms=ms) for name, found in evidence.items() if found]


def judge_correction(decision: Decision, matched: Iterable[str], lessons: Lessons, *, rule: str, ms: int) -> list[Outcome]:
    """A later prompt pushed back (by ``rule``) and matches lessons of ``decision``: corrected, held-out ones as well.

    For a held-out lesson that is the repeat mistake which it would have prevented.

    :param matched: ids; as a mapping, each with its share in (0, 1] of what the correction says.
    """
    shares = matched if isinstance(matched, Mapping) else dict.fromkeys(matched, 1.0)
    evidence = f"a later prompt pushed back ({rule}) and matches the lesson"
    return [
        outcome(decision, name, "corrected", evidence, lessons, ms=ms, held=held, credit=shares[name])
        for name, held in shown_or_held(decision)
        if name in shares
    ]


def judge_disagreement(
    decision: Decision, sides: Iterable[Iterable[str]], agreed: str, lessons: Lessons, *, ms: int
) -> list[Outcome]:
    """A correction agrees with ``agreed`` in a disagreement that was shown: it changed, the other sides are contradicted."""
    visible = set(shown(decision))
    evidence = f"a correction agrees with {agreed} in a disagreement that was shown"
    groups = [[name for name in side if name in visible] for side in sides]
    return [
        outcome(decision, name, "changed" if name == agreed else "contradicted", evidence, lessons, ms=ms)
        for group in groups
        if agreed in group
        for name in group
    ]


def judge_tests(decision: Decision, command: str, lessons: Lessons, *, share: float = 1.0, ms: int) -> list[Outcome]:
    """Tests red before it was shown and green after it: tested, a ``share`` in (0, 1] of it split over what was shown."""
    return _split(decision, "tested", f"failed before, passes after: {command}", lessons, share=share, ms=ms)


def judge_veto(
    decision: Decision, reason: str, lessons: Lessons, *, ms: int, only: Collection[str] | None = None
) -> list[Outcome]:
    """The person said no to what was just shown, or ``only`` to those of it: vetoed, credit split over it."""
    names = [name for name in shown(decision) if only is None or name in only]
    evidence = f"vetoed: {reason}" if reason else "vetoed without a reason"
    return [outcome(decision, name, "vetoed", evidence, lessons, ms=ms, credit=1 / len(names)) for name in names]


def judge_reverted(
    decision: Decision, commit: str, repair: str, share: float, lessons: Lessons, *, ms: int
) -> list[Outcome]:
    """A commit ``repair`` repairs the ``share`` in (0, 1] of the lines of ``commit``, which the session made: regretted."""
    return _split(decision, "regretted", f"commit {repair[:12]} repairs lines of {commit[:12]}", lessons, share=share, ms=ms)


def judge_unclear(decision: Decision, judged: Iterable[str], lessons: Lessons, *, reason: str, ms: int) -> list[Outcome]:
    """Nobody can know what came of it, for the ``reason``: unclear, which moves nothing. Withheld ones as well, so that
    what was shown is compared with what was withheld in the same sessions."""
    done = set(judged)
    return [
        outcome(decision, name, "unclear", reason, lessons, ms=ms, held=held)
        for name, held in shown_or_held(decision)
        if name not in done
    ]


def judge_end(decision: Decision, judged: Iterable[str], lessons: Lessons, *, reason: str, ms: int) -> list[Outcome]:
    """The session ended or idled: what has no outcome is not_corrected, with the ``reason`` it was not judged otherwise."""
    done = set(judged)
    return [
        outcome(decision, name, "not_corrected", reason, lessons, ms=ms, held=held)
        for name, held in shown_or_held(decision)
        if name not in done
    ]
