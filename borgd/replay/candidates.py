"""Candidates: policies that differ from the logged one in named constants, and what they would have given each lesson.

Promises: a candidate that changes nothing has exactly the logged probabilities (weight 1 everywhere). A constant whose
effect the log cannot show is refused with the reason, never guessed. Lessons that a wider bar would have brought in are
not in the log; that is said (``notes``), not imputed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from borgd.errors import UsageError
from borgd.memory.belief import BeliefRule
from borgd.recall.policy import RecallPolicy, changed, names
from borgd.replay import propensity
from borgd.replay.outcomes import Timeline
from borgd.replay.records import CHANNELS, DecisionColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

EARLY, STOP = CHANNELS.index("early"), CHANNELS.index("stop")
HALF = 0.5
"""design: what recall adds to a belief's draw (``borgd.recall.rank.HALF``)."""
AGREES = 0.02
"""method: a logged probability this close to the exact one was exact; else it came from draws or a grader."""
LOGGED = "logged"

BARS: Final = ("relative", "low", "block", "match_floor")
RELATIVE_BARS: Final = (*BARS, "early_cap")
"""Constants of the older rule, of which a decision by cost knows nothing."""
UNSEEN: Final = {
    "strong": "which lessons were dormant is not in the log",
    "grader_rule": "a grader's answers are not in the log",
    "name": "it is a label",
    "version": "it is a label",
    "p_draws": "it changes no choice",
    "rule": "what the other rule would have looked at is not in the log",
    "level": "what each lesson was worth is not in the log",
    "line_cost": "what each lesson was worth is not in the log",
    "prompt_cost": "what each lesson was worth is not in the log",
    "block_cost": "what each lesson was worth is not in the log",
    "session_lines": "how many lines a session had left is in the log only as slots; try line_cap",
    "doubted_share": "which lessons are in doubt is not in the log",
}


@dataclass(frozen=True)
class CandidatePolicy:
    """A policy by name and the constants in which it differs from the logged ones."""

    name: str
    settings: dict[str, object] = field(default_factory=dict)

    @property
    def policy(self) -> RecallPolicy:
        return changed(RecallPolicy(), self.settings)

    @property
    def moves_beliefs(self) -> bool:
        return any(key.startswith("belief.") for key in self.settings)

    def describe(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.settings.items()) or "as logged"


def parse(name: str, pairs: list[str]) -> CandidatePolicy:
    """``KEY=VALUE`` pairs into a candidate.

    :raises UsageError: not a pair, no such constant, a value it cannot have, or one whose effect the log cannot show.
    """
    settings: dict[str, object] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        key = key.strip().casefold()
        if not sign or not key or not value.strip():
            raise UsageError(f"{pair!r}: expected CONSTANT=VALUE, as in relative=0.7")
        settings[key] = value.strip()
    policy = changed(RecallPolicy(), settings)
    known = {key: names(policy)[key] for key in settings}
    for key, constant in known.items():
        if reason := _unseen(key):
            raise UsageError(f"{key} cannot be replayed: {reason}")
        if key == "holdout" and constant == 1.0:
            raise UsageError("holdout=1: expected a probability below 1; nothing would ever be shown")
    return CandidatePolicy(name=name, settings=known)


def parse_named(text: str) -> CandidatePolicy:
    """``NAME:KEY=VALUE,KEY=VALUE`` into a candidate."""
    name, sign, pairs = text.partition(":")
    if not sign or not re.fullmatch(r"[\w.+ -]{1,40}", name):
        raise UsageError(f"{text!r}: expected NAME:CONSTANT=VALUE,… with a name of up to 40 letters and digits")
    return parse(name.strip(), [pair for pair in pairs.split(",") if pair.strip()])


def _unseen(key: str) -> str:
    if key.endswith("_chars"):
        return "how long each lesson's text was is not in the log"
    if key.startswith("activation."):
        return "activations are logged only as part of a lesson's base score"
    return UNSEEN.get(key, "")


@dataclass
class Beliefs:
    """Beliefs under the logged rule and under a candidate's, for its changes to be added to what was logged."""

    logged: Timeline
    candidate: Timeline

    def shift(self, found: DecisionColumns, least: float = 1e-3) -> tuple[Floats, Floats]:
        """(alpha, beta) per pool entry: as logged, plus what the candidate's rule would have made different by then."""
        ms = found.ms[found.decision]
        old_alpha, old_beta = self.logged.before(found.lesson, ms)
        new_alpha, new_beta = self.candidate.before(found.lesson, ms)
        alpha = np.maximum(found.alpha + new_alpha - old_alpha, least)
        return alpha, np.maximum(found.beta + new_beta - old_beta, least)


