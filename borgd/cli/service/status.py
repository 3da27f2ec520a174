"""``borg status``: how the daemon does, in one screen: what lessons cost a day, what waits, what is wrong. Exit code 4: none
runs."""

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
    flags = flags_of(argv, "status", __doc__, json="one JSON document", all="every figure, a line each")
    asked = b'{"text":true,"all":true}' if "all" in flags else b'{"text":true}'
    answer = call("status", b"" if "json" in flags else asked, timeout_s=STATUS_S)
    if answer.status:
        raise BorgError(answer.err.decode("utf-8", "replace").strip() or "the daemon could not say how it is")
    print(answer.out.decode())
    return 0
