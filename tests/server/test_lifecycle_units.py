"""The systemd units: what systemd itself says of them, and nothing in them that a user's systemd cannot do."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from borgd.protocol.address import socket_path
from tests.server.processes import ROOT

UNITS = ROOT / "systemd"
NEEDS_A_MOUNT_NAMESPACE = {
    "ProtectHome", "ProtectSystem", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables", "ProtectKernelModules",
    "ProtectControlGroups", "ReadOnlyPaths", "ReadWritePaths", "InaccessiblePaths", "BindPaths", "TemporaryFileSystem",
    "ProtectProc", "PrivateNetwork", "PrivateUsers", "DynamicUser", "User", "Group", "CapabilityBoundingSet",
    "ProtectClock", "ProtectHostname", "ProtectKernelLogs",
}  # fmt: skip


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNITS / name)
    return parser


def test_the_service_asks_for_nothing_that_a_user_unit_cannot_have() -> None:
    assert not NEEDS_A_MOUNT_NAMESPACE & set(unit("borgd.service")["Service"])
    assert unit("borgd.service")["Service"]["Type"] == "notify"
    assert unit("borgd.service")["Service"]["NoNewPrivileges"] == "yes"


def test_the_socket_is_where_clients_look(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    listen = unit("borgd.socket")["Socket"]["ListenStream"].replace("%t", str(tmp_path))
    assert listen == socket_path({"XDG_RUNTIME_DIR": str(tmp_path), "HOME": "/"}, tmp_path.stat().st_uid)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_finds_no_fault(tmp_path: Path) -> None:
    for name in ("borgd.service", "borgd.socket"):
        text = (UNITS / name).read_text().replace("%h/.local/bin/borgd", "/bin/true")
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *map(str, sorted(tmp_path.iterdir()))],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "borgd" in line]
    assert (done.returncode, ours) == (0, [])