@dataclass(frozen=True)
class CandidateRule:
    """The slot rule of every decision and entry: who may be shown, of which class, for how many slots; as flat columns."""

    eligible: Bools
    second: Bools
    """Per entry: in the class that fills what the first leaves."""
    slots: Ints
    generic: Ints
    alpha: Floats
    beta: Floats
    explore: bool


def logged_rule(found: DecisionColumns) -> CandidateRule:
    """The rule that wrote the log."""
    return CandidateRule(
        eligible=np.ones(len(found.p), dtype=bool),
        second=(found.channel[found.decision] != EARLY) & ~found.scoped,
        slots=np.where(found.slots > 0, found.slots, np.bincount(found.decision, minlength=found.count)),
        generic=found.generic_slots,
        alpha=found.alpha,
        beta=found.beta,
        explore=True,
    )


def rule_of(found: DecisionColumns, candidate: CandidatePolicy, beliefs: Beliefs | None) -> CandidateRule:
    """The candidate's rule on the logged decisions."""
    was, policy, settings = logged_rule(found), candidate.policy, candidate.settings
    alpha, beta = beliefs.shift(found) if beliefs is not None else (found.alpha, found.beta)
    early = found.channel == EARLY
    slots, generic = was.slots, was.generic
    if "early_cap" in settings:
        slots = np.where(early & ~found.by_cost, policy.early_cap, slots)
    if "line_cap" in settings:
        slots = np.where(early & found.by_cost, np.minimum(policy.line_cap, slots), slots)
    if "cap" in settings or "ask_cap" in settings:
        slots = np.where(early, slots, policy.cap if policy.ask_cap is None else min(policy.cap, policy.ask_cap))
    if "generic_cap" in settings:
        generic = np.where(early, generic, policy.generic_cap)
    return CandidateRule(
        eligible=_eligible(found, policy, settings, alpha, beta),
        second=was.second,
        slots=slots,
        generic=generic,
        alpha=alpha,
        beta=beta,
        explore=policy.explore,
    )


def _eligible(
    found: DecisionColumns, policy: RecallPolicy, settings: dict[str, object], alpha: Floats, beta: Floats
) -> Bools:
    """Entries over the candidate's bars. The best on topic may have been done already: then the logged best stands."""
    count = found.count
    score = found.base * (HALF + alpha / (alpha + beta))
    best = np.maximum(_most(found.decision, score, count), found.best)
    early = (found.channel == EARLY)[found.decision]
    beliefs_move = any(key.startswith("belief.") for key in settings)
    fine = np.ones(len(score), dtype=bool)
    if "relative" in settings or beliefs_move:
        fine &= ~early | (score >= policy.relative * best[found.decision])
    if "low" in settings or beliefs_move:
        fine &= early | (score > policy.low * best[found.decision])
    if "match_floor" in settings:
        evidence = found.evidence[found.decision]
        fine &= (evidence == 0.0) | (found.share * evidence >= policy.match_floor)
    if "block" in settings or beliefs_move:
        blocks = _most(found.decision, np.where(fine, score, 0.0), count) >= policy.block * best
        fine &= early | blocks[found.decision]
    return fine | found.standing | found.by_cost[found.decision]


def _most(decision: Ints, values: Floats, count: int) -> Floats:
    most = np.zeros(count)
    np.maximum.at(most, decision, values)
    return most


def chances(found: DecisionColumns, rule: CandidateRule) -> Floats:
    """P(wins a slot) of every entry under ``rule``, before any holdout; exact, shape (n,)."""
    chance = np.zeros(len(found.p))
    for rows, base, alpha, beta, slots in _classes(found, rule):
        if rule.explore:
            chance[rows] = propensity.inclusion(base, alpha, beta, slots)
        else:
            score = base * (HALF + alpha / (alpha + beta))
            place = np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1)
            chance[rows] = place < slots
    standing = found.standing & rule.eligible
    chance[standing] = (_place(found, standing)[standing] < rule.slots[found.decision][standing]).astype(float)
    return chance


def _classes(found: DecisionColumns, rule: CandidateRule) -> list[tuple[Ints, Floats, Floats, Floats, int]]:
    """Batches of equal size: (rows of shape (batch, n), base, alpha, beta, slots), one for each size and slot count."""
    count = found.count
    standing = np.bincount(found.decision, found.standing & rule.eligible, minlength=count).astype(np.int64)
    left = np.maximum(rule.slots - standing, 0)
    plain = rule.eligible & ~found.standing
    sizes = [np.bincount(found.decision, plain & (rule.second == second), minlength=count) for second in (False, True)]
    first = np.minimum(left, sizes[0])
    rest = np.minimum(np.minimum(rule.generic, left - first), sizes[1])
    batches = []
    for second, slots, size in ((False, first, sizes[0]), (True, rest, sizes[1])):
        rows = np.flatnonzero(plain & (rule.second == second))
        kind = (size * (int(slots.max(initial=0)) + 1) + slots)[found.decision[rows]]
        for each in np.unique(kind):
            mine = rows[kind == each]
            members, places = int(size[found.decision[mine[0]]]), int(slots[found.decision[mine[0]]])
            table = mine.reshape(-1, members)
            batches.append((table, found.base[table], rule.alpha[table], rule.beta[table], places))
    return batches


