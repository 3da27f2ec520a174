"""Makes the linear detector's weights from labelled messages, and says how well they do on authors they have not seen.

Logistic regression with a ridge penalty, fitted by limited-memory BFGS (Nocedal and Wright, Numerical Optimization,
algorithm 7.4). Pure, deterministic, numpy only. Groups keep what belongs together on one side of a split: an author, a pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from borgd.errors import InputError
from borgd.lessons.corrections.detect import detect, spoken
from borgd.lessons.corrections.features import BITS, Features, features
from borgd.lessons.corrections.linear import Model, Thresholds
from borgd.lessons.corrections.verdict import rules_of

RIDGE = 0.05
"""tuned (``borg debug loop --cross-fit``): penalty on the squared weights."""
OFTEN = 2
"""tuned (``borg debug loop --cross-fit``): messages a feature must be in; what is in one alone is that one's own."""
MADE_BY = "H"
"""First letter of the ids of talk-own.jsonl."""
MADE = 0.2
"""tuned (``borg debug loop --cross-fit``): what a message of talk-own.jsonl counts, others 1."""
ITERATIONS = 200
"""method: steps of the fit at most."""
MEMORY = 12
"""method: steps that the curvature is estimated from."""
ENOUGH = 1e-7
"""method: relative gain of a step below which the fit is done."""
SURE_FALSE, DOUBTFUL_FALSE, INTERRUPTING_FALSE = 0.03, 0.22, 0.3
"""design: share of the labelled non-corrections that pass each threshold, cross-fitted. The sets are harder than a day's
talk (a third of them are pairs that look alike), so fewer pass there."""

Floats = NDArray[np.float64]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled message: ``said`` after the agent had said or done ``before``; ``pair`` names its twin's group."""

    id: str
    before: str
    said: str
    correction: bool
    lang: str = ""
    kind: str = ""
    pair: str = ""


class _Rows(NamedTuple):
    """Sparse rows: the value ``values[i]`` stands in row ``row[i]`` at column ``column[i]``."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    values: Floats
    rows: int
    columns: NDArray[np.int64]

    def times(self, weights: Floats) -> Floats:
        return np.bincount(self.row, self.values * weights[self.column], minlength=self.rows).astype(np.float64)

    def transposed_times(self, residuals: Floats) -> Floats:
        return np.bincount(self.column, self.values * residuals[self.row], minlength=len(self.columns)).astype(np.float64)


def read_messages(data: bytes, name: str) -> list[Message]:
    """The messages of a JSON Lines file.

    :raises InputError: a line is not a labelled message; names the file and the line.
    """
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=Message))
            except msgspec.DecodeError as error:
                raise InputError(name, f"expected a labelled message: {error}", line=number) from None
    return found


def train(messages: Sequence[Message]) -> Model:
    """The model of ``messages``, its thresholds set by cross-fitting over their authors."""
    found = [_features(message) for message in messages]
    labels, counts = _labels(messages), _counts(messages)
    talk = np.array([not message.id.startswith(MADE_BY) for message in messages])
    scores = cross_fit(messages, found)
    sure, doubtful, interrupting = (
        threshold(scores[talk], labels[talk], share) for share in (SURE_FALSE, DOUBTFUL_FALSE, INTERRUPTING_FALSE)
    )
    weights, bias = _fit(found, labels, counts)
    scale = float(np.abs(weights).max()) / 127 or 1.0
    quantised = np.round(weights / scale).astype(np.int8)
    return Model(quantised, scale, bias, Thresholds(sure, doubtful, interrupting))


def cross_fit(messages: Sequence[Message], found: Sequence[Features] | None = None) -> Floats:
    """The score of each message from weights that saw no message of its author (first letter of the id)."""
    found = found or [_features(message) for message in messages]
    labels, counts, authors = _labels(messages), _counts(messages), np.array([message.id[:1] for message in messages])
    scores = np.zeros(len(messages))
    for author in sorted(set(authors.tolist())):
        own = authors == author
        rest = [one for one, is_own in zip(found, own, strict=True) if not is_own]
        weights, bias = _fit(rest, labels[~own], counts[~own])
        scores[own] = [_score(one, weights, bias) for one, is_own in zip(found, own, strict=True) if is_own]
    return scores


def tested(trained_on: Sequence[Message], messages: Sequence[Message]) -> Floats:
    """The score of each of ``messages`` from weights made of ``trained_on`` alone."""
    weights, bias = _fit([_features(message) for message in trained_on], _labels(trained_on), _counts(trained_on))
    return np.array([_score(_features(message), weights, bias) for message in messages])


def threshold(scores: Floats, labels: NDArray[np.bool_], share: float) -> float:
    """The lowest score that at most ``share`` of the messages that are no correction reach."""
    others = np.sort(scores[~labels])[::-1]
    return float(np.nextafter(others[min(len(others) - 1, int(share * len(others) + 1e-9))], np.inf))


def heard(scores: Floats, labels: NDArray[np.bool_], share: float) -> float:
    """The share of corrections above ``threshold(…, share)``; NaN where there are none of either kind."""
    if labels.all() or not labels.any():
        return float("nan")
    return float((scores[labels] >= threshold(scores, labels, share)).mean())


def area(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """Area under the curve: how often a correction scores above a message that is not one."""
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    corrections = int(labels.sum())
    below = ranks[labels].sum() - corrections * (corrections - 1) / 2
    return float(below / (corrections * (len(labels) - corrections)))


def saved(model: Model) -> dict[str, NDArray[np.generic]]:
    """The arrays of ``weights.npz``: only the places that weigh something, as gaps from the one before."""
    places = np.flatnonzero(model.weights)
    return {
        "gaps": np.diff(places, prepend=0).astype(np.uint32),
        "weights": model.weights[places],
        "size": np.array(len(model.weights)),
        "numbers": np.array([model.scale, model.bias, *model.thresholds]),
    }


def _features(message: Message) -> Features:
    return features(spoken(message.said), message.before, rules_of(detect(message.said, message.before or "-")))


def _labels(messages: Iterable[Message]) -> NDArray[np.bool_]:
    return np.array([message.correction for message in messages])


def _score(found: Features, weights: Floats, bias: float) -> float:
    return float((weights[found.places] * found.values).sum() + bias)


def _rows(found: Sequence[Features]) -> _Rows:
    """Sparse rows over the places that at least OFTEN of the messages have."""
    counts = np.zeros(1 << BITS, dtype=np.int64)
    for one in found:
        counts[np.unique(one.places)] += 1
    columns = np.flatnonzero(counts >= OFTEN)
    row = np.repeat(np.arange(len(found)), [len(one.places) for one in found])
    places = np.concatenate([one.places for one in found])
    values = np.concatenate([one.values for one in found])
    kept = counts[places] >= OFTEN
    return _Rows(row[kept], np.searchsorted(columns, places[kept]), values[kept], len(found), columns)


def _counts(messages: Sequence[Message]) -> Floats:
    """How much each message counts: those written for the kinds that go wrong, without a day's talk around them, less."""
    return np.array([MADE if message.id.startswith(MADE_BY) else 1.0 for message in messages])


