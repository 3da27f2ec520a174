"""Runs a command in a terminal of its own and types for a person: ``tty KEYS command …``. Prints what the screen got.

KEYS are typed one at a time, each when the program has gone quiet after asking; ``\\n`` is Enter, ``^C`` control C.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys

QUIET_S = 0.4
"""How long a program says nothing before it counts as asking."""
LONGEST_S = 30.0


def main() -> int:
    """The command's exit code."""
    keys = sys.argv[1].replace("^C", "\x03").replace("\\n", "\n")
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it, and so would this
        os.execvp(sys.argv[2], sys.argv[2:])
    waited, seen = 0.0, False
    while True:
        ready, _, _ = select.select([terminal], [], [], QUIET_S)
        try:
            data = os.read(terminal, 65536) if ready else b""
        except OSError:  # Linux says EIO where the other end has gone
            break
        if ready and not data:
            break
        waited = 0.0 if ready else waited + QUIET_S
        seen = seen or bool(data)
        sys.stdout.buffer.write(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        if not ready and seen and keys:
            os.write(terminal, keys[:1].encode())
            keys, seen = keys[1:], False
        elif waited > LONGEST_S:
            os.kill(child, 9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.exit(code if code >= 0 else 128 - code)
