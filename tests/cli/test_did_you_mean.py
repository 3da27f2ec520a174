"""A mistyped command, option or word is answered with what was probably meant, whatever the command."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from borgd.cli import dispatch
from borgd.cli.service.completion import whole_parser


def parsers(root: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield root
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


def mistyped(word: str) -> str:
    """Two letters in its middle changed their places."""
    middle = (len(word) + 2) // 2
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]


def test_every_option_of_every_command_is_found_again(capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    for parser in parsers(whole_parser()):
        names = {name for action in parser._actions for name in action.option_strings if name.startswith("--")}
        for name in names:
            wrong = mistyped(name)
            if wrong in names:
                continue
            with pytest.raises(SystemExit) as stopped:
                parser.error(f"unrecognized arguments: {wrong}=x more")
            assert stopped.value.code == 2
            assert f"did you mean {name}?" in capsys.readouterr().err, (parser.prog, wrong)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["team", "jion", "x"], "join"),
        (["inbox", "anwser", "1"], "answer"),
        (["lesson", "list", "--sort", "scoep"], "scope"),
        (["forget", "--for-god", "x"], "--for-good"),
        (["doctor", "--fixx"], "--fix"),
        (["policy", "rolback"], "rollback"),
    ],
)
def test_what_was_meant_is_said(typed: list[str], meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        dispatch(typed)
    assert stopped.value.code == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err


def test_what_is_like_nothing_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        dispatch(["team", "xyzzy"])
    assert "did you mean" not in capsys.readouterr().err
