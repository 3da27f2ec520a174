"""What memory holds of one lesson and of people, as plain values for JSON: the daemon and the commands say the same."""

from __future__ import annotations

from typing import Any

from borgd.memory.memory import Memory


def numbers(memory: Memory, lesson: str) -> dict[str, Any]:
    """Belief, activation, trust and uses of ``lesson``. ``low`` and ``high`` bound the belief with 95 %."""
    weight, use = memory.weight(lesson), memory.use(lesson)
    belief = weight.belief
    low, high = belief.interval()
    disputes = (pair for pair in memory.succession().disputes if lesson in pair)
    return {
        "belief": {"alpha": belief.alpha, "beta": belief.beta, "mean": belief.mean, "low": low, "high": high},
        "activation": weight.activation,
        "dormant": weight.dormant,
        "consolidated": weight.consolidated,
        "trust": weight.trust,
        "uses": use._asdict(),
        "results": memory.results(lesson),
        "hidden_by": list(memory.succession().successors.get(lesson, ())),
        "disputed_by": sorted({name for pair in disputes for name in pair} - {lesson}),
    }


def trust_rows(memory: Memory) -> list[dict[str, Any]]:
    """The trust of everyone who wrote a lesson, by area, in a fixed order."""
    return [{"engineer": name, "area": area, "trust": value} for (name, area), value in memory.trusts().items()]
