"""What a policy would have chosen on the logged draws: the slots filled again, nothing weighed.

A lesson's draw is taken at the same place in its belief's distribution, so a candidate's belief moves the draw and luck does
not. What the text had no room for stays cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from borgd.memory.beta import distribution, quantile
from borgd.replay import records
from borgd.replay.candidates import HALF, Beliefs, CandidatePolicy, CandidateRule, belief_rule, logged_rule, rule_of
from borgd.replay.outcomes import Outcomes
from borgd.replay.records import CHANNELS, DecisionColumns, DecisionLine

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class ReplayedChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One decision: lessons that won a slot in the log, and what the candidate would have added and dropped."""

    decision: str
    session: str
    channel: str
    won: list[str]
    added: list[str]
    dropped: list[str]


def selected(
    lines: Iterable[bytes], candidate: CandidatePolicy, outcomes: Outcomes | None = None
) -> Iterator[ReplayedChoice]:
    """Every usable decision of ``lines`` with the candidate's choice beside the logged one.

    :param outcomes: needed where the candidate moves beliefs.
    """
    found = [line for line in map(records.decode, lines) if isinstance(line, DecisionLine)]
    if not found:
        return
    packed = records.pack(found)
    beliefs = None
    if candidate.moves_beliefs and outcomes is not None:
        beliefs = Beliefs(outcomes.beliefs(belief_rule(CandidatePolicy("logged"))), outcomes.beliefs(belief_rule(candidate)))
    rule = rule_of(packed, candidate, beliefs)
    draw = np.array([entry.draw for line in found for entry in line.pool])
    before = wins(packed, logged_rule(packed), draw)
    after = wins(packed, rule, _moved(packed, rule, draw))
    cut = packed.cut
    start = 0
    for line in found:
        rows = range(start, start + len(line.pool))
        start += len(line.pool)
        names = [entry.id for entry in line.pool]
        yield ReplayedChoice(
            decision=line.id,
            session=line.session,
            channel=line.channel if line.channel in CHANNELS else "",
            won=[name for name, row in zip(names, rows, strict=True) if before[row] and not cut[row]],
            added=[name for name, row in zip(names, rows, strict=True) if after[row] and not before[row]],
            dropped=[name for name, row in zip(names, rows, strict=True) if before[row] and not after[row] and not cut[row]],
        )


def wins(found: DecisionColumns, rule: CandidateRule, draw: Floats) -> Bools:
    """Which entries win a slot with these draws."""
    score = np.where(rule.eligible & ~found.standing, found.base * (HALF + draw), -np.inf)
    won = found.standing & rule.eligible
    for number in range(found.count):
        low, high = np.searchsorted(found.decision, [number, number + 1])
        left = max(0, int(rule.slots[number]) - int(won[low:high].sum()))
        order = low + np.argsort(-score[low:high], kind="stable")
        order = order[np.isfinite(score[order])]
        first = order[~rule.second[order]][:left]
        rest = order[rule.second[order]][: min(int(rule.generic[number]), left - len(first))]
        won[first] = won[rest] = True
    return won


def _moved(found: DecisionColumns, rule: CandidateRule, draw: Floats) -> Floats:
    """The draws at the same quantile of the candidate's beliefs; its means where it does not explore."""
    if not rule.explore:
        return rule.alpha / (rule.alpha + rule.beta)
    moved = draw.copy()
    for row in np.flatnonzero((rule.alpha != found.alpha) | (rule.beta != found.beta)).tolist():
        level = distribution(draw[row], float(found.alpha[row]), float(found.beta[row]))
        moved[row] = quantile(float(level), float(rule.alpha[row]), float(rule.beta[row]))
    return moved
