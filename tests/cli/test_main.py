"""The exit codes and last words of ``borg``, whatever a command does. Commands of the tests' own stand in the table."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import borgd.cli as cli
from borgd.errors import REMEDIES, BorgError, NoDaemonError, UsageError, refused

Run = Callable[[BaseException | int], tuple[int, str]]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """What ``borg`` ends with, and says on standard error, where its command raises or returns that."""

    def run(what: BaseException | int) -> tuple[int, str]:
        def command(argv: list[str]) -> int:
            if isinstance(what, BaseException):
                raise what
            return what

        module = ModuleType("borgd.cli.stand_in")
        module.run = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "borgd.cli.stand_in", module)
        monkeypatch.setitem(cli.COMMANDS, ("stand-in",), ("stand_in", ""))
        monkeypatch.setattr(sys, "argv", ["borg", "stand-in"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(str(ended.value.code)), capfd.readouterr().err

    return run


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [
        (0, 0, ""),
        (7, 7, ""),
        (BorgError("the file is gone; write it again"), 1, "borg: the file is gone; write it again\n"),
        (UsageError("one word too many"), 2, "borg: one word too many\n"),
        (NoDaemonError("none runs"), 4, "borg: none runs\n"),
        (KeyboardInterrupt(), 130, ""),
        (OSError(errno.ENOSPC, "No space left on device", "/f"), 1, "borg: /f: No space left on device; free some space"),
        (PermissionError(errno.EACCES, "Permission denied", b"/f"), 1, "borg: /f: Permission denied; check its permissions"),
        (BorgError("a\x1b[2Jb"), 1, "borg: a�[2Jb\n"),
    ],
)
def test_what_was_foreseen_is_one_sentence(ends: Run, what: BaseException | int, code: int, said: str) -> None:
    ended, text = ends(what)
    assert ended == code
    assert text.startswith(said)
    assert "Traceback" not in text
    assert said or not text


def test_an_argument_that_is_no_text_is_named(ends: Run) -> None:
    try:
        "a\udcff".encode()
    except UnicodeEncodeError as error:
        code, text = ends(error)
    assert code == 2
    assert "is not valid UTF-8" in text


@pytest.mark.parametrize("what", [RuntimeError("surprise"), OSError(errno.ENOTCONN, "not connected")])
def test_what_was_not_foreseen_says_where(ends: Run, what: BaseException) -> None:
    code, text = ends(what)
    assert code == 3
    assert "Traceback" in text
    assert text.endswith("borg: this was not foreseen; the lines above say where\n")


@pytest.mark.parametrize("number", REMEDIES)
def test_every_refusal_that_is_foreseen_says_what_to_do(number: int) -> None:
    sentence = refused(OSError(number, "refused", "/f"))
    assert sentence is not None
    assert sentence.startswith("/f: refused; ")


@pytest.mark.parametrize("words", cli.COMMANDS, ids=" ".join)
def test_every_command_says_what_it_does(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = cli.dispatch([*words, "--help"])
    except SystemExit as ended:  # as argparse does
        code = int(str(ended.code))
    said = capsys.readouterr().out
    assert code == 0
    assert said.startswith(f"usage: borg {' '.join(words)}")
    assert len(said.strip().split("\n")) >= 3


def test_letters_that_the_terminal_lacks_are_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding="latin-1"))
    monkeypatch.setattr(sys, "argv", ["borg", "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        cli.main()
    assert held.getvalue().startswith(rb"usage: borg COMMAND [ARGUMENT \u2026]")