def _fit(found: Sequence[Features], labels: NDArray[np.bool_], counts: Floats) -> tuple[Floats, float]:
    """Weights for every place, and the bias, that make the labels likeliest under the penalty."""
    rows = _rows(found)
    signs = np.where(labels, 1.0, -1.0)

    def loss(point: Floats) -> tuple[float, Floats]:
        weights, bias = point[:-1], point[-1]
        margins = signs * (rows.times(weights) + bias)
        value = np.sum(counts * np.logaddexp(0, -margins)) + RIDGE / 2 * np.sum(weights * weights)
        residuals = -signs * counts / (1 + np.exp(np.minimum(margins, 500)))
        return float(value), np.append(rows.transposed_times(residuals) + RIDGE * weights, residuals.sum())

    point = np.zeros(len(rows.columns) + 1)
    value, gradient = loss(point)
    steps: list[tuple[Floats, Floats]] = []
    for _ in range(ITERATIONS):
        direction = -_downhill(gradient, steps)
        slope, length = float(np.sum(gradient * direction)), 1.0
        for _ in range(40):
            candidate = point + length * direction
            reached, new_gradient = loss(candidate)
            if reached <= value + 1e-4 * length * slope:
                break
            length /= 2
        moved, turned = candidate - point, new_gradient - gradient
        if np.sum(moved * turned) > 1e-12:
            steps = [*steps[1 - MEMORY :], (moved, turned)]
        done = abs(value - reached) < ENOUGH * max(1.0, abs(value))
        point, value, gradient = candidate, reached, new_gradient
        if done:
            break
    weights = np.zeros(1 << BITS)
    weights[rows.columns] = point[:-1]
    return weights, float(point[-1])


def _downhill(gradient: Floats, steps: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The gradient times the inverse curvature that ``steps`` (moved, turned) tell of."""
    result = gradient.copy()
    used = []
    for moved, turned in reversed(steps):
        share = np.sum(moved * result) / np.sum(moved * turned)
        result -= share * turned
        used.append(share)
    if steps:
        moved, turned = steps[-1]
        result *= np.sum(moved * turned) / np.sum(turned * turned)
    else:
        result /= max(1.0, float(np.sqrt(np.sum(gradient * gradient))))
    for (moved, turned), share in zip(steps, reversed(used), strict=True):
        result += (share - np.sum(turned * result) / np.sum(moved * turned)) * moved
    return result
