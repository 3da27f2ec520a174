"""Tests that were red before the ask and green after it."""

from __future__ import annotations

import re
from typing import NamedTuple

_RUNNER = re.compile(
    r"(?:^|[\s;&|(/])(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|ctest|rspec|phpunit|minitest|prove|bats)\b"
    r"|\b(?:npm|pnpm|yarn|bun|deno|go|cargo|dotnet|mvn|gradle|gradlew|mix|swift|make|just|rake|sbt|stack|cabal|flutter)\b"
    r"[^;&|]*\b(?:test|tests|check|verify|nextest)\b",
)


class SuiteRun(NamedTuple):
    """A run of a test suite: the command with white space folded, and whether it ended well."""

    command: str
    passed: bool


def suite_run(command: str, *, failed: bool) -> SuiteRun | None:
    """``command`` as a run of a test suite, None where it is none."""
    if not _RUNNER.search(command[:4000]):
        return None
    return SuiteRun(" ".join(command.split())[:300], not failed)
