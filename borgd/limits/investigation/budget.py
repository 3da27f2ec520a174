"""BudgetPolicy: how much one investigation may use before it must end. Arithmetic on counters and a clock, nothing else.

One rule for all limits: before the next unit, ``used + n > limit`` is exhausted. It is asked before the action runs, so a
limit of 8 means that the ninth does not happen. Limits are whole numbers of calls, turns, documents and tokens, and seconds.

Wall time counts in milliseconds and tokens in tokens, and any action needs at least one of each. Tokens are known only
afterwards: they are charged as they are reported, and what is over stops the next action. A token limit that nobody
reports to and no counter serves cannot stop anything; ``unenforceable`` says so instead of pretending.

What several callers ask for at once is reserved in one step and settled when it is done: the sum never passes the limit.
The clock is passed in and must not be read here. Not for several threads at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

import msgspec

from borgd.errors import LimitError

BUDGETS = (
    "max_iterations",
    "max_retrieval_calls",
    "max_subqueries",
    "max_graph_expansions",
    "max_evidence_documents",
    "max_wall_time_seconds",
    "max_context_tokens",
    "max_model_tokens",
)
"""design: the limits, in the order in which they are checked; the first that is exhausted is named."""

TOKEN_BUDGETS = ("max_context_tokens", "max_model_tokens")
WALL = "max_wall_time_seconds"
EVIDENCE = "max_evidence_documents"

RESERVATION_TTL_MS = 600_000
"""guard: after ten minutes, the longest a host lets a tool run, a reservation nobody settled counts as used."""

REMEMBERED_DOCUMENTS = 4_096
"""guard: distinct documents remembered per investigation; past it each read counts as a new one."""

TokenCounter = Callable[[str], int]


class BadLimitError(LimitError, ValueError):
    """What is given is not a limit; also a ValueError, so that a record that holds it is told as damage."""


Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one investigation; None: no limit of that kind.

    :raises BadLimitError: a count that is not a whole number from 0 up, or seconds that are not a finite number from 0 up.
    """

    max_iterations: int | None = 4
    max_retrieval_calls: int | None = 8
    max_subqueries: int | None = 8
    max_evidence_documents: int | None = 64
    max_graph_expansions: int | None = 4
    max_wall_time_seconds: float | None = 30.0
    max_context_tokens: int | None = None
    max_model_tokens: int | None = None

    def __post_init__(self) -> None:
        for budget in BUDGETS:
            value: Any = getattr(self, budget)
            if value is None:
                continue
            if budget == WALL:
                sound = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
                expected = "seconds as a finite number from 0 up"
            else:
                sound = isinstance(value, int) and not isinstance(value, bool) and value >= 0
                expected = "a whole number from 0 up"
            if not sound:
                raise BadLimitError(f"{budget}: expected {expected}, or none, not {value!r}")

    def of(self, budget: str) -> float | None:
        """The limit called ``budget``."""
        value: float | None = getattr(self, budget)
        return value


class Units(msgspec.Struct, frozen=True, kw_only=True):
    """What an action uses. ``documents`` are the names of what it reads; only those not read before count."""

    iterations: Count = 0
    retrieval_calls: Count = 0
    subqueries: Count = 0
    graph_expansions: Count = 0
    documents: tuple[str, ...] = ()
    context_tokens: Count = 0
    model_tokens: Count = 0

    def of(self, budget: str) -> int:
        """Units of ``budget``, documents apart."""
        value: int = getattr(self, budget.removeprefix("max_"))
        return value


class Exhausted(msgspec.Struct, frozen=True, kw_only=True):
    """Which budget stops the next unit: its ``limit``, what is ``spent`` of it, and the ``stage`` that was to run."""

    budget: str
    limit: float
    spent: float
    stage: str = "investigate"

    @property
    def text(self) -> str:
        """``8 of 8 retrieval calls``."""
        name = self.budget.removeprefix("max_").replace("_", " ")
        unit = name.removesuffix(" seconds")
        return f"{self.spent:g} of {self.limit:g} {'seconds of ' + unit if unit != name else unit}"


@dataclass(frozen=True, slots=True)
class _Reservation:
    units: Units
    expires_ms: int