def _place(found: DecisionColumns, among: Bools) -> Ints:
    """0-based place of each entry among the entries of its decision for which ``among`` holds, in pool order."""
    running = np.cumsum(among)
    start = np.searchsorted(found.decision, np.arange(found.count))
    before = np.concatenate(([0], running))[start]
    place: Ints = running - 1 - before[found.decision]
    return place


@dataclass(frozen=True)
class Masses:
    """What a candidate gives every pool entry: ``shown`` = P(shown) in [0, 1]; ``same`` per decision: exactly as logged."""

    shown: Floats
    same: Bools
    by_draws: Bools
    """Per decision: its logged probabilities are not the exact ones; the candidate's are scaled by the exact ratio there."""
    unknown: Bools
    """Per decision: it does not say what a bar of the candidate's is relative to, and counts as unchanged."""

    def take(self, keep: Bools, rows: Bools) -> Masses:
        """Those of the decisions in ``keep``, whose entries are ``rows``."""
        return Masses(self.shown[rows], self.same[keep], self.by_draws[keep], self.unknown[keep])


def masses(found: DecisionColumns, candidate: CandidatePolicy, beliefs: Beliefs | None, exact: Floats) -> Masses:
    """P(shown) of every entry under ``candidate``.

    :param exact: ``chances`` under the logged rule, shape (n,).
    """
    count, usual = found.count, found.coin
    if not candidate.settings:
        nothing = np.zeros(count, dtype=bool)
        return Masses(found.p, ~nothing, nothing, nothing)
    was, rule = logged_rule(found), rule_of(found, candidate, beliefs)
    kept = withheld(found, candidate)
    moved = (
        (rule.eligible != was.eligible)
        | ((rule.alpha != was.alpha) | (rule.beta != was.beta))
        | (rule.slots != was.slots)[found.decision]
        | (rule.generic != was.generic)[found.decision]
        | (not rule.explore)
    )
    same = np.bincount(found.decision, moved, minlength=count) == 0
    new = np.where(same[found.decision], exact, chances(found, rule))
    gap = gaps(found, exact)
    exactly = (gap <= AGREES)[found.decision]
    ratio = np.divide(new, exact, out=np.zeros_like(new), where=exact > 0.0)
    scaled = np.clip(found.p / (1.0 - usual) * ratio, 0.0, 1.0)
    won = np.where(same[found.decision], found.p / (1.0 - usual), np.where(exactly, new, scaled))
    shown = np.clip(won, 0.0, 1.0) * (1.0 - kept)
    untouched = same & (_most(found.decision, np.abs(kept - usual), count) == 0.0)
    shown = np.where(untouched[found.decision], found.p, shown)
    unknown = (found.evidence == 0.0) & ("match_floor" in candidate.settings)
    return Masses(shown, untouched, ~same & (gap > AGREES), unknown)


def gaps(found: DecisionColumns, exact: Floats) -> Floats:
    """Per decision the largest difference between a logged probability and the exact one of the slot rule."""
    return _most(found.decision, np.abs(found.p - exact * (1.0 - found.coin)), found.count)


def withheld(found: DecisionColumns, candidate: CandidatePolicy) -> Floats:
    """The candidate's probability of withholding each entry that won a slot; it throws its coins where the log did."""
    if "holdout" not in candidate.settings:
        return found.coin
    thrown = np.where(found.horizon[found.decision] > 0, found.coin > 0.0, ~found.standing)
    return np.where(thrown, candidate.policy.holdout, 0.0)


def notes(candidate: CandidatePolicy) -> list[str]:
    """What the log cannot say about this candidate, in sentences."""
    usual, said = names(), []
    wider = [key for key in BARS if key in candidate.settings and _number(candidate.settings[key]) < _number(usual[key])]
    if wider:
        said.append(
            f"{', '.join(wider)} below what was logged: lessons under the old bar are in no record, so this counts only "
            "what is; the true value may be higher"
        )
    relative = [key for key in RELATIVE_BARS if key in candidate.settings]
    if relative:
        said.append(f"{', '.join(relative)}: decisions made by what telling costs know no such bar and count as they were")
    if candidate.moves_beliefs:
        said.append(
            "beliefs are rebuilt from outcomes before each decision; lessons they would lift over a bar are in no record"
        )
    return said


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def belief_rule(candidate: CandidatePolicy) -> BeliefRule:
    return candidate.policy.memory.belief
