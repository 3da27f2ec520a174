"""The part of ``borg debug loop`` that makes the detector's weights anew and tests them on what they have not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from borgd.lessons.corrections import training
from borgd.lessons.corrections.training import Floats, Message

SHARES = (0.03, 0.05, 0.15, 0.25)
"""method: shares of the messages that are not corrections at which the curve is printed."""


def cross_fit_figures(sets: Mapping[str, Sequence[Message]]) -> dict[str, Any]:
    """By file (weights from the other files), by left-out author, and those scores by language and kind, pairs apart."""
    found: dict[str, Any] = {"trained_on_the_other_files": {}}
    for name, messages in sets.items():
        others = [message for other, rest in sets.items() if other != name for message in rest]
        if others:
            found["trained_on_the_other_files"][name] = _figures(messages, training.tested(others, messages))
    everything = [message for messages in sets.values() for message in messages]
    scores = training.cross_fit(everything)
    found["left_out_author"] = _by(everything, scores, lambda message: message.id[:1])
    found["language"] = _by(everything, scores, lambda message: message.lang or "?")
    found["pairs"] = _by(everything, scores, lambda message: "paired" if message.pair else "alone")
    found["kind"] = _kinds(everything, scores)
    return found


def _by(messages: Sequence[Message], scores: Floats, group: Any) -> dict[str, Any]:
    groups = [group(message) for message in messages]
    found = {}
    for name in sorted(set(groups)):
        own = np.array([one == name for one in groups])
        found[name] = _figures([message for message, is_own in zip(messages, own, strict=True) if is_own], scores[own])
    return found


def _figures(messages: Sequence[Message], scores: Floats) -> dict[str, float]:
    labels = np.array([message.correction for message in messages])
    if labels.all() or not labels.any():
        return {"messages": len(messages)}
    curve = {f"heard_at_{share:.2f}": round(training.heard(scores, labels, share), 3) for share in SHARES}
    return {"messages": len(messages), "area": round(training.area(scores, labels), 3), **curve}


def _kinds(messages: Sequence[Message], scores: Floats) -> dict[str, dict[str, float]]:
    """The share of each kind that passes the threshold of each share of false ones, all authors together."""
    labels = np.array([message.correction for message in messages])
    kinds = np.array([message.kind for message in messages])
    limits = {f"{share:.2f}": training.threshold(scores, labels, share) for share in SHARES}
    return {
        f"{kind} ({'correction' if label else 'none'})": {
            name: round(float((scores[chosen] >= limit).mean()), 3) for name, limit in limits.items()
        }
        for label in (True, False)
        for kind in sorted(set(kinds[labels == label].tolist()))
        if (chosen := (kinds == kind) & (labels == label)).any()
    }


def cross_fit_lines(found: Mapping[str, Any]) -> list[str]:
    """The figures as a person reads them."""
    lines = []
    for title, groups in found.items():
        lines.append(f"\n{title.replace('_', ' ')}")
        for name, values in groups.items():
            lines.append(f"  {name:<34} " + "  ".join(f"{key.replace('_', ' ')} {value}" for key, value in values.items()))
    return lines
