"""The desktop and the machine's zone: used where they are there, never required, texts passed as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from borgd.clock import machine_zone
from borgd.stores.desktop_notice import _command, notify

NASTY = 'it\'s \\ a "title" $HOME `x` <b>&amp;\n-- @as []'


def _fake(directory: Path, name: str, body: str) -> dict[str, str]:
    program = directory / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return {"PATH": f"{directory}:/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}


def test_notify_send_gets_the_texts_as_arguments_with_markup_escaped(tmp_path: Path) -> None:
    env = _fake(tmp_path, "notify-send", f'for word in "$@"; do printf "%s\\0" "$word"; done > {tmp_path}/got')
    assert notify("--title", NASTY, env)
    words = (tmp_path / "got").read_text().split("\0")
    assert words[:4] == [
        "--app-name=borg",
        "--",
        "--title",
        NASTY.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    ]


@pytest.mark.parametrize("body", ["exit 1", "kill -9 $$"])
def test_a_service_that_fails_is_no_notification(tmp_path: Path, body: str) -> None:
    assert not notify("a", "b", _fake(tmp_path, "notify-send", body))


def test_no_desktop_no_notification(tmp_path: Path) -> None:
    assert not notify("a", "b", {"PATH": "/usr/bin"})
    assert not notify("a", "b", {"PATH": str(tmp_path), "DISPLAY": ":0"})
    assert not notify("a\0b", "c", _fake(tmp_path, "notify-send", "exit 0"))


@pytest.mark.skipif(
    not (shutil.which("gdbus") and shutil.which("dbus-run-session")), reason="needs gdbus and dbus-run-session"
)
def test_gdbus_reads_the_texts_as_text(tmp_path: Path) -> None:
    """On a bus of our own without a notification service the call gets as far as the missing service."""
    (tmp_path / "gdbus").symlink_to(shutil.which("gdbus") or "")
    command = _command("a 'title'", NASTY, {"PATH": str(tmp_path), "DISPLAY": ":0"})
    assert command is not None
    done = subprocess.run(
        ["dbus-run-session", "--", *command],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    assert "ServiceUnknown" in done.stderr, done.stderr


def test_the_zone_comes_from_tz_then_localtime_then_the_name_file(tmp_path: Path) -> None:
    assert machine_zone({"TZ": "Asia/Tokyo"}, tmp_path) == "Asia/Tokyo"
    assert machine_zone({"TZ": ":Asia/Tokyo"}, tmp_path) == "Asia/Tokyo"
    assert machine_zone({}, tmp_path) == "UTC"
    (tmp_path / "timezone").write_text("America/New_York\n")
    assert machine_zone({"TZ": "JST-9"}, tmp_path) == "America/New_York"
    zone = tmp_path / "zoneinfo" / "Europe" / "Berlin"
    zone.parent.mkdir(parents=True)
    zone.touch()
    (tmp_path / "localtime").symlink_to(zone)
    assert machine_zone({}, tmp_path) == "Europe/Berlin"
