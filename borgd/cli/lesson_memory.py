"""What the terminal says of memory: beliefs, uses, trust and the outcomes they rest on, folded from the journals."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from borgd.cli.lesson_files import complain, settings, team
from borgd.journal import Journal
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import Store
from borgd.memory.columns import Columns
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome
from borgd.memory.shared import anonymous
from borgd.paths import places


class Remembered(NamedTuple):
    """The fold, and what it was folded from."""

    memory: Memory
    outcomes: list[Outcome]

    def of(self, lesson: str) -> list[Outcome]:
        """The outcomes of one lesson, oldest first, each once."""
        found = {outcome.id: outcome for outcome in self.outcomes if outcome.lesson == lesson}
        return sorted(found.values(), key=lambda outcome: (outcome.ms, outcome.id))


def remember(store: Store) -> Remembered:
    """Memory of every outcome here and in the team's files; what could not be read is said on standard error."""
    path, outcomes = places().journal("outcomes"), list[Outcome]()
    if path.exists():
        reading = Journal(path).read(Outcome)
        complain(f"{path}:{damage.line}: {damage.reason}" for damage in reading.damage if damage.lost)
        outcomes = reading.records
    columns, others = Columns(), team()
    columns.extend(outcomes if others is None else (anonymous(one, others.salt) for one in outcomes))
    for batch in others.new_outcomes() if others else ():
        columns.extend(batch)
        outcomes.extend(batch)
    lessons = {lesson.id: lesson for lesson in store.current()}
    return Remembered(Memory.of_columns(lessons, columns, aliases=settings().people.aliases), outcomes)


def numbers(memory: Memory, lesson: Lesson) -> dict[str, object]:
    """What memory holds of ``lesson``, for JSON. ``low`` and ``high`` bound the belief with 95 %."""
    weight, use = memory.weight(lesson.id), memory.use(lesson.id)
    belief = weight.belief
    low, high = belief.interval()
    disputes = (pair for pair in memory.succession().disputes if lesson.id in pair)
    return {
        "belief": {"alpha": belief.alpha, "beta": belief.beta, "mean": belief.mean, "low": low, "high": high},
        "activation": weight.activation,
        "dormant": weight.dormant,
        "consolidated": weight.consolidated,
        "trust": weight.trust,
        "uses": msgspec.to_builtins(use._asdict()),
        "results": memory.results(lesson.id),
        "hidden_by": list(memory.succession().heirs.get(lesson.id, ())),
        "disputed_by": sorted({name for pair in disputes for name in pair} - {lesson.id}),
    }


def told(memory: Memory, lesson: Lesson) -> str:
    """What memory holds of ``lesson``, for a person."""
    weight, use = memory.weight(lesson.id), memory.use(lesson.id)
    low, high = weight.belief.interval()
    state = ", ".join(name for name, holds in (("dormant", weight.dormant), ("consolidated", weight.consolidated)) if holds)
    heirs = memory.succession().heirs.get(lesson.id, ())
    rows = [
        ("belief", f"{weight.belief.mean:.2f} (95 %: {low:.2f} to {high:.2f})"),
        ("activation", f"{weight.activation:.2f}{f', {state}' if state else ''}"),
        ("uses", f"{use.sessions} sessions, {use.repositories} repositories, {use.engineers} engineers"),
        ("trust", f"{weight.trust:.2f}"),
        ("hidden by", ", ".join(heirs)),
    ]
    return "\n".join(f"  {name:<12} {value}" for name, value in rows if value)
