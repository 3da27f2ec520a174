"""Importing shows first and keeps on request; what is there already is not offered again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.errors import InputError
from borgd.lessons.team import public_lesson
from tests.cli.terminal import in_a_terminal

Borg = Callable[..., Any]
EXAMPLES = Path(__file__).parents[2] / "lessons.example.jsonl"
RULES = """# Rules
- Never edit files in `gen/`, because the next build overwrites them.
- Always use the key ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2 for that
- Tests live next to the code
"""


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    monkeypatch.chdir(home)
    (home / ".config/borgd").mkdir(parents=True)
    (home / ".config/borgd/config.toml").write_text('[people]\nengineer = "ada"\n')
    (home / "CLAUDE.md").write_text(RULES)

    def call(*argv: str) -> Any:
        assert dispatch(["lesson", *argv]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in argv else out

    return call


def test_rules_are_shown_then_kept_then_known(borg: Borg) -> None:
    shown = borg("import", "CLAUDE.md")
    assert "rule         Never edit files in `gen/`, because the next build overwrites them." in shown
    assert "2 candidates, nothing kept yet" in shown
    assert "3 items read; left out: 1 description; --all shows what may be rules among them." in shown
    assert borg("list", "--json")["lessons"] == []
    kept = borg("import", "CLAUDE.md", "--yes", "--scope", "Shop", "--json")["kept"]
    assert [(lesson["question"], lesson["scope"], lesson["reach"]) for lesson in kept] == [
        ("Did I make sure not to edit files in `gen/`?", ["Shop"], "personal"),
        ("Did I use the key [redacted] for that?", ["Shop"], "personal"),
    ]
    assert kept[0]["origin"] == "CLAUDE.md:2"
    assert kept[0]["facets"] == ["Never edit files in `gen/`, because the next build overwrites them."]
    assert "nothing new" in borg("import", "CLAUDE.md", "--scope", "Shop")
    assert len(borg("import", "CLAUDE.md", "--all", "--json")["candidates"]) == 3


def test_lessons_of_a_file_keep_their_ids_and_versions(borg: Borg, home: Path) -> None:
    shutil.copy(EXAMPLES, home / "lessons.jsonl")
    assert "nothing kept yet" in borg("import", "lessons.jsonl")
    kept = borg("import", "lessons.jsonl", "--yes", "--json")["kept"]
    lines = EXAMPLES.read_text("utf-8").strip().split("\n")
    assert {lesson["id"] for lesson in kept} == {json.loads(line)["id"] for line in lines}
    assert "nothing new" in borg("import", "lessons.jsonl")


def test_what_cannot_be_read_is_said(borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"none\.md: cannot be read: No such file"):
        borg("import", "none.md")
    (home / "binary.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="byte 0 is not"):
        borg("import", "binary.md")
    (home / "bad.jsonl").write_text('{"id": "La"}\n')
    borg("import", "bad.jsonl")


def test_a_bad_line_of_a_lesson_file_is_named(borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "bad.jsonl").write_text('\n{"id": "La", "question": "q", "consequence": ["c"]}\n')
    assert dispatch(["lesson", "import", "bad.jsonl"]) == 0
    assert "bad.jsonl:2: consequence: expected `str`, got `array`" in capsys.readouterr().err


def test_one_key_each_in_a_terminal(borg: Borg, home: Path) -> None:
    (home / "CLAUDE.md").write_text("- Never A things\n- Never B things\n- Never C things\n- Never D things\n")
    keys = [
        ("[q]uit", "k"),
        ("[q]uit", "d"),
        ("[q]uit", "e"),
        ("question [", "Is it C?\n"),
        ("consequence [", "\n"),
        ("[q]uit", "a"),
    ]
    seen, code = in_a_terminal(["lesson", "import", "CLAUDE.md"], keys, home)
    assert code == 0, seen
    assert [lesson["question"] for lesson in borg("list", "--sort", "question", "--json")["lessons"]] == [
        "Did I make sure not to A things?",
        "Did I make sure not to D things?",
        "Is it C?",
    ]


def test_leaving_early_keeps_what_was_kept(borg: Borg, home: Path) -> None:
    (home / "CLAUDE.md").write_text("- Never A things\n- Never B things\n")
    seen, code = in_a_terminal(["lesson", "import", "CLAUDE.md"], [("[q]uit", "k"), ("[q]uit", "q")], home)
    assert code == 0, seen
    assert len(borg("list", "--json")["lessons"]) == 1


def test_lessons_of_a_file_keep_their_patterns_and_a_bad_one_is_named(
    borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    signs, handled = [r"retry\(\d+", "(?=x)", "--force"], [r"backoff|jitter"]
    row = {"id": "Lsigned1", "version": 1, "ms": 1, "question": "Is it?", "consequence": "No.", "scope": []}
    (home / "signed.jsonl").write_text(json.dumps(row | {"signs": signs, "handled": handled}) + "\n")
    assert dispatch(["lesson", "import", "signed.jsonl", "--yes"]) == 0
    assert "lesson Lsigned1: --sign '(?=x)': look-ahead" in capsys.readouterr().err
    kept = borg("show", "Lsigned1", "--json")
    assert (kept["signs"], kept["handled"]) == (signs, handled)
    assert public_lesson(kept, "00" * 16)["signs"] == signs  # type: ignore[index]
    again = borg("edit", "Lsigned1", "--sign", "-n +1", "--json")
    assert (again["signs"], again["handled"]) == (["-n +1"], handled)


def test_near_duplicates_in_a_file_are_one_and_what_differs_in_a_not_is_two(borg: Borg, home: Path) -> None:
    (home / "AGENTS.md").write_text(
        "- Always run the whole test suite before a commit.\n"
        "- Always run the whole test suite before every commit!\n"
        "- Never run the whole test suite before a commit.\n"
    )
    found = borg("import", "AGENTS.md", "--json")
    assert [len(one["lesson"]["facets"]) for one in found["candidates"]] == [2, 1]
    assert (found["read"], found["left_out_why"]) == (3, {"repeated": 1})
