"""A day of asks against a policy, without a journal: what each verdict would be, and the counters at the end. Pure.

Every ask is its own: nothing is joined, an admitted one counts as delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.accounts import InterruptAccount
from borgd.limits.interrupts.ceilings import InterruptPolicy
from borgd.limits.interrupts.exclusions import Exclusion, Exclusions
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict, decide
from borgd.limits.interrupts.windows import window_of


class InterruptReplay:
    """Counters of one replay."""

    def __init__(self, policy: InterruptPolicy, exclusions: Iterable[Exclusion] = ()) -> None:
        """:raises ConfigError: the policy's time zone is not known."""
        self.policy = policy
        self.account = InterruptAccount(window_of(policy))
        self.exclusions = Exclusions(exclusions)
        self.seen: set[str] = set()

    def spent(self, scope: str) -> int:
        return self.account.spent[scope]

    def excluded(self, source: str, now_ms: int) -> Exclusion | None:
        return self.exclusions.excluded(source, now_ms)

    def ask(self, ask: Ask, now_ms: int) -> InterruptVerdict:
        """The verdict on ``ask`` at ``now_ms``, charged where it is admitted."""
        self.account.advance(now_ms)
        verdict = decide(self, ask, self.policy, now_ms)
        self.seen.update(verdict.chain)
        if verdict.charged:
            self.account.charge(now_ms, verdict.chain, bypass=verdict.bypass)
        return verdict

    def counters(self) -> Iterator[tuple[str, dict[str, int]]]:
        """(scope as people read it, its spend, ceiling and bypasses), the root first."""
        for path in sorted({scopes.ROOT, *self.policy.local, *self.seen}):
            yield (
                scopes.shown(path),
                {
                    "spent": self.account.spent[path],
                    "ceiling": self.policy.ceiling(path),
                    "bypass": self.account.bypassed[path],
                },
            )
