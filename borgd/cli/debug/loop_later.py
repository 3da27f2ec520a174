"""The later sessions of a labelled loop set: what recall would have told in them, as on a machine with fresh beliefs.

``prevented``: the share of sessions that need the case's own lesson in which it is told, at a line or a Stop, by kind;
``wrong`` and ``wrong_block``: the same of those that do not need it, and by a Stop alone; ``noise``: other lessons told a
session; ``reliability``: by tenths of the probability, how many lessons were judged so at a Stop and how many applied.
``cross_fit`` is all of it with weights fitted on the other systems: nothing is judged by what it was fitted on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from borgd.cli.debug.logistic import fit
from borgd.lessons.lesson import Lesson
from borgd.recall import applies
from borgd.recall.by_cost import UNHEEDED
from borgd.recall.evidence import Index
from borgd.recall.labelled_sessions import LabelledSession, session_episode, snapshots
from borgd.recall.policy import RecallPolicy
from borgd.recall.render import early_shape, size, stop_shape
from borgd.recall.stop import stop_cap
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.stores.repository import short

Variant = Literal["rich", "minimal"]
CURVE = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
"""method: what the costs are multiplied by for the points of the frontier."""
TENTHS = 10


class FiledLesson(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson as an agent files it."""

    question: str
    consequence: str
    scope: tuple[str, ...] = ()
    situations: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    handled: tuple[str, ...] = ()


class LoopCase(msgspec.Struct, frozen=True, kw_only=True):
    """One correction, its lesson in two variants, and the sessions after it."""

    id: str
    system: str
    episode: LabelledSession
    lesson: dict[str, FiledLesson]
    later: tuple[LabelledSession, ...]


