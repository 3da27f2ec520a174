"""The real ``borg run`` whose wall clock a test moves: it adds the milliseconds that a file holds to the machine's.

``BORGD_SOAK_CLOCK`` names the file. What the daemon does each minute and hour it does each second, so that a day takes one.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from borgd import cli, clock
from borgd.server import service

PERIOD_S = 1.0


def run() -> None:
    """Serve until the signal; what reads the clock through its module reads the moved one."""
    moved = Path(os.environ["BORGD_SOAK_CLOCK"])

    def now_ms() -> int:
        return time.time_ns() // 1_000_000 + int(moved.read_text() or 0)

    clock.now_ms = now_ms
    service.MINUTE_S = service.HOUR_S = PERIOD_S
    sys.argv[1:] = ["run"]
    cli.main()


if __name__ == "__main__":
    run()
