"""A team of fifty: how long a daemon takes to have heard all of it, how soon a new line counts, what commands take.

Real files, a real daemon, real commands. Prints seconds; asserts that every case ran and that all said the same. The
files take 0.3 GB per million outcomes in the temporary directory. ``first`` is with nothing kept, ``again`` with the
columns of unchanged files kept, ``asked`` with the daemon that runs; the baseline is a bare decode of the same bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from borgd.journal import Journal
from borgd.memory.records import Outcome
from borgd.memory.shared import EVIDENCE
from borgd.protocol.client import call
from tests.perf.sizes import sized
from tests.server.support import lesson, running_daemon, write_config, write_lessons

pytestmark = [pytest.mark.perf, pytest.mark.timeout(1200)]

MEMBERS = sized(50, 10)
OUTCOMES = sized(100_000, 5_000)
"""Per member."""
LESSONS = 500
OLD_NS = 3600 * 10**9
SALT = "00112233445566778899aabbccddeeff"
KINDS = np.array(["changed", "ignored", "not_arisen", "corrected", "not_corrected"])
COMMANDS = [
    ("lesson", "show", "L7", "--json"),
    ("trust", "--json"),
    ("memory", "export"),
    ("recall", "x", "--json"),
    ("lesson", "list", "--sort", "belief"),
]


def write(home: Path) -> Path:
    """The team's directory with everyone's outcomes, last written an hour ago."""
    shared = home / "shared"
    shared.mkdir()
    (shared / "team.json").write_text(json.dumps({"salt": SALT, "version": 1}))
    write_config(home, f'[team]\ndirectory = "{shared}"\n[people]\nengineer = "engineer0"\n')
    own = [
        lesson(f"L{n}", f"Is part {n} of the queue drained?", engineers=[f"engineer{n % MEMBERS}"]) for n in range(LESSONS)
    ]
    write_lessons(home, *own)
    evidence = EVIDENCE.encode()
    for member in range(1, MEMBERS):
        rng = np.random.default_rng(member)
        kinds = KINDS[rng.integers(0, len(KINDS), OUTCOMES)].tolist()
        names = rng.integers(0, LESSONS, OUTCOMES).tolist()
        path = shared / f"engineer{member}@box.outcomes.jsonl"
        path.write_bytes(
            b"".join(
                b'{"id":"%016x","ms":%d,"lesson":"L%d","kind":"%s","evidence":"%s","decision":"%016x","agent":"claude-code",'
                b'"session":"%08x%08x","channel":"stop","held":false,"credit":1.0,"repo":"r%d","engineer":"engineer%d",'
                b'"machine":"","area":""}\n'
                % (i, 1000 + i, name, kind.encode(), evidence, i // 3, member, i // 10, i // 10 % 40, member)
                for i, name, kind in zip(range(OUTCOMES), names, kinds, strict=True)
            )
        )
        then = path.stat().st_mtime_ns - OLD_NS
        os.utime(path, ns=(then, then))
    return shared


def timed(home: Path) -> list[tuple[float, bytes]]:
    """Seconds and output of each command, process start included."""
    found = []
    for words in COMMANDS:
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "borgd", *words],
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        found.append((time.perf_counter() - begin, done.stdout))
    return found


def memory(home: Path, name: str) -> dict[str, object]:
    """What the daemon says of a lesson."""
    meant = {"data": str(home / ".local/share/borgd"), "team": str(home / "shared"), "aliases": {}, "lesson": name}
    found: dict[str, object] = json.loads(call("memory", json.dumps(meant).encode(), timeout_s=60).out)
    return found


def heard(home: Path) -> float:
    """Seconds until the daemon has everything in its memory."""
    begin = time.perf_counter()
    while not memory(home, "L7")["ready"]:
        time.sleep(0.01)
    return time.perf_counter() - begin


def test_a_team_of_fifty_on_one_machine(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = write(home)
    paths = sorted(shared.glob("*.outcomes.jsonl"))
    begin = time.perf_counter()
    for path in paths:
        msgspec.json.Decoder(Outcome).decode_lines(path.read_bytes())
    base = time.perf_counter() - begin
    kept = home / ".local/state/borgd/columns"
    starts, seen = [], []
    rows: dict[str, list[tuple[float, bytes]]] = {}
    for turn in ("first", "again"):
        begin = time.perf_counter()
        with running_daemon(home) as env:
            for name, value in env.items():
                monkeypatch.setenv(name, value)
            starts.append((time.perf_counter() - begin, heard(home)))
            if turn == "again":
                rows["asked"] = timed(home)
            before = memory(home, "L7")
            begin = time.perf_counter()
            new = Outcome(id=turn, ms=9, lesson="L7", kind="vetoed", evidence=EVIDENCE, session=turn, agent="claude-code")
            Journal(shared / "late@box.outcomes.jsonl").append([new])
            while memory(home, "L7") == before:
                time.sleep(0.005)
            seen.append(time.perf_counter() - begin)
        if turn == "first":
            for path in kept.glob("*"):
                path.unlink()
            rows["first"] = timed(home)[:1]
            rows["again"] = timed(home)
    size = sum(path.stat().st_size for path in paths)
    with capsys.disabled():
        print(f"\n{len(paths)} files of {OUTCOMES:,} outcomes, {size / 1e6:,.0f} MB; bare decoding {base:.2f} s")
        for turn, (up, all_heard), late in zip(("first", "again"), starts, seen, strict=True):
            print(
                f"daemon, {turn}: serves after {up:.2f} s, has heard all {all_heard:.2f} s later "
                f"({all_heard / base:.2f} of decoding), a new line counts after {late:.3f} s"
            )
        for place, words in enumerate(COMMANDS):
            times = ", ".join(f"{turn} {found[place][0]:.2f} s" for turn, found in rows.items() if place < len(found))
            print(f"borg {' '.join(words[:2]):16} {times}")
    for place, words in enumerate(COMMANDS):
        said = {found[place][1] for found in rows.values() if place < len(found)}
        assert len(said) == 1 or words[0] == "recall", words  # which says when
    assert len(starts) == len(seen) == 2