class ObservedMoment(NamedTuple):
    """What is observed of each lesson at one moment of a session, once for each work that is judged."""

    kind: str
    observed: tuple[dict[str, dict[str, float]], ...]

    def chances(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The probability of each lesson; at Stop of none whose point the work shows dealt with."""
        found: dict[str, float] = {}
        for seen in self.observed:
            for name, one in seen.items():
                if self.kind == "stop" and one["handled"]:
                    continue
                found[name] = max(found.get(name, 0.0), applies.probability(applies.parts(one, weights)))
        return found


class Played(NamedTuple):
    """One later session with all its moments; ``own`` is the lesson of its case."""

    own: str
    system: str
    session: LabelledSession
    moments: tuple[ObservedMoment, ...]


class Told(NamedTuple):
    """What a session was told, by lines and by Stops, and how many characters that were."""

    lines: set[str]
    blocks: set[str]
    chars: int


def lessons_of(cases: Sequence[LoopCase], variant: Variant) -> dict[str, Lesson]:
    """The lessons of the cases, named after them."""
    return {case.id: msgspec.convert(msgspec.to_builtins(case.lesson[variant]) | {"id": case.id}, Lesson) for case in cases}


def play(cases: Sequence[LoopCase], variant: Variant, *, filed: bool, alone: bool = False) -> list[Played]:
    """Every later session, with all lessons in one store.

    :param filed: each lesson was filed through its episode, which it is matched by as well.
    :param alone: each lesson is judged as if it were the only one.
    """
    index, prior = Index(), ContextPrior.shipped()
    lessons = lessons_of(cases, variant)
    for case in cases:
        repo = short(case.episode.remote) if filed else ""
        index.add(msgspec.structs.replace(lessons[case.id], repo=repo), session_episode(case.episode) if filed else None)
    played = []
    for case in cases:
        for session in case.later:
            moments = []
            for kind, context in snapshots(session, index.patterns):
                works = tuple(
                    msgspec.structs.replace(one, repos=(short(session.remote),))
                    for one in ((context, context.turn) if context.turn is not None else (context,))
                )
                seen = tuple(index.observe_applies(index.work(work, prior), work, alone=alone) for work in works)
                moments.append(ObservedMoment(kind, seen))
            played.append(Played(case.id, case.system, session, tuple(moments)))
    return played


def told(one: Played, lessons: Mapping[str, Lesson], weights: Mapping[str, float], policy: RecallPolicy) -> Told:
    """What this session is told under ``policy``: beliefs and trust as they begin, nothing withheld."""
    lines: set[str] = set()
    blocks: set[str] = set()
    chars = 0
    for moment in one.moments:
        chances = sorted(moment.chances(weights).items(), key=lambda at: (-at[1], at[0]))
        if moment.kind == "stop":
            cost = policy.cost(policy.block_cost)
            chosen = [name for name, p in chances if p * (UNHEEDED if name in lines else 1.0) >= cost and name not in blocks]
            chosen = chosen[: stop_cap(policy)]
            blocks.update(chosen)
            chars += sum(size(lessons[name], stop_shape(policy)) for name in chosen)
            continue
        cost = policy.cost(policy.line_cost if moment.kind == "edit" else policy.prompt_cost)
        chosen = [name for name, p in chances if p >= cost and name not in lines | blocks]
        chosen = chosen[: max(0, min(policy.line_cap, policy.session_lines - len(lines)))]
        lines.update(chosen)
        chars += sum(size(lessons[name], early_shape(policy)) for name in chosen)
    return Told(lines, blocks, chars)


def fitted_weights(played: Iterable[Played]) -> dict[str, float]:
    """Weights that say best which lesson is the session's own and applies, at any of its moments."""
    names = list(applies.WEIGHTS)
    rows: list[list[float]] = []
    labels: list[float] = []
    for one in played:
        for moment in one.moments:
            for seen in moment.observed:
                for name, observed in seen.items():
                    rows.append([observed[part] for part in names])
                    labels.append(float(name == one.own and one.session.applies))
    weights = fit(np.array(rows), np.array(labels))
    return dict(zip(names, weights.tolist(), strict=True))


def cross_fitted(played: Sequence[Played]) -> dict[str, dict[str, float]]:
    """By system: the weights fitted on all other systems."""
    systems = sorted({one.system for one in played})
    return {system: fitted_weights(one for one in played if one.system != system) for system in systems}


def later_figures(
    played: Sequence[Played],
    lessons: Mapping[str, Lesson],
    policy: RecallPolicy,
    weights: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, Any]:
    """The figures of all sessions.

    :param weights: by system; None: the shipped ones.
    """
    needed: dict[str, list[bool]] = defaultdict(list)
    wrong: list[bool] = []
    wrong_block: list[bool] = []
    quiet_chars: list[int] = []
    others: list[int] = []
    tenths = [[0, 0] for _ in range(TENTHS)]
    for one in played:
        mine = applies.WEIGHTS if weights is None else weights[one.system]
        heard = told(one, lessons, mine, policy)
        came = one.own in heard.lines | heard.blocks
        if one.session.applies:
            needed[one.session.kind].append(came)
        else:
            wrong.append(came)
            wrong_block.append(one.own in heard.blocks)
            quiet_chars.append(heard.chars)
        others.append(len((heard.lines | heard.blocks) - {one.own}))
        for name, chance in one.moments[-1].chances(mine).items() if one.moments else ():
            tenth = tenths[min(TENTHS - 1, int(chance * TENTHS))]
            tenth[0] += 1
            tenth[1] += name == one.own and one.session.applies
    return {
        "prevented": {"all": _share([x for group in needed.values() for x in group])}
        | {kind: _share(group) for kind, group in sorted(needed.items())},
        "wrong": _share(wrong),
        "wrong_block": _share(wrong_block),
        "noise": _share(others),
        "chars_quiet": round(sum(quiet_chars) / len(quiet_chars)) if quiet_chars else 0,
        "reliability": [{"judged": judged, "applied": applied} for judged, applied in tenths],
    }


def _share(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0


def frontier(
    played: Sequence[Played],
    lessons: Mapping[str, Lesson],
    policy: RecallPolicy,
    weights: Mapping[str, Mapping[str, float]] | None = None,
) -> list[dict[str, Any]]:
    """Prevented repeats over what they cost, from eager to quiet: the costs multiplied by each of CURVE."""
    points = []
    for factor in CURVE:
        costs = {name: min(1.0, getattr(policy, name) * factor) for name in ("line_cost", "prompt_cost", "block_cost")}
        seen = later_figures(played, lessons, msgspec.structs.replace(policy, **costs), weights)
        kept = ("wrong", "wrong_block", "noise", "chars_quiet")
        points.append({"factor": factor, "prevented": seen["prevented"]["all"]} | {name: seen[name] for name in kept})
    return points


def later_lines(found: Mapping[str, Any]) -> list[str]:
    """The figures as a person reads them."""
    rows = []
    for title, seen in found.items():
        rows.append(f"later sessions, {title}")
        if isinstance(seen, list):
            rows += ["  " + "  ".join(f"{name} {value}" for name, value in point.items()) for point in seen]
            continue
        rows.append("  prevented " + "  ".join(f"{kind} {share:.2f}" for kind, share in seen["prevented"].items()))
        rows.append("  " + "  ".join(f"{name} {seen[name]}" for name in ("wrong", "wrong_block", "noise", "chars_quiet")))
        judged = [f"{one['applied']}/{one['judged']}" for one in seen["reliability"]]
        rows.append(f"  applied of those judged, by tenths of the probability: {' '.join(judged)}")
    return rows


def later(cases: Sequence[LoopCase], variant: Variant, *, filed: bool, curve: bool, cross_fit: bool) -> dict[str, Any]:
    """All that ``borg debug loop`` says of later sessions. The shipped weights were fitted on the set they come with."""
    played, lessons, policy = play(cases, variant, filed=filed), lessons_of(cases, variant), RecallPolicy()
    weights = cross_fitted(played) if cross_fit else None
    shipped, fitted = "with the shipped weights", "with weights fitted on the other systems"
    found: dict[str, Any] = {shipped: later_figures(played, lessons, policy)}
    if weights is not None:
        found[fitted] = later_figures(played, lessons, policy, weights)
    if curve:
        found["frontier, costs times a factor"] = frontier(played, lessons, policy, weights)
    return found
