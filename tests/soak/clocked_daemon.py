"""The real ``borg run`` whose wall clock a test moves: it adds the milliseconds that a file holds to the machine's.

``BORGD_SOAK_CLOCK`` names the file: eight bytes, the lowest first. What the daemon does each minute and hour it does each
second, so that a day takes one.
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from pathlib import Path

from borgd import cli, clock
from borgd.server import service

PERIOD_S = 1.0


def run() -> None:
    """Serve until the signal; what reads the clock through its module reads the moved one."""
    with Path(os.environ["BORGD_SOAK_CLOCK"]).open("rb") as file:
        moved = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)

    def now_ms() -> int:
        return time.time_ns() // 1_000_000 + int.from_bytes(moved[:8], "little", signed=True)

    clock.now_ms = now_ms
    service.MINUTE_S = service.HOUR_S = PERIOD_S
    sys.argv[1:] = ["run"]
    cli.main()


if __name__ == "__main__":
    run()
