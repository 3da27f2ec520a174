"""``borg status``: what the daemon does now: requests, latencies, errors. Exit code 4: none runs."""

from __future__ import annotations

from borgd.cli.terminal_text import flags_of
from borgd.errors import BorgError
from borgd.protocol.client import call

STATUS_S = 3.0
"""design: seconds that a daemon has to say how it is."""


def run(argv: list[str]) -> int:
    """Print it.

    :raises NoDaemonError: none runs, or it does not answer.
    """
    flags = flags_of(argv, "status", __doc__, json="one JSON document")
    answer = call("status", b"" if flags else b'{"text":true}', timeout_s=STATUS_S)
    if answer.status:
        raise BorgError(answer.err.decode("utf-8", "replace").strip() or "the daemon could not say how it is")
    print(answer.out.decode())
    return 0
