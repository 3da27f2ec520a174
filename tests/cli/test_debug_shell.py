"""``borg debug shell``: a list of commands or a transcript in, one verdict and a reason for each distinct command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from borgd.cli import dispatch
from borgd.errors import UsageError

LINE = "wc -l x\nrm y"


def verdicts(file: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    assert dispatch(["debug", "shell", str(file), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(set(row) == {"command", "verdict", "reason"} and row["reason"] for row in rows)
    return [(row["command"], row["verdict"]) for row in rows]


def test_one_command_a_line_each_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("du -sh .\nmake all\n\n# a note\nmv a b\ndu -sh .\ncd /\n")
    assert verdicts(file, capsys) == [
        ("du -sh .", "look"),
        ("make all", "unknown"),
        ("mv a b", "change"),
        ("cd /", "nothing"),
    ]


@pytest.mark.parametrize(
    "row",
    [
        {
            "type": "assistant",
            "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": LINE}}]},
        },
        {"tool_name": "Bash", "tool_input": {"command": LINE}},
        {
            "payload": {
                "type": "function_call",
                "name": "shell",
                "arguments": json.dumps({"command": ["bash", "-lc", LINE]}),
            }
        },
        {"parts": [{"functionCall": {"name": "run_shell_command", "args": {"command": LINE}}}]},
        {"command": LINE},
    ],
)
def test_the_commands_of_a_transcript(row: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps({"type": "user", "message": {"content": "rm z"}}) + "\nnot json\n" + json.dumps(row) + "\n")
    assert verdicts(file, capsys) == [(LINE, "change")]


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(b"ls\n\xff")
    with pytest.raises(UsageError, match="not valid UTF-8 at byte 3"):
        dispatch(["debug", "shell", str(file)])
