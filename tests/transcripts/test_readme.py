"""README.md keeps its word: every command line in it works as written, every setting in it is one.

Commands in blocks are run in order in one home. What stands between backticks in a sentence is run where it has
arguments, and must be a command with a help of its own where it has none. Words in capitals are the reader's to fill in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from borgd.cli import COMMANDS
from borgd.config.schema import load
from tests.transcripts.session import Session, confinement

README = Path(__file__).parents[2] / "README.md"
CI = README.with_name(".ci") / "run"
ELSEWHERE = ("python3 -m venv", ".venv/bin/", "npm ")
"""Beginnings of command lines that the check of the whole repository runs, or that install an agent."""
ENDLESS = ("borg tail", "borg run")
RULES = "- Always raise the backoff cap together with the retry limit.\n- Never commit generated files.\n"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
_SPAN = re.compile(r"`(borgd? [^`]+)`")
_OUTPUT = re.compile(r"^( |> |\$ |●|20\d\d-)", re.M)


def blocks(language: str) -> list[str]:
    """The fenced blocks of README.md in ``language``."""
    return [text for name, text in _BLOCK.findall(README.read_text()) if name == language]


def command_lines() -> list[str]:
    """The lines of the blocks that are commands: those of a session shown with its output are not."""
    lines: list[str] = []
    for block in blocks(""):
        if _OUTPUT.match(block):
            continue
        joined = re.sub(r"\\\n\s*", "", block)
        lines += [line for line in joined.split("\n") if line.strip() and not line.startswith("#")]
    return lines


def spans() -> list[str]:
    """The commands between backticks in sentences and tables."""
    return _SPAN.findall(_BLOCK.sub("", README.read_text()))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = Session(confinement())
    made.write("CLAUDE.md", RULES)
    made.run("mkdir -p ~/.claude")
    made.run("git init -q --bare ~/origin.git; borg debug simulate --out ~/world --sessions 5 --lessons 5")
    made.run("mkdir -p ~/.local/share && mkdir -m 700 ~/.local/share/borgd")
    made.run("borg lesson add --question 'Is the backoff cap raised too?' --consequence 'The backend is hammered.'")
    made.run("cp ~/world/decisions.jsonl ~/.local/share/borgd/decisions.jsonl")
    yield made
    made.close()


def filled(command: str, session: Session) -> str:
    """``command`` with what the reader fills in."""
    known = session.run('borg lesson list --json; grep -m 1 -o \'"session":"[^"]*\' ~/world/decisions.jsonl').out
    lesson = re.findall(r'"id": "(\w+)"', known)
    values = {"SESSION": known.rpartition('"')[2].strip(), "URL": "~/origin.git", "ID": lesson[0] if lesson else ""}
    return re.sub(r"\b[A-Z]{2,}\b(?!\.md)", lambda word: values.get(word[0], word[0]), command)


def run(command: str, session: Session) -> None:
    """Run ``command``; it must succeed, with a daemon running."""
    session.run("borg start")
    written = filled(command, session)
    if written.startswith(ENDLESS):
        written = f"{' '.join(written.split(' ')[:2])} --help"
    done = session.run(written)
    assert done.code == 0, f"README.md: {command}\n{done.out}{done.err}"
    assert "Traceback" not in done.err


def test_the_commands_of_the_blocks_work_in_their_order(session: Session) -> None:
    ran = 0
    for line in command_lines():
        if line.startswith(ELSEWHERE):
            continue
        run(line, session)
        ran += line.startswith("borg ")
    assert ran >= 8


@pytest.mark.slow
def test_the_commands_in_sentences_work(session: Session) -> None:
    found = spans()
    assert len(found) >= 10
    for command in found:
        words = shlex.split(command)[1:]
        bare = tuple(words) in COMMANDS or (words[0] == "lesson" and len(words) == 2)
        run(f"{command} --help" if bare else command, session)


def test_the_settings_are_settings() -> None:
    assert blocks("toml")
    for text in blocks("toml"):
        load(text.encode(), "README.md")


@pytest.mark.parametrize("section", ["Run it", "Pass the tests"])
def test_the_sections_that_the_check_runs_hold_one_command_each(section: str) -> None:
    text = README.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    (block,) = _BLOCK.findall(text)
    assert len(block[1].strip().split("\n")) == 1
    assert f'command_of "{section}"' in CI.read_text()
