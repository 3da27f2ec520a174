"""What has been spent in the current window, per scope, whatever the clock and the configuration do.

Charges are kept for good at the instant they were made; a window says which of them count. A clock set back, a changed time
zone or another kind of window un-spends nothing: what counted at the change goes on counting in the window that the change
leads to, until that window ends. A clock set far ahead and back again therefore costs one window, not all until then.
Mutable, pure: instants (milliseconds since the epoch) are passed in. Reading a scope's spend is one look-up.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass

from borgd.limits.interrupts.windows import DAY_MS, Window

NEVER_MS = 1 << 62


@dataclass
class _Charge:
    chain: tuple[str, ...]
    bypass: bool
    stands: bool = True


class InterruptAccount:
    """Charges and the counters of one window."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.spent: Counter[str] = Counter()
        self.bypassed: Counter[str] = Counter()
        self._charges: list[_Charge] = []
        self._instants: list[tuple[int, int]] = []
        """(instant, charge), sorted: when it was made, and each later change that it was carried over."""
        self._counted: set[int] = set()
        self._last_ms: int | None = None
        self._good_until_ms = 0

    def advance(self, now_ms: int, window: Window | None = None) -> None:
        """Make the counters those of ``window`` (None: the one before) at ``now_ms``."""
        changed = window is not None and window != self.window
        back = self._last_ms is not None and now_ms < self._last_ms
        if now_ms >= self._good_until_ms:
            self._count(now_ms)
        if window is not None and (changed or back):
            self._carry(now_ms, window)
        elif back:
            self._carry(now_ms, self.window)
        self._last_ms = now_ms

    def charge(self, now_ms: int, chain: tuple[str, ...], *, bypass: bool) -> int:
        """Charge every path of ``chain`` at ``now_ms``; the number to give it back by. Call ``advance`` before."""
        self._charges.append(_Charge(chain, bypass))
        charge = len(self._charges) - 1
        insort(self._instants, (now_ms, charge))
        self._add(charge, 1)
        self._good_until_ms = min(self._good_until_ms, self._ends(now_ms, now_ms))
        return charge

    def give_back(self, charge: int) -> None:
        """Undo the charge; a second time changes nothing."""
        if self._charges[charge].stands:
            self._charges[charge].stands = False
            if charge in self._counted:
                self._add(charge, -1)

    def _add(self, charge: int, sign: int) -> None:
        entry = self._charges[charge]
        self._counted.add(charge) if sign > 0 else self._counted.discard(charge)
        for path in entry.chain:
            self.spent[path] += sign
            if entry.bypass:
                self.bypassed[path] += sign

    def _carry(self, now_ms: int, window: Window) -> None:
        counted = set(self._counted)
        self.window = window
        self._count(now_ms)
        for charge in counted - self._counted:
            insort(self._instants, (now_ms, charge))
            self._add(charge, 1)
        self._good_until_ms = min(self._good_until_ms, self._ends(now_ms, now_ms))

    def _ends(self, instant_ms: int, now_ms: int) -> int:
        """When a charge made at ``instant_ms``, which counts at ``now_ms``, stops counting."""
        return instant_ms + DAY_MS if self.window.kind == "rolling" else self.window.span(now_ms)[1]

    def _count(self, now_ms: int) -> None:
        first, last = self.window.span(now_ms)
        here, after = bisect_left(self._instants, (first, 0)), bisect_left(self._instants, (last, 0))
        instants = [(at, charge) for at, charge in self._instants[here:after] if self._charges[charge].stands]
        wanted = {charge for _, charge in instants}
        for charge in self._counted - wanted:
            self._add(charge, -1)
        for charge in wanted - self._counted:
            self._add(charge, 1)
        changes = [self._ends(instants[0][0], now_ms)] if instants else []
        if self.window.kind == "day":
            changes.append(last)
        if after < len(self._instants):
            changes.append(self._instants[after][0])
        self._good_until_ms = min(changes, default=NEVER_MS)