class BudgetPolicy:
    """One investigation's limits and what it has used of them. All times are milliseconds of one clock."""

    def __init__(
        self,
        *,
        max_iterations: int | None = 4,
        max_retrieval_calls: int | None = 8,
        max_subqueries: int | None = 8,
        max_evidence_documents: int | None = 64,
        max_graph_expansions: int | None = 4,
        max_wall_time_seconds: float | None = 30.0,
        max_context_tokens: int | None = None,
        max_model_tokens: int | None = None,
        token_counter: TokenCounter | None = None,
    ) -> None:
        self.limits = Limits(
            max_iterations=max_iterations,
            max_retrieval_calls=max_retrieval_calls,
            max_subqueries=max_subqueries,
            max_evidence_documents=max_evidence_documents,
            max_graph_expansions=max_graph_expansions,
            max_wall_time_seconds=max_wall_time_seconds,
            max_context_tokens=max_context_tokens,
            max_model_tokens=max_model_tokens,
        )
        self.token_counter = token_counter
        self.cached_tokens = 0
        """Tokens the model read from its cache: told, and charged to no limit (they were charged when they were new)."""
        self._used: Counter[str] = Counter()
        self._documents: set[str] = set()
        self._reserved: dict[str, _Reservation] = {}
        self._reported: set[str] = set()
        self._started_ms: int | None = None
        self._now_ms = 0

    @classmethod
    def of(cls, limits: Limits, token_counter: TokenCounter | None = None) -> BudgetPolicy:
        """A fresh account under ``limits``."""
        return cls(**msgspec.structs.asdict(limits), token_counter=token_counter)

    def start(self, now_ms: int) -> None:
        """Begin the wall clock. Again: nothing; a running investigation gets no second clock."""
        self._tick(now_ms)
        if self._started_ms is None:
            self._started_ms = now_ms

    def extend(self, limits: Limits) -> None:
        """Go on under other ``limits``; what was used stays used."""
        self.limits = limits

    def _tick(self, now_ms: int) -> None:
        """A clock set back gives no time back; what was reserved too long ago counts as used."""
        self._now_ms = max(self._now_ms, now_ms)
        late = [key for key, held in self._reserved.items() if held.expires_ms <= self._now_ms]
        for held in [self._reserved.pop(key) for key in late]:
            self._charge(held.units)

    def used(self, budget: str) -> float:
        """Used and reserved of ``budget``, in its limit's unit."""
        if budget == WALL:
            return 0.0 if self._started_ms is None else (self._now_ms - self._started_ms) / 1000
        if budget == EVIDENCE:
            return self._used[budget] + len(self._reserved_documents())
        return self._used[budget] + sum(held.units.of(budget) for held in self._reserved.values())

    def _reserved_documents(self) -> set[str]:
        return {name for held in self._reserved.values() for name in held.units.documents} - self._documents

    def _wanted(self, budget: str, want: Units) -> float:
        if budget == WALL:
            return 0.001
        if budget == EVIDENCE:
            return len(set(want.documents) - self._documents - self._reserved_documents())
        return max(1, want.of(budget)) if budget in TOKEN_BUDGETS else want.of(budget)

    def _enforced(self, budget: str) -> bool:
        if budget == WALL:
            return self._started_ms is not None
        return budget not in TOKEN_BUDGETS or self.token_counter is not None or budget in self._reported

    def check(self, now_ms: int, want: Units | None = None) -> Exhausted | None:
        """The first budget that the next action would pass, None when it may run.

        :param want: what the action uses; nothing given: an action that uses time and tokens only.
        """
        self._tick(now_ms)
        for budget in BUDGETS:
            limit = self.limits.of(budget)
            if limit is None or not self._enforced(budget):
                continue
            if self._over(budget, limit, self._wanted(budget, want or Units())):
                return Exhausted(budget=budget, limit=limit, spent=self.used(budget))
        return None

    def _over(self, budget: str, limit: float, wanted: float) -> bool:
        if budget != WALL:
            return self.used(budget) + wanted > limit
        assert self._started_ms is not None
        return self._now_ms - self._started_ms + 1 > limit * 1000

    def debit_iteration(self, now_ms: int, n: int = 1, *, happened: bool = False) -> Exhausted | None:
        """Charge ``n`` assistant turns, or say what is exhausted and charge nothing.

        :param happened: what is told of has happened already, so it is charged whether or not there was room.
        """
        return self._debit(now_ms, Units(iterations=_count(n)), happened=happened)

    def debit_retrieval(self, now_ms: int, n: int = 1, *, happened: bool = False) -> Exhausted | None:
        """Charge ``n`` searches or reads, or say what is exhausted and charge nothing."""
        return self._debit(now_ms, Units(retrieval_calls=_count(n)), happened=happened)

    def debit_subquery(self, now_ms: int, n: int = 1, *, happened: bool = False) -> Exhausted | None:
        """Charge ``n`` spawned agents, or say what is exhausted and charge nothing."""
        return self._debit(now_ms, Units(subqueries=_count(n)), happened=happened)

    def debit_graph_expansion(self, now_ms: int, n: int = 1, *, happened: bool = False) -> Exhausted | None:
        """Charge ``n`` symbol, reference or call-graph lookups, or say what is exhausted and charge nothing."""
        return self._debit(now_ms, Units(graph_expansions=_count(n)), happened=happened)

    def debit_evidence(self, now_ms: int, documents: Iterable[str], *, happened: bool = False) -> Exhausted | None:
        """Charge the ``documents`` not read before, all or none of them, or say what is exhausted."""
        return self._debit(now_ms, Units(documents=tuple(documents)), happened=happened)

    def _debit(self, now_ms: int, units: Units, *, happened: bool) -> Exhausted | None:
        exhausted = self.check(now_ms, units)
        if exhausted is None or happened:
            self._add(units)
        return exhausted

    def debit_tokens(
        self, now_ms: int, *, context: int | str | None = None, model: int | str | None = None, cached: int = 0
    ) -> Exhausted | None:
        """Charge tokens that were used: they cannot be refused any more. Says what is exhausted now.

        :param context: tokens newly put before the model, or the text, for ``token_counter`` to count; None: not reported.
        :param model: tokens the model wrote, likewise.
        :param cached: tokens read from the cache, kept apart.
        :raises LimitError: a number that is not a count, or a text and no counter.
        """
        for budget, amount in (("max_context_tokens", context), ("max_model_tokens", model)):
            if amount is None:
                continue
            if isinstance(amount, str):
                if self.token_counter is None:
                    raise LimitError(f"{budget}: a text was given and no token_counter to count it")
                self._used[budget] += _count(self.token_counter(amount))
            else:
                self._used[budget] += _count(amount)
                self._reported.add(budget)
        self.cached_tokens += _count(cached)
        return self.check(now_ms)

    def _charge(self, units: Units) -> None:
        """A call has run: debit each thing that it used."""
        now_ms = self._now_ms
        if units.iterations:
            self.debit_iteration(now_ms, units.iterations, happened=True)
        if units.retrieval_calls:
            self.debit_retrieval(now_ms, units.retrieval_calls, happened=True)
        if units.subqueries:
            self.debit_subquery(now_ms, units.subqueries, happened=True)
        if units.graph_expansions:
            self.debit_graph_expansion(now_ms, units.graph_expansions, happened=True)
        if units.documents:
            self.debit_evidence(now_ms, units.documents, happened=True)
        self._add(Units(context_tokens=units.context_tokens, model_tokens=units.model_tokens))

    def _add(self, units: Units) -> None:
        for budget in BUDGETS:
            if budget not in (WALL, EVIDENCE):
                self._used[budget] += units.of(budget)
        new = set(units.documents) - self._documents
        self._used[EVIDENCE] += len(new)
        if len(self._documents) + len(new) <= REMEMBERED_DOCUMENTS:
            self._documents |= new

    def hold(self, key: str, want: Units, now_ms: int, ttl_ms: int = RESERVATION_TTL_MS) -> None:
        """Set ``want`` aside for the call ``key``, whether or not there is room: ``check`` says whether there is.

        The same key again keeps its first reservation and is not counted twice.
        """
        self._tick(now_ms)
        self._reserved.setdefault(key, _Reservation(want, self._now_ms + ttl_ms))

    def settle(self, key: str, now_ms: int, actual: Units | None = None) -> None:
        """The call ``key`` ran: charge ``actual`` (None: what was reserved). An unknown key charges ``actual`` alone."""
        self._tick(now_ms)
        held = self._reserved.pop(key, None)
        if actual is not None:
            self._charge(actual)
        elif held is not None:
            self._charge(held.units)

    def release(self, key: str, now_ms: int) -> bool:
        """The call ``key`` did not run: give back what was reserved. False where nothing was, or it is charged already."""
        self._tick(now_ms)
        return self._reserved.pop(key, None) is not None

    def spent(self, now_ms: int | None = None) -> dict[str, Any]:
        """What is used, by budget without its ``max_``, and what else there is to know, as JSON values."""
        if now_ms is not None:
            self._tick(now_ms)
        amounts = {budget.removeprefix("max_"): self.used(budget) for budget in BUDGETS}
        return {
            **amounts,
            "cached_tokens": self.cached_tokens,
            "in_flight": len(self._reserved),
            "unenforceable": self.unenforceable(),
        }

    def remaining(self, now_ms: int | None = None) -> dict[str, float | None]:
        """What is left, by budget without its ``max_``, never below 0; None: no limit, or one that cannot be enforced."""
        if now_ms is not None:
            self._tick(now_ms)
        left: dict[str, float | None] = {}
        for budget in BUDGETS:
            limit = self.limits.of(budget)
            known = limit is not None and (budget == WALL or self._enforced(budget))
            left[budget.removeprefix("max_")] = max(0, limit - self.used(budget)) if limit is not None and known else None
        return left

    def unenforceable(self) -> list[str]:
        """The token limits that are set and that nothing counts for: no usage was reported, no counter was given."""
        return [budget for budget in TOKEN_BUDGETS if self.limits.of(budget) is not None and not self._enforced(budget)]


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise LimitError(f"expected a whole number from 0 up to charge, not {n!r}")
    return n
