"""The optional grader: a command of the user's that reads JSON and answers grades. Off by default, never waited for long.

In: ``{"context": text, "lessons": [{"id", "question", "consequence"}]}``. Out: ``{"<id>": 1|2|3}``; ids left out: 0.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import anyio
import msgspec

from borgd.lessons.lesson import Lesson

GRADER_SECONDS = 0.6
"""guard: a Stop waits this long; the client's own deadline is 1 s."""
GRADER_LESSONS = 200
"""guard: lessons offered to the grader."""

INSIDE = "BORGD_INSIDE"
"""method: set for what we start: where it is, our hooks say nothing, so that a grader which is an agent calls no grader."""


class Grader:
    """Runs ``command`` (empty: none). ``failures`` counts answers that did not come or were not grades."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self.command = command
        self.failures = 0

    async def grade(self, context: str, lessons: Sequence[Lesson]) -> dict[str, int] | None:
        """Grades by lesson id; None: no grader, nothing to grade, or it failed: the words decide alone."""
        if not self.command or not lessons:
            return None
        offered = [{"id": one.id, "question": one.question, "consequence": one.consequence} for one in lessons]
        body = msgspec.json.encode({"context": context, "lessons": offered})
        try:
            with anyio.fail_after(GRADER_SECONDS):
                env = {**os.environ, INSIDE: "1"}
                done = await anyio.run_process(list(self.command), input=body, check=False, env=env)
            grades = msgspec.json.decode(done.stdout, type=dict[str, int]) if done.returncode == 0 else None
        except (OSError, TimeoutError, msgspec.DecodeError):
            grades = None
        if grades is None:
            self.failures += 1
            return None
        known = {one.id for one in lessons}
        return {name: grade for name, grade in grades.items() if name in known and 1 <= grade <= 3}
