"""Regrets in real repositories: a repair of lines that a session committed, old enough, is told once, by its share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome, PoolEntry
from borgd.memory.sources.reverted_lines import commit_made, is_repair, removed_lines
from borgd.stores.repository import head
from borgd.stores.reverted_lines import MadeCommit, look

DAY = 24 * 3600
NOW = 1_796_000_000


def git(cwd: Path, *words: str, at: int = NOW) -> str:
    who = {
        "GIT_AUTHOR_NAME": "d",
        "GIT_AUTHOR_EMAIL": "d@e.invalid",
        "GIT_COMMITTER_NAME": "d",
        "GIT_COMMITTER_EMAIL": "d@e.invalid",
    }
    when = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd)} | who | when
    return subprocess.run(["git", *words], cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout


class World:
    """A repository with one commit of a session, and the journals that know of it."""

    def __init__(self, root: Path) -> None:
        self.repository = root / "app"
        self.repository.mkdir()
        git(self.repository, "init", "-q", "-b", "main", ".")
        self.write("old = 1\n" * 10)
        self.commit("start", at=NOW - 30 * DAY)
        self.commits, self.decisions = Journal(root / "commits.jsonl"), Journal(root / "decisions.jsonl")
        pool = tuple(
            PoolEntry(id=name, score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.9, shown=True)
            for name in ("L1", "L2")
        )
        self.decisions.append([Decision(id="d1", ms=0, agent="claude-code", session="s", channel="stop", pool=pool)])

    def write(self, text: str) -> None:
        (self.repository / "app.py").write_text(text)

    def commit(self, message: str, at: int) -> str:
        git(self.repository, "add", "-A", at=at)
        return commit_made("git commit -m x", git(self.repository, "commit", "-m", message, at=at))

    def session_commits(self, at: int) -> None:
        self.write("old = 1\n" * 8 + "bad = 1\nbad = 2\n")
        made = self.commit("faster", at=at)
        assert made
        record = MadeCommit(
            id=made, ms=at * 1000, cwd=str(self.repository), agent="claude-code", session="s", decisions=("d1",)
        )
        self.commits.append([record])

    def look(self) -> list[Outcome]:
        return look(self.commits, self.decisions, {}, NOW * 1000)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_repair_of_a_sessions_lines_is_a_regret_by_its_share_and_told_once(world: World) -> None:
    world.session_commits(NOW - 10 * DAY)
    world.write("new = 1\n" + "old = 1\n" * 7 + "good = 1\n")
    world.commit("fix: faster broke the limits", at=NOW - 5 * DAY)
    found = world.look()
    assert [(one.lesson, one.kind) for one in found] == [("L1", "regretted"), ("L2", "regretted")]
    assert all(one.credit == pytest.approx(2 / 3 / 2) for one in found)
    assert world.look() == []


@pytest.mark.parametrize(
    ("message", "after_days"),
    [("fix: at once", 1), ("add a second mode", 5), ("rename the variable", 5)],
)
def test_the_same_piece_of_work_or_a_mere_change_is_none(world: World, message: str, after_days: int) -> None:
    world.session_commits(NOW - 10 * DAY)
    world.write("old = 1\n" * 8 + "good = 1\ngood = 2\n")
    world.commit(message, at=NOW - (10 - after_days) * DAY)
    assert world.look() == []


def test_a_revert_is_a_regret_and_lines_of_others_are_not(world: World) -> None:
    world.session_commits(NOW - 10 * DAY)
    world.write("older = 0\n" * 2 + "old = 1\n" * 6 + "bad = 1\nbad = 2\n")
    world.commit("fix the old lines", at=NOW - 6 * DAY)
    assert world.look() == []
    git(world.repository, "revert", "--no-edit", "HEAD~1", at=NOW - 5 * DAY)
    assert {one.lesson for one in world.look()} == {"L1", "L2"}


def test_a_repository_that_is_gone_costs_nothing(world: World) -> None:
    world.session_commits(NOW - 10 * DAY)
    world.repository.rename(world.repository.parent / "elsewhere")
    assert world.look() == []


def test_a_hostile_repository_cannot_start_a_program(world: World, tmp_path: Path) -> None:
    world.session_commits(NOW - 10 * DAY)
    world.write("good = 1\n")
    (world.repository / ".gitattributes").write_text("*.py diff=evil\n")
    world.commit("fix it", at=NOW - 5 * DAY)
    flag = tmp_path / "ran"
    for key in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        git(world.repository, "config", key, f"touch {flag};:")
    world.look()
    assert not flag.exists()


@pytest.mark.parametrize(
    ("message", "repair"),
    [
        ("Fix off-by-one", True),
        ("fix(parser): x", True),
        ('Revert "faster"', True),
        ("bugfix: cap", True),
        ("Add prefix option", False),
        ("Document the fix", False),
        ("x\n\nThis reverts commit abcdef1234.", True),
    ],
)
def test_a_repair_says_so_itself(message: str, repair: bool) -> None:
    assert is_repair(message) is repair


def test_a_sweep_is_no_repair() -> None:
    hunks = "".join(f"--- a/f{number}\n+++ b/f{number}\n@@ -1,2 +1 @@\n-a\n-b\n+c\n" for number in range(41))
    assert removed_lines(hunks) == []
    assert removed_lines("--- a/f\n+++ b/f\n@@ -1,2001 +1 @@\n") == []
    assert len(removed_lines("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n@@ -9 +8,0 @@\n@@ -12,0 +12,3 @@\n")) == 2


def test_only_a_commit_command_makes_a_commit() -> None:
    assert commit_made("git commit -qm x && git log", "[main (root-commit) abc1234] x\n 1 file") == "abc1234"
    assert commit_made("cat log", "[main abc1234] x\n") == ""
    assert commit_made("git commit -m x", "nothing to commit") == ""


SETTINGS = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.srcPrefix": "x/",
    "diff.dstPrefix": "y/",
    "diff.interHunkContext": "50",
    "diff.relative": "true",
    "diff.context": "9",
    "diff.external": "false",
    "color.ui": "always",
    "core.quotePath": "true",
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_setting_of_a_repository_hides_a_regret(world: World, setting: str) -> None:
    git(world.repository, "config", setting, SETTINGS[setting])
    world.session_commits(NOW - 10 * DAY)
    world.write("new = 1\n" + "old = 1\n" * 7 + "good = 1\n")
    world.commit("fix: faster broke the limits", at=NOW - 5 * DAY)
    assert [one.credit for one in world.look()] == [pytest.approx(2 / 3 / 2)] * 2


@pytest.mark.parametrize("name", ["app.py", "tests/größe.py"])
def test_a_session_that_works_below_the_top_is_traced(world: World, name: str) -> None:
    below = world.repository / "tests" / "unit"
    below.mkdir(parents=True)
    path = world.repository / name
    path.write_text("old = 1\n" * 8)
    world.commit("before", at=NOW - 20 * DAY)
    path.write_text("old = 1\n" * 7 + "bad = 1\n")
    made = world.commit("faster", at=NOW - 10 * DAY)
    world.commits.append(
        [
            MadeCommit(
                id=made, ms=(NOW - 10 * DAY) * 1000, cwd=str(below), agent="claude-code", session="s", decisions=("d1",)
            )
        ]
    )
    path.write_text("old = 1\n" * 7 + "good = 1\n")
    world.commit("fix: slower", at=NOW - 5 * DAY)
    assert {one.lesson for one in world.look()} == {"L1", "L2"}


@pytest.mark.parametrize("kind", ["plain", "below", "worktree", "detached", "packed", "none"])
def test_what_is_checked_out_is_read_without_git(world: World, kind: str, tmp_path: Path) -> None:
    where = world.repository
    if kind == "below":
        where = where / "src"
        where.mkdir()
    elif kind == "worktree":
        git(where, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
        where = tmp_path / "tree"
    elif kind == "detached":
        git(where, "checkout", "-q", "--detach")
    elif kind == "packed":
        git(where, "pack-refs", "--all")
    elif kind == "none":
        where = tmp_path / "bare"
        where.mkdir()
    expected = "" if kind in ("packed", "none") else git(where, "rev-parse", "HEAD").strip()
    assert head(str(where)) == expected
