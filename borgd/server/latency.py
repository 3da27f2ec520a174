"""What the server counts: connections, requests, errors, and per hook event a latency histogram. Bounded in size."""

from __future__ import annotations

import math

BUCKETS_PER_DOUBLING = 8
"""method: a percentile is at most 2^(1/8), 9 %, above the true one."""
LOWEST_US = 8.0
"""method: microseconds; all below is one bucket."""
BUCKETS = 8 * 24
"""method: up to 8 µs × 2^24, two minutes; all above is one bucket."""
MAX_KEYS = 128
"""guard: kinds of event with a histogram of their own; the rest share one."""


class LatencyHistogram:
    """A histogram of durations with logarithmic buckets."""

    __slots__ = ("_counts", "count", "worst_us")

    def __init__(self) -> None:
        self._counts = [0] * BUCKETS
        self.count = 0
        self.worst_us = 0.0

    def add(self, microseconds: float) -> None:
        """Count one duration."""
        self.count += 1
        self.worst_us = max(self.worst_us, microseconds)
        place = int(math.log2(microseconds / LOWEST_US) * BUCKETS_PER_DOUBLING) + 1 if microseconds > LOWEST_US else 0
        self._counts[min(place, BUCKETS - 1)] += 1

    def percentile_us(self, share: float) -> float:
        """The smallest bucket bound (at most the worst) that holds ``share`` of the durations; 0 where there are none."""
        needed = math.ceil(share * self.count)
        seen = 0
        for place, count in enumerate(self._counts):
            seen += count
            if seen >= needed and count:
                return min(self.worst_us, LOWEST_US * math.exp2(place / BUCKETS_PER_DOUBLING))
        return self.worst_us

    def summary(self) -> dict[str, float | int]:
        """count, and p50, p95, p99, max in milliseconds."""
        percentiles = {f"p{round(share * 100)}_ms": self.percentile_us(share) for share in (0.5, 0.95, 0.99)}
        rounded = {name: round(value / 1000, 3) for name, value in {**percentiles, "max_ms": self.worst_us}.items()}
        return {"count": self.count, **rounded}


class LatencyTable:
    """The counters of one server's life."""

    def __init__(self) -> None:
        self.connections = 0
        self.open = 0
        self.in_flight = 0
        self.requests = 0
        self.refused = 0
        self.malformed = 0
        self.crashes = 0
        self.abandoned = 0
        self._latency: dict[str, LatencyHistogram] = {}

    def record(self, key: str, microseconds: float) -> None:
        """Count one answered hook of the kind ``key``."""
        latency = self._latency.get(key)
        if latency is None:
            if len(self._latency) >= MAX_KEYS:
                key = "other"
            latency = self._latency.setdefault(key, LatencyHistogram())
        latency.add(microseconds)

    def summary(self) -> dict[str, object]:
        """All of it as one JSON-ready mapping."""
        return {
            "connections": {
                "total": self.connections,
                "open": self.open,
                "refused": self.refused,
                "abandoned": self.abandoned,
            },
            "requests": self.requests,
            "in_flight": self.in_flight,
            "errors": {"crashes": self.crashes, "malformed": self.malformed},
            "hooks": {key: latency.summary() for key, latency in sorted(self._latency.items())},
        }
