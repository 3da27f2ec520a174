"""``borg report`` of files: a simulated month as a page, week and month with the same conclusion."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from borgd.cli.debug import report, simulate
from borgd.errors import BorgError, InputError


@pytest.fixture
def files(home: Path, tmp_path: Path) -> list[str]:
    simulate.run(["--out", str(tmp_path / "sim"), "--sessions", "120", "--seed", "6"])
    return ["--decisions", f"{tmp_path}/sim/decisions.jsonl", "--outcomes", f"{tmp_path}/sim/outcomes.jsonl"]


def said(page: str, kind: str) -> str:
    found = re.search(rf'<p class="{kind}">(.*?)</p>', page)
    return found[1] if found else ""


def test_a_simulated_month_of_files(files: list[str], tmp_path: Path) -> None:
    pages = {}
    for span in ("--week", "--month"):
        assert report.run([span, *files, "--out", f"{tmp_path}/{span}.html"]) == 0
        pages[span] = (tmp_path / f"{span}.html").read_text()
    assert said(pages["--week"], "verdict") == said(pages["--month"], "verdict")
    assert said(pages["--week"], "plan") == said(pages["--month"], "plan")
    assert "corrected again in" in said(pages["--week"], "verdict")
    assert "Withheld: " in said(pages["--week"], "plan")
    assert "<script" not in pages["--week"]


def test_without_a_team_it_says_how_to_get_one(home: Path) -> None:
    with pytest.raises(BorgError, match="borg team join"):
        report.run(["--team"])


def test_a_file_that_is_not_there_is_named(home: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        report.run(["--decisions", f"{tmp_path}/nowhere.jsonl"])
