"""One line on the person's desktop, through the system's own service where there is one. Never required, never raises.

notify-send first, else gdbus and the freedesktop notification interface. Texts come from agents: they are passed as
arguments, never through a shell, with markup escaped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from html import escape

SECONDS = 3.0
"""guard: how long the desktop may take."""


def notify(title: str, body: str, env: Mapping[str, str] | None = None) -> bool:
    """Show ``title`` and ``body``; whether a service took it."""
    env = os.environ if env is None else env
    command = _command(title, escape(body, quote=False), env)
    if command is None:
        return False
    try:
        done = subprocess.run(
            command,
            env=dict(env),
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _command(title: str, body: str, env: Mapping[str, str]) -> list[str] | None:
    if not (env.get("DBUS_SESSION_BUS_ADDRESS") or env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
        return None
    path = env.get("PATH")
    if program := shutil.which("notify-send", path=path):
        return [program, "--app-name=borg", "--", title, body]
    if program := shutil.which("gdbus", path=path):
        service = "org.freedesktop.Notifications"
        target = ["--dest", service, "--object-path", "/org/freedesktop/Notifications", "--method", f"{service}.Notify"]
        texts = [_literal(text) for text in (title, body)]
        return [
            program,
            "call",
            "--session",
            "--timeout",
            "2",
            *target,
            "'borg'",
            "0",
            "''",
            *texts,
            "@as []",
            "@a{sv} {}",
            "--",
            "-1",
        ]
    return None


def _literal(text: str) -> str:
    """``text`` as a GVariant string."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
