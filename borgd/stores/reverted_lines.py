"""Looks in the repositories where sessions committed for later repairs of what they wrote, and tells regrets.

Runs git with nothing of the repository's own configuration that could start a program, a bound on time and output.
Which commit came from which session is kept in commits.jsonl, which never leaves this machine.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from borgd.journal import Journal
from borgd.lessons.lesson import Lesson
from borgd.memory.records import Decision, Outcome
from borgd.memory.sources.judge import judge_reverted
from borgd.memory.sources.reverted_lines import blamed, is_repair, removed_lines, shares

LOOKBACK_DAYS = 60
"""design: commits of sessions older than this are not traced any more."""
GIT_SECONDS = 10.0
"""guard: one git command."""
MAX_REPAIRS = 50
"""guard: repairs looked at in one repository per look."""
MAX_RANGES = 200
"""guard: ranges of lines blamed per repair."""

_SAFE = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
    "-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "core.quotePath=false",
    "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false",
)  # fmt: skip
_PLAIN = (
    "--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0", "--no-relative", "--submodule=short", "--no-ext-diff",
    "--no-textconv", "--no-color",
)  # fmt: skip
"""Whatever a repository's settings make of a diff, ours is read by a program."""
_DAY_MS = 24 * 3600 * 1000


class MadeCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A commit that a session made; a line of commits.jsonl. ``id`` may be abbreviated."""

    id: str
    ms: int
    cwd: str
    agent: str
    session: str
    decisions: tuple[str, ...] = ()


class TracedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A repair that was looked at; a line of commits.jsonl, so that it is looked at once."""

    traced: str
    ms: int


def git(cwd: str, *words: str) -> str:
    """What git prints; empty where it fails or takes too long."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            ["git", *_SAFE, "--no-pager", *words],
            cwd=cwd,
            env=environment,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def repairs(cwd: str, since_ms: int, known: set[str]) -> Iterator[tuple[str, int]]:
    """(id, when in ms) of commits since then that say they repair something and were not looked at yet."""
    log = git(cwd, "log", "--no-merges", f"--since={since_ms // 1000}", f"-n{MAX_REPAIRS * 4}", "--format=%x1e%H %ct%n%B")
    found = 0
    for entry in log.split("\x1e")[1:]:
        head, _, message = entry.partition("\n")
        commit, _, seconds = head.partition(" ")
        if commit not in known and seconds.isdigit() and is_repair(message) and found < MAX_REPAIRS:
            found += 1
            yield commit, int(seconds) * 1000


def blame(cwd: str, commit: str) -> list[str]:
    """Who wrote the lines that ``commit`` repairs: one commit id per line."""
    top = git(cwd, "rev-parse", "--show-toplevel").rstrip("\n") or cwd  # a diff's paths are relative to it
    diff = git(top, "show", "-U0", *_PLAIN, "--format=", commit)
    lines: list[str] = []
    for removed in removed_lines(diff)[:MAX_RANGES]:
        span = f"{removed.start},{removed.start + removed.lines - 1}"
        lines += blamed(git(top, "blame", "--line-porcelain", "--no-textconv", "-L", span, f"{commit}^", "--", removed.path))
    return lines


def look(commits: Journal, decisions: Journal, lessons: Mapping[str, Lesson], now_ms: int) -> list[Outcome]:
    """Regrets found since the last look; remembers which repairs were looked at. Blocks: call it in a worker thread."""
    records = commits.read().records
    made = [msgspec.convert(one, MadeCommit) for one in records if "cwd" in one]
    known = {str(one["traced"]) for one in records if "traced" in one}
    recent = [one for one in made if now_ms - one.ms < LOOKBACK_DAYS * _DAY_MS and one.decisions]
    if not recent:
        return []
    by_id = {one.id: one for one in decisions.read(Decision).records}
    found: list[Outcome] = []
    for cwd in sorted({one.cwd for one in recent}):
        if not Path(cwd).is_dir():
            continue
        here = {one.id: one for one in recent if one.cwd == cwd}
        for repair, ms in repairs(cwd, min(one.ms for one in here.values()), known):
            parts = shares(blame(cwd, repair), {commit: one.ms for commit, one in here.items()}, ms)
            for commit, share in parts.items():
                for name in here[commit].decisions:
                    if name in by_id:
                        found += judge_reverted(by_id[name], commit, repair, share, lessons, ms=now_ms)
            commits.append([TracedCommit(traced=repair, ms=now_ms)])
    return found
