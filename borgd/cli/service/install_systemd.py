"""``borg install systemd``: borgd as a user service with socket activation. Writes nothing without ``--apply``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from borgd.files import replace_file
from borgd.paths import shipped

UNITS = ("borgd.socket", "borgd.service")


def directory() -> Path:
    """Where the user's own units live."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config.startswith("/") else Path.home() / ".config") / "systemd" / "user"


def unit(name: str) -> str:
    """The unit ``name`` for this installation: started by this interpreter, whatever is on the PATH."""
    text = (shipped("systemd") / name).read_text()
    started = f"ExecStart={_quoted(sys.executable)} -I -m borgd run"
    return "\n".join(started if line.startswith("ExecStart=") else line for line in text.split("\n"))


def _quoted(path: str) -> str:
    escaped = path.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def run(uninstall: bool, apply: bool) -> int:
    """Show or apply; the exit code."""
    for name in UNITS:
        path = directory() / name
        if uninstall:
            there = path.exists()
            if apply:
                path.unlink(missing_ok=True)
            print(f"{path}: {'removed' if apply else 'would be removed'}" if there else f"{path}: not there")
        elif path.exists() and path.read_text() == unit(name):
            print(f"{path}: nothing to change")
        else:
            if apply:
                replace_file(path, unit(name).encode(), 0o644)
            print(f"{path}: {'written' if apply else 'would be written'}" + ("" if apply else f"\n\n{unit(name)}"))
    word = "disable" if uninstall else "enable"
    print(f"Then: systemctl --user daemon-reload && systemctl --user {word} --now borgd.socket")
    if not apply:
        print(f"Nothing was written. To do it: borg {'un' if uninstall else ''}install systemd --apply")
    return 0
