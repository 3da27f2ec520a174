"""The replay: decisions in, in the order of their time; values of candidates out, with what they rest on. Pure.
Promises: one pass; memory grows with lessons and candidates and by 8 bytes a decision; the same result however the decisions
are cut into chunks of whole blocks; a state that can be put away and taken up again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from borgd.replay import records
from borgd.replay.block import POSITIONS, ReplayedBlock, ReplayedPart, pick, reward_seen
from borgd.replay.candidates import (
    AGREES,
    LOGGED,
    Beliefs,
    CandidatePolicy,
    CandidateRule,
    Masses,
    belief_rule,
    chances,
    gaps,
    logged_rule,
    masses,
    rule_of,
    withheld,
)
from borgd.replay.estimate import estimators
from borgd.replay.estimate.intervals import Bootstrap
from borgd.replay.estimate.pseudo import Arms, arms, joined, observations, with_model, with_weights
from borgd.replay.estimate.running_sums import SEQUENCES, RunningSums, Sums, add_up
from borgd.replay.estimate.slates import SlateSlots, places
from borgd.replay.headline import Headline
from borgd.replay.keys import SortedKeys
from borgd.replay.outcomes import CORRECTED, SETTLE_MS, Outcomes
from borgd.replay.records import NO_OUTCOME, REPEATED, YOUNG, YOUNG_OLD_RULE, DecisionColumns, take
from borgd.replay.rewards import Lessons, Rates, Reward, Side, settled, sides

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_BLOCK, LARGEST_BLOCK = 16, 2048
"""method: decisions between two updates of the reward model; an eighth of those seen, within these bounds."""
REUSED = "draw used before"
EARLIER = "before the period"
FED = (
    "skipped", "used", "sessions", "headline", "lessons", "accounts", "loggers", "_seen", "_models",
    "_positions", "_drawn", "_bootstraps", "first_ms", "last_ms", "exact", "drawn",
)  # fmt: skip
SESSIONS_KEPT = 20_000
"""guard: sessions whose contested draws are remembered."""


@dataclass(frozen=True)
class Ready:
    """Decisions and what follows from each of them alone."""

    found: DecisionColumns
    skipped: Counter[str]
    exact: Floats
    gap: Floats
    kinds: NDArray[np.uint16]
    corrected_ms: Ints
    """When each pool entry was first corrected; 0: it was not."""
    given: dict[str, Masses]
    filled: dict[str, SlateSlots | None]

    def take(self, keep: NDArray[np.bool_]) -> Ready:
        """The decisions for which ``keep`` holds."""
        rows = keep[self.found.decision]
        return Ready(
            take(self.found, keep),
            self.skipped,
            self.exact[rows],
            self.gap[keep],
            self.kinds[rows],
            self.corrected_ms[rows],
            {name: each.take(keep, rows) for name, each in self.given.items()},
            {name: each.take(rows) if each is not None else None for name, each in self.filled.items()},
        )


class Replay:
    """Feed it what ``read`` makes of lines, in the order of time; read its accounts and headline at any moment."""

    def __init__(
        self,
        candidates: list[CandidatePolicy],
        rewards: tuple[Reward, ...],
        outcomes: Outcomes,
        now_ms: int,
        *,
        slates: bool = True,
        bootstrap: int | None = None,
        since_ms: int = 0,
        salt: str = "",
    ) -> None:
        """:param now_ms: the moment of looking; ``since_ms``: decisions before it are passed over and counted."""
        self.candidates = [CandidatePolicy(LOGGED), *candidates]
        self.rewards = rewards
        self.outcomes = outcomes
        self.now_ms = now_ms
        self.slates = slates
        self.since_ms = since_ms
        self.salt = salt
        self.skipped: Counter[str] = Counter()
        self.used = 0
        self.sessions = SortedKeys()
        self.headline = Headline(now_ms, since_ms)
        self.lessons = Lessons()
        self.accounts = {
            (candidate.name, reward): RunningSums([Sums() for _ in range(2 if reward == "avoided" else 1)])
            for candidate in self.candidates
            for reward in rewards
        }
        self.loggers: dict[int, tuple[str, float]] = {}
        """Logger -> its name and its holdout."""
        self.first_ms, self.last_ms = 0, 0
        self.exact = self.drawn = 0
        """Decisions whose logged probabilities are the exact ones of the slot rule, and those by draws or by a grader."""
        self._seen = SortedKeys()
        self._models = {reward: [Rates(), Rates()] for reward in rewards}
        self._positions = {reward: np.zeros((2, POSITIONS)) for reward in rewards}
        self._drawn: dict[int, set[int]] = {}
        self._beliefs = self._rebuilt()
        self._bootstraps = {} if bootstrap is None else self._boots(bootstrap)

    def read(self, lines: Iterable[bytes], machine: str = "") -> Ready:
        """Decode lines and compute all that needs nothing of the past: another process may do it ahead of ``feed``."""
        skipped: Counter[str] = Counter()
        found = records.columns(lines, skipped, machine, self.salt)
        return self._ready(found, skipped)

    def feed(self, ready: Ready) -> None:
        """Replay these decisions."""
        self.skipped += ready.skipped
        found = ready.found
        fresh = self._seen.add(found.key)
        recent = found.ms >= self.since_ms
        self.headline.feed(found, ready.corrected_ms, fresh)
        free = fresh & recent
        self.headline.spend(take(found, free))
        free[free] = self._not_drawn_before(take(found, free), ready.exact[free[found.decision]])
        self.skipped[REPEATED] += int((~fresh).sum())
        self.skipped[EARLIER] += int((fresh & ~recent).sum())
        self.skipped[REUSED] += int((fresh & recent & ~free).sum())
        if not free.all():
            ready = ready.take(free)
            found = ready.found
        if not found.count:
            return
        self.loggers.update(found.loggers)
        self.first_ms = self.first_ms or int(found.ms[0])
        self.last_ms = int(found.ms[-1])
        self.sessions.add(found.session)
        agree = int((ready.gap <= AGREES).sum())
        self.exact += agree
        self.drawn += found.count - agree
        lesson = self.lessons.of(found.lesson, found.names)
        known = settled(found, ready.kinds, self.now_ms)
        young = ~known & (found.ms > self.now_ms - np.where(found.horizon > 0, found.horizon, SETTLE_MS))
        for reason, which in ((YOUNG, found.horizon > 0), (YOUNG_OLD_RULE, found.horizon == 0)):
            self.skipped[reason] += int((young & which).sum())
        self.skipped[NO_OUTCOME] += int((~known & ~young).sum())
        self.used += int(known.sum())
        self.headline.check(found)
        for reward in self.rewards:
            self._reward(ReplayedPart(found, ready.kinds, lesson, known, ready.given, ready.filled), reward)

    def _ready(self, found: DecisionColumns, skipped: Counter[str]) -> Ready:
        was = logged_rule(found)
        exact = chances(found, was)
        rules = {c.name: rule_of(found, c, self._beliefs.get(c.name)) for c in self.candidates}
        given = {c.name: masses(found, c, self._beliefs.get(c.name), exact) for c in self.candidates}
        filled = {c.name: self._places(found, was, rules[c.name], given[c.name], c) for c in self.candidates}
        when = self.outcomes.corrected_ms(found.arm_key)
        kinds = self._within_horizon(found, self.outcomes.kinds(found.arm_key), when)
        return Ready(found, skipped, exact, gaps(found, exact), kinds, when, given, filled)

    @staticmethod
    def _within_horizon(found: DecisionColumns, kinds: NDArray[np.uint16], when: Ints) -> NDArray[np.uint16]:
        """A correction after an occasion's horizon is not its own."""
        horizon = found.horizon[found.decision]
        late = (horizon > 0) & (when > found.ms[found.decision] + horizon)
        return np.where(late, kinds & ~np.uint16(CORRECTED), kinds).astype(np.uint16)

    def reasons(self) -> dict[str, int]:
        """Skipped decisions by reason, the largest first."""
        return {reason: count for reason, count in self.skipped.most_common() if count}

    def bootstrap(self, name: str, reward: Reward) -> Bootstrap | None:
        """The bootstrap of this candidate's DR value, where one was asked for."""
        return self._bootstraps.get((name, reward))

    def state(self) -> dict[str, object]:
        """Everything that feeding has changed; put back by ``restore`` into a replay of the same candidates and outcomes."""
        return {name: getattr(self, name) for name in FED}

    def restore(self, state: dict[str, object]) -> None:
        """Take up where ``state`` was taken."""
        for name in FED:
            setattr(self, name, state[name])

    def _rebuilt(self) -> dict[str, Beliefs]:
        moving = [candidate for candidate in self.candidates if candidate.moves_beliefs]
        if not moving:
            return {}
        usual = self.outcomes.beliefs(belief_rule(self.candidates[0]))
        return {c.name: Beliefs(usual, self.outcomes.beliefs(belief_rule(c))) for c in moving}

    def _boots(self, seed: int) -> dict[tuple[str, Reward], Bootstrap]:
        return {key: Bootstrap(seed + place) for place, key in enumerate(self.accounts)}

    def _not_drawn_before(self, found: DecisionColumns, exact: Floats) -> NDArray[np.bool_]:
        """A lesson's draw stays for its session: a second contest on it is not a fresh choice, and its p not its chance."""
        contest = (exact < 1.0) & ~found.standing
        contested = np.bincount(found.decision, contest, minlength=found.count) > 0
        free = np.ones(found.count, dtype=bool)
        ends = np.searchsorted(found.decision, np.arange(found.count + 1))
        for number in np.flatnonzero(contested).tolist():
            session = int(found.session[number])
            rows = slice(ends[number], ends[number + 1])
            mine = set(found.lesson[rows][contest[rows]].tolist())
            before = self._drawn.get(session)
            if before is None:
                self._drawn[session] = mine
            else:
                free[number] = before.isdisjoint(mine)
                before |= mine
        while len(self._drawn) > SESSIONS_KEPT:
            self._drawn.pop(next(iter(self._drawn)))
        return free

    def _places(
        self, found: DecisionColumns, was: CandidateRule, rule: CandidateRule, given: Masses, candidate: CandidatePolicy
    ) -> SlateSlots | None:
        if not self.slates:
            return None
        return places(found, was, rule, given, withheld(found, candidate))

    def _reward(self, part: ReplayedPart, reward: Reward) -> None:
        number = np.cumsum(part.known) - 1
        total = int(part.known.sum())
        start = 0
        while start < total:
            seen = self.accounts[LOGGED, reward].decisions
            size = min(max(LEAST_BLOCK, seen // 8), LARGEST_BLOCK, total - start)
            block = part.known & (number >= start) & (number < start + size)
            self._block(part, np.flatnonzero(block), reward)
            start += size

    def _block(self, part: ReplayedPart, decisions: Ints, reward: Reward) -> None:
        """Decisions whose rewards are predicted by the same state of the model; then it learns from them."""
        found = part.found
        low, high = np.searchsorted(found.decision, [decisions[0], decisions[-1] + 1])
        rows = np.arange(low, high)
        renumber = np.full(found.count, -1)
        renumber[decisions] = np.arange(len(decisions))
        rows = rows[renumber[found.decision[rows]] >= 0]
        view = ReplayedBlock(part, rows, renumber[found.decision[rows]], decisions)
        both = [pick(side, rows) for side in sides(found, part.kinds, reward)]
        models = self._models[reward]
        lesson = part.lesson[rows]
        predicted = [models[place].predict(lesson) for place in range(len(both))]
        for candidate in self.candidates:
            self._account(candidate, reward, view, both, predicted)
        for side, model in zip(both, models, strict=False):
            model.learn(lesson[side.seen], side.reward[side.seen])
        filled = part.filled[LOGGED]
        if filled is not None:
            self._learn_places(reward, view, both, filled)

    def _account(
        self, candidate: CandidatePolicy, reward: Reward, view: ReplayedBlock, both: list[Side], predicted: list[Floats]
    ) -> None:
        account = self.accounts[candidate.name, reward]
        given = view.part.given[candidate.name]
        mass = np.where(view.counts(reward), given.shown[view.rows], 0.0)
        terms: dict[str, list[Arms]] = {name: [] for name in SEQUENCES}
        count = len(view.decisions)
        limit = view.limit()
        for sums, side, model in zip(account.sides, both, predicted, strict=True):
            form = arms(view.decision, side.sign * mass, side.p, side.seen, side.reward, model, limit, count)
            weight = np.where(side.seen, form.weight, 0.0)
            rate = min(1.0, sums.gained / sums.weight) if sums.weight > 0.0 else 0.5
            add_up(sums, side, mass, weight, model)
            flat = np.zeros_like(mass) if side.sign > 0 else np.ones_like(mass)
            steady = np.full_like(mass, rate if side.sign > 0 else 1.0 - rate)
            terms["IPS"].append(with_model(form, flat))
            terms["SNIPS"].append(with_model(form, steady))
            terms["DR"].append(form)
            terms["SWITCH-DR"].append(with_weights(form, estimators.switched(form.weight)))
            terms["DRos"].append(with_weights(form, estimators.shrunk(form.weight)))
            moved = side.sign * (mass - np.where(view.counts(reward), view.logged, 0.0))
            terms["difference"].append(arms(view.decision, moved, side.p, side.seen, side.reward, model, limit, count))
        account.decisions += count
        account.by_draws += int(given.by_draws[view.decisions].sum())
        account.unknown += int(given.unknown[view.decisions].sum())
        filled = view.part.filled[candidate.name]
        if filled is not None and len(both) == 1:
            terms["RIPS"] = [replace(self._slates(account, reward, view, both[0], filled), mass=mass)]
        for place, name in enumerate(SEQUENCES):
            if terms[name]:
                account.sequences.add(joined(terms[name]), np.full(count, place))
        self._cost(account, view, both, mass)
        self._doubly_robust((candidate.name, reward), view, joined(terms["DR"]), both, mass)

    def _doubly_robust(
        self, key: tuple[str, Reward], view: ReplayedBlock, terms: Arms, both: list[Side], mass: Floats
    ) -> None:
        """What is kept of the DR observations themselves: by logger, and for the bootstrap."""
        account = self.accounts[key]
        expected, residual = observations(terms)
        values = expected[-1] + residual[-1]
        logger = view.part.found.logger[view.decisions]
        for each in np.unique(logger).tolist():
            mine = values[logger == each]
            kept = account.by_logger.setdefault(each, [0.0] * (3 + len(both)))
            rows = (logger == each)[view.decision]
            gains = [float((_weights(mass, side) * np.where(rows, side.reward, 0.0)).sum()) for side in both]
            for place, value in enumerate((len(mine), mine.sum(), mine @ mine, *gains)):
                kept[place] += float(value)
        boot = self._bootstraps.get(key)
        if boot is not None:
            boot.add(values)

    def _slates(self, account: RunningSums, reward: Reward, view: ReplayedBlock, side: Side, filled: SlateSlots) -> Arms:
        """Reward-interaction IPS and cascade DR; the latter's model is the mean reward of each place and those after it."""
        place, prefix, before, spot = view.places(filled)
        gained = reward_seen([side], spot)
        total, seen = self._positions[reward]
        means = np.divide(total, seen, out=np.zeros(POSITIONS), where=seen > 0)
        ahead = np.cumsum(means[::-1])[::-1]
        account.rips += float(prefix @ gained)
        account.cascade += float((prefix * (gained - ahead[place]) + before * ahead[place]).sum())
        weight, nothing = np.zeros(len(view.rows)), np.zeros(len(view.rows))
        weight[spot] = np.where(side.seen[spot], prefix, 0.0)
        return Arms(
            decision=view.decision,
            mass=nothing,
            weight=weight,
            covered=nothing,
            seen=side.seen,
            reward=side.reward,
            predicted=nothing,
            limit=view.limit(),
            offset=np.zeros(len(view.decisions)),
            plain=True,
        )

    def _learn_places(self, reward: Reward, view: ReplayedBlock, both: list[Side], filled: SlateSlots) -> None:
        place, _, _, spot = view.places(filled)
        self._positions[reward][0] += np.bincount(place, reward_seen(both, spot), minlength=POSITIONS)
        self._positions[reward][1] += np.bincount(place, minlength=POSITIONS)

    @staticmethod
    def _cost(account: RunningSums, view: ReplayedBlock, both: list[Side], mass: Floats) -> None:
        """Characters that the candidate would have injected, by IPS over the shown lessons' shares of their text."""
        found = view.part.found
        shown = both[-1].seen
        many = np.bincount(view.decision, shown, minlength=len(view.decisions))
        each = np.divide(found.chars[view.decisions], many, out=np.zeros(len(many)), where=many > 0)
        account.chars += float((_weights(mass, both[-1]) * each[view.decision]).sum())
        account.chars_logged += float(found.chars[view.decisions].sum())


def _weights(mass: Floats, side: Side) -> Floats:
    """mass / p where it was seen, else 0."""
    return np.divide(mass, side.p, out=np.zeros_like(mass), where=side.seen & (side.p > 0.0))
