"""The real ``borg run`` for a client with a minute's patience: no answer is taken back because the machine was busy."""

from __future__ import annotations

import sys

from borgd.cli import main
from borgd.server import patience, server

patience.LONG_S = patience.SHORT_S = server.READ_S = server.WRITE_S = 60.0
sys.argv[1:] = ["run"]
main()
