"""Teams with a known truth, a thousand at once: coins by the rule or fixed, and at each look what both sequences say.

Every team is a column. The stakes, scales, guesses and the ladder are those of the functions under test, and a test holds
the sums here against those functions; the worlds are written here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import beta

from borgd.replay.estimate import betting
from borgd.replay.estimate.intervals import lower_total
from borgd.replay.withholding import LADDER, YOUNG

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rates = Callable[[float, Ints], tuple[Floats, Floats]]
"""Share of the way (0 to 1) and lessons -> rates where withheld and where shown."""

PER_DAY = 80
"""Ten engineers, eight sessions a day."""
BANDS = np.array(sorted({YOUNG, 0.05, *(chance for _, chance in LADDER)}))
GUESSES = np.round(np.arange(41) / 40, 3)


def steady(withheld: float, shown: float) -> Rates:
    return lambda _, lesson: (np.full(lesson.shape, withheld), np.full(lesson.shape, shown))


def halfway(first: tuple[float, float], then: tuple[float, float]) -> Rates:
    return lambda way, lesson: steady(*(first if way < 0.5 else then))(way, lesson)


WORLDS: dict[str, Rates] = {
    "no effect": steady(0.2, 0.2),
    "no effect, nine of ten sessions never end": steady(0.02, 0.02),
    "no effect, seasons": lambda way, lesson: ((rate := 0.2 + 0.15 * np.sin(20 * way) + 0.0 * lesson), rate),
    "no effect, one person floods": lambda way, lesson: ((rate := np.where(lesson % 2 == 0, 0.6, 0.1)), rate),
    "effect": steady(0.27, 0.06),
    "weak effect": steady(0.10, 0.03),
    "drift half-way": halfway((0.3, 0.05), (0.2, 0.2)),
    "turns half-way": halfway((0.35, 0.05), (0.05, 0.35)),
    "lessons differ, attention costs": lambda _, lesson: (
        np.where(lesson % 3 == 0, 0.5, 0.1),
        np.where(lesson % 3 == 0, 0.05, 0.14),
    ),
}


@dataclass
class Found:
    """Per team, of each method: whether it ever missed, when it first told the difference from 0, and what withholding had
    cost by then, in corrections."""

    missed: dict[str, NDArray[np.bool_]]
    told: dict[str, Floats]
    extra: dict[str, Floats]
    cells: betting.OccasionCounts
    capital: float
    """Log capital of the first team that the difference is above 0, as it was added up here."""

    def miss_bound(self, method: str) -> float:
        """The upper 95 % bound of the share of teams for which it missed at any look (Clopper and Pearson)."""
        count, many = int(self.missed[method].sum()), len(self.missed[method])
        return 1.0 if count == many else float(beta.ppf(0.95, count + 1, many - count))


def run(rates: Rates, occasions: int, teams: int, *, fixed: float | None = None, lessons: int = 60, seed: int = 1) -> Found:
    """Let ``teams`` teams meet ``occasions`` occasions each and look once a day at the least, 24 times or more in all."""
    random = np.random.default_rng(seed)
    places = np.arange(teams)
    chances = 1.0 / np.arange(1, lessons + 1)
    stakes, prior = betting._STAKE, betting._PRIOR
    cells = len(BANDS) * len(GUESSES)
    holdouts, guesses = (part.ravel() for part in np.meshgrid(BANDS, GUESSES, indexing="ij"))
    weights, values = holdouts * (1 - holdouts), betting._values(holdouts, guesses)
    counts = np.zeros((teams, cells, 4))
    of_lesson = np.zeros((teams, lessons, len(stakes)))
    whole = np.zeros((2, teams, len(stakes)))
    seen, corrected = np.zeros((teams, lessons, 2)), np.zeros((teams, lessons, 2))
    sums, squares = np.zeros((2, teams, len(betting.SCALES))), np.zeros((2, teams, len(betting.SCALES)))
    weight, truth, extra = np.zeros(teams), np.zeros(teams), np.zeros(teams)
    missed = {name: np.zeros(teams, dtype=bool) for name in ("betting", "empirical Bernstein")}
    told = {name: np.full(teams, np.inf) for name in missed}
    paid = {name: np.full(teams, np.nan) for name in missed}
    looks = {*np.geomspace(8, occasions, 30).astype(int).tolist(), *range(20, occasions + 1, 20)}
    checks = set(np.geomspace(8, occasions, 30).astype(int).tolist())
    for number in range(occasions):
        lesson = random.choice(lessons, size=teams, p=chances / chances.sum())
        evidence = logsumexp(of_lesson[places, lesson] + prior, axis=-1)
        band = _bands(evidence, fixed)
        h = BANDS[band]
        held = random.random(teams) < h
        with_, without = rates(number / occasions, lesson)[1], rates(number / occasions, lesson)[0]
        again = random.random(teams) < np.where(held, without, with_)
        guess = _guess(seen, corrected, places, lesson, h)
        z = (held - h) * (again - GUESSES[guess])
        cell = band * len(GUESSES) + guess
        counts[places, cell, np.where(held, 0, 2) + ~again] += 1
        for sign in (0, 1):
            signed = (1 - 2 * sign) * z
            lost = np.maximum((-(1 - 2 * sign) * values[cell]).max(axis=1), 0.0) + weights[cell]
            gained = np.log1p(np.minimum(stakes, betting.MOST_LOST / lost[:, None]) * signed[:, None])
            whole[sign] += gained
            if sign == 0:
                of_lesson[places, lesson] += gained
            for row, scale in enumerate(betting.SCALES):
                least, most = (1 - scale / h, scale / (1 - h)) if sign == 0 else (1 - scale / (1 - h), scale / h)
                part = (1 - 2 * sign) * (held - h) * (again - np.clip(GUESSES[guess], least, most))
                sums[sign, :, row] += part
                squares[sign, :, row] += part**2
        weight += h * (1 - h)
        truth += h * (1 - h) * (without - with_)
        extra += held * (without - with_)
        seen[places, lesson, held * 1] += 1
        corrected[places, lesson, held * 1] += again
        if number + 1 in looks:
            bar = np.log(2 / 0.05)
            low = lower_total(sums[0], squares[0], 0.025, betting.SCALES)
            high = -lower_total(sums[1], squares[1], 0.025, betting.SCALES)
            missed["empirical Bernstein"] |= (truth < low) | (truth > high)
            now = {
                "betting": (logsumexp(whole + prior, axis=-1) > bar).any(axis=0),
                "empirical Bernstein": (low > 0) | (high < 0),
            }
            for name, which in now.items():
                first = which & ~np.isfinite(told[name])
                told[name][first] = number + 1
                paid[name][first] = extra[first]
        if number + 1 in checks:
            missed["betting"] |= _rejected(counts, values, weights, truth / weight)
    paid = {name: np.where(np.isfinite(told[name]), paid[name], extra) for name in paid}
    used = counts[0].sum(axis=1) > 0
    first = betting.OccasionCounts(holdouts[used], guesses[used], counts[0][used])
    return Found(missed, told, paid, first, float(logsumexp(whole[0, 0] + prior)))


def _bands(evidence: Floats, fixed: float | None) -> Ints:
    """The place in BANDS of each team's holdout now."""
    chance = np.full(len(evidence), YOUNG if fixed is None else fixed)
    for capital, less in LADDER[::-1] if fixed is None else ():
        chance = np.where(evidence >= np.log(capital), less, chance)
    return np.argmin(np.abs(BANDS[None, :] - chance[:, None]), axis=1)


