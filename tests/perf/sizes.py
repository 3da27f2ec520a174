"""Sizes of the benchmarks: the full ones by hand, small ones where ``BORGD_PERF=quick`` asks only whether they run."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

QUICK = os.environ.get("BORGD_PERF", "") == "quick"


def sized(full: T, quick: T) -> T:
    """``quick`` where ``BORGD_PERF=quick``, else ``full``."""
    return quick if QUICK else full
