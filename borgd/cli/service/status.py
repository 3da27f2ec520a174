"""``borg status``: what the daemon does now. Asked often, so it must start like bare Python: arguments are read by hand."""

from __future__ import annotations

from borgd.errors import BorgError, UsageError
from borgd.protocol.client import call

USAGE = "usage: borg status [--json]\n\nWhat the daemon does now: requests, latencies, errors. Exit code 4: none runs."
STATUS_S = 3.0
"""design: seconds that a daemon has to say how it is."""


def run(argv: list[str]) -> int:
    """Print it.

    :raises NoDaemonError: none runs, or it does not answer.
    """
    if argv and argv[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if argv not in ([], ["--json"]):
        raise UsageError(f"borg status takes only --json, not {' '.join(argv)!r}")
    answer = call("status", b"" if argv else b'{"text":true}', timeout_s=STATUS_S)
    if answer.status:
        raise BorgError(answer.err.decode("utf-8", "replace").strip() or "the daemon could not say how it is")
    print(answer.out.decode())
    return 0