def _guess(seen: Floats, corrected: Floats, places: Ints, lesson: Ints, h: Floats) -> Ints:
    """The place in GUESSES of what is guessed before the coin."""
    overall = (corrected.sum(axis=1) + 0.1) / (seen.sum(axis=1) + 1)
    rate = (corrected[places, lesson] + 4 * overall) / (seen[places, lesson] + 4)
    return np.clip(np.round(((1 - h) * rate[:, 1] + h * rate[:, 0]) * 40).astype(np.int64), 0, 40)


def _rejected(counts: Floats, values: Floats, weights: Floats, truth: Floats) -> NDArray[np.bool_]:
    """Whether each team's betting interval leaves its truth out."""
    used = counts.sum(axis=(0, 2)) > 0
    counts, values, weights = counts[:, used], values[used], weights[used]
    out = np.zeros(len(truth), dtype=bool)
    for sign in (1, -1):
        lost = np.maximum((-sign * values).max(axis=1), 0.0) + weights
        gain = sign * (values[None] - (weights[None] * truth[:, None])[:, :, None])
        logs = np.stack(
            [
                (np.log1p(np.minimum(stake, betting.MOST_LOST / lost)[None, :, None] * gain) * counts).sum(axis=(1, 2))
                for stake in betting._STAKE
            ],
            axis=1,
        )
        out |= logsumexp(logs + betting._PRIOR, axis=1) > np.log(2 / 0.05)
    return out
