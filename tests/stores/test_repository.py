"""One repository, one name: worktrees, subdirectories and moved clones agree; other remotes do not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from borgd.stores.repository import name, short


def git(*words: str, cwd: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=d", "-c", "user.email=d@e.invalid", *words], cwd=cwd, check=True, capture_output=True
    )


@pytest.mark.parametrize(
    "url",
    [
        "git@forge.invalid:team/orion.git",
        "ssh://git@forge.invalid:22/team/orion.git",
        "https://forge.invalid/team/orion",
        "https://user:secret@forge.invalid/team/orion.git",
        "/srv/git/team/orion.git",
        "https://forge.invalid/group/team/orion/",
    ],
)
def test_a_remote_in_any_form_has_one_short_name(url: str) -> None:
    assert short(url) == "team/orion"


def test_worktree_subdirectory_and_moved_clone_agree(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git("init", "-q", ".", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=main)
    git("remote", "add", "origin", "git@forge.invalid:team/orion.git", cwd=main)
    git("worktree", "add", "-q", str(tmp_path / "tree"), cwd=main)
    (main / "src").mkdir()
    assert name(str(main / "src")) == "team/orion"
    assert name(str(tmp_path / "tree")) == "team/orion"
    main.rename(tmp_path / "moved")
    assert name(str(tmp_path / "moved")) == "team/orion"


def test_two_clones_with_the_same_directory_name_are_two_repositories(tmp_path: Path) -> None:
    for where in ("a", "b"):
        (tmp_path / where / "app").mkdir(parents=True)
        git("init", "-q", ".", cwd=tmp_path / where / "app")
    assert name(str(tmp_path / "a" / "app")) != name(str(tmp_path / "b" / "app"))


def test_no_repository_no_directory_no_name(tmp_path: Path) -> None:
    assert name("") == ""
    assert name(str(tmp_path / "gone")) == ""
    assert name("/\0") == ""
