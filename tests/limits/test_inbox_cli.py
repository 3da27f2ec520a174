"""borg ask and borg inbox as their users run them, without a daemon."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.cli.limits.ask import EXIT_DISMISSED, EXIT_EXCLUDED, EXIT_NO_ANSWER
from borgd.cli.limits.inbox_terminal import ago, span_ms
from borgd.errors import LimitError, UsageError
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail
from tests.cli.terminal import in_a_terminal

CHOICE = ["--option", "yes", "--option", "no", "--recommended", "no"]


@pytest.fixture(autouse=True)
def _somewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


def _run(*words: str) -> int:
    return dispatch(list(words))


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = dispatch([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_an_empty_inbox_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("inbox") == 0
    assert "borg ask" in capsys.readouterr().out
    assert _json(capsys, "inbox") == (0, {"asks": []})


def test_an_ask_without_waiting_goes_on_with_the_recommended_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("ask", "--scope", "a/b", *CHOICE, "Ship", "it?") == EXIT_NO_ANSWER
    said = capsys.readouterr()
    assert said.out == "no\n"
    assert "#1 is pending" in said.err


def test_a_waiting_ask_gets_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    result: list[int] = []
    asking = threading.Thread(
        target=lambda: result.append(_run("ask", "--scope", "a/b", "--wait", "600s", *CHOICE, "Ship it?"))
    )
    asking.start()
    for _ in range(2400):
        _, listed = _json(capsys, "inbox")
        if listed["asks"]:
            break
        time.sleep(0.05)
    assert _run("inbox", "answer", "1", "yes") == 0
    asking.join(120)
    assert result == [0]
    assert "yes" in capsys.readouterr().out.splitlines()
    assert _json(capsys, "inbox", "list", "--all")[1]["asks"][0]["told"] != []


def test_a_waiting_ask_that_is_dismissed_or_times_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("ask", "--wait", "0.3s", *CHOICE, "Ship it?") == EXIT_NO_ANSWER
    said = capsys.readouterr()
    assert said.out == "no\n"
    assert "nobody answered #1 in time" in said.err
    assert [(ask["number"], ask["state"]) for ask in _json(capsys, "inbox")[1]["asks"]] == [(1, "deferred")]
    result: list[int] = []
    asking = threading.Thread(target=lambda: result.append(_run("ask", "--wait", "600s", *CHOICE, "Now?")))
    asking.start()
    for _ in range(2400):
        if _json(capsys, "inbox")[1]["asks"]:
            break
        time.sleep(0.05)
    assert _run("inbox", "dismiss", "2") == 0
    asking.join(120)
    assert result == [EXIT_DISMISSED]


def test_the_exit_codes_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _run("ask", "--help")
    said = capsys.readouterr().out
    for code in (0, EXIT_NO_ANSWER, EXIT_DISMISSED, EXIT_EXCLUDED):
        assert f"\n  {code:>2}  " in said


def test_whoever_waits_again_for_the_same_ask_is_not_charged_again(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(5):
        assert _run("ask", "--wait", "0.05s", *CHOICE, "Ship it?") == EXIT_NO_ANSWER
    capsys.readouterr()
    _, document = _json(capsys, "ask", "--wait", "0.05s", *CHOICE, "Ship it?")
    assert (document["number"], document["verdict"], document["joined"]) == (1, "admit", True)
    assert _run("inbox", "answer", "1", "yes") == 0
    capsys.readouterr()
    assert len(_json(capsys, "inbox", "list", "--all")[1]["asks"]) == 1


def test_a_spent_budget_defers_at_once_and_a_high_stakes_ask_passes(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        _run("ask", "--scope", "a", f"Question {number}?")
    capsys.readouterr()
    code, document = _json(capsys, "ask", "--scope", "a", "--wait", "60s", *CHOICE, "One more?")
    assert (code, document["verdict"], document["state"], document["fallback"], document["number"]) == (
        EXIT_NO_ANSWER,
        "defer",
        "deferred",
        "no",
        4,
    )
    _, document = _json(capsys, "ask", "--scope", "a", "--stakes", "0.95", "Really?")
    assert document["verdict"] == "admit"


@pytest.mark.parametrize("bad", ["high", "7", "nan", "", "-1"])
def test_a_number_that_is_none_is_deferred_and_flagged(capsys: pytest.CaptureFixture[str], bad: str) -> None:
    code, document = _json(capsys, "ask", f"--stakes={bad}", "Sure?")
    assert (code, document["verdict"], document["flags"]) == (EXIT_NO_ANSWER, "defer", ["stakes"])


def test_a_muted_source_is_told_its_fallback(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("inbox", "mute", "bot", "--for", "2h", "--cause", "busy") == 0
    assert "bot: transient, busy until" in capsys.readouterr().out
    code, document = _json(capsys, "ask", "--source", "bot", "--fallback", "go on", "--stakes", "1", "Sure?")
    assert (code, document["verdict"], document["number"], document["fallback"]) == (
        EXIT_EXCLUDED,
        "excluded",
        None,
        "go on",
    )
    with pytest.raises(LimitError):
        _run("inbox", "unmute", "bot")
    assert _run("inbox", "unmute", "bot", "--cause", "busy") == 0
    capsys.readouterr()
    assert _json(capsys, "inbox", "muted") == (0, {"muted": []})


def test_the_second_answer_is_told_of_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    _run("ask", *CHOICE, "Ship it?")
    assert _run("inbox", "answer", "#1", "1") == 0
    assert "answered: yes" in capsys.readouterr().out
    with pytest.raises(LimitError, match="before: yes"):
        _run("inbox", "answer", "1", "no")


def test_every_verdict_is_in_the_audit_trail(home: Path) -> None:
    _run("ask", *CHOICE, "Ship it?")
    _run("ask", "--stakes", "7", "Sure?")
    trail = AuditTrail(user_paths())
    count, _, problems = trail.verify()
    assert (count, problems) == (2, [])
    lines = [json.loads(line) for line in user_paths().journal("audit").read_text().splitlines()]
    assert [(line["limit"], line["verdict"]) for line in lines] == [("interrupt", "admit"), ("interrupt", "defer")]
    assert lines[0]["facts"]["stakes"] == {"value": "1/2", "from": "default", "given": ""}


def test_the_sum_of_a_verdict_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        _run("ask", "--scope", "a", f"Question {number}?")
    capsys.readouterr()
    assert _run("debug", "interrupts", "--explain", "#4") == 0
    said = capsys.readouterr().out
    for part in ("0.5 + (0.95 - 0.5) x 3/3 = 0.95", "0.8 (not stated", "3 of 3 spent", "defer (confidence)"):
        assert part in said
    _, document = _json(capsys, "debug", "interrupts", "--explain", "2")
    (verdict,) = document["verdicts"]
    assert (verdict["verdict"], verdict["sum"], verdict["charged"]) == ("admit", "0.5 + (0.95 - 0.5) x 1/3 = 0.65", True)
    with pytest.raises(LimitError, match="'99'"):
        _run("debug", "interrupts", "--explain", "99")


def test_worth_it_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    _run("ask", *CHOICE, "Ship it?")
    assert _run("inbox", "worth", "1", "no") == 0
    capsys.readouterr()
    assert _json(capsys, "inbox")[1]["asks"][0]["worth"] is False


def test_the_same_ask_again_is_one_entry(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        _run("ask", *CHOICE, "Ship it?")
    capsys.readouterr()
    assert len(_json(capsys, "inbox")[1]["asks"]) == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--option", "a", "Q?"], "--option"),
        (["--option", "a", "--option", "b", "--option", "c", "--option", "d", "--option", "e", "Q?"], "--option"),
        (["--option", "a", "--option", "A", "--recommended", "a", "Q?"], "--option"),
        (["--option", "a", "--option", "b", "Q?"], "--recommended"),
        (["--option", "a", "--option", "b", "--recommended", "c", "Q?"], "--recommended"),
        (["--recommended", "a", "Q?"], "--recommended"),
        (["--scope", "a//b", "Q?"], "--scope"),
        (["--wait", "soon", "Q?"], "span"),
        (["--wait", "400d", "Q?"], "span"),
        (["  "], "QUESTION"),
    ],
)
def test_a_wrong_command_line_names_the_argument(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        _run("ask", *words)


def test_a_wrong_number_names_what_was_expected() -> None:
    with pytest.raises(UsageError, match="number of an ask"):
        _run("inbox", "answer", "one", "yes")


def test_the_scope_is_the_repositorys_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git = tmp_path / "work" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = git@example.org:owner/shop.git\n')
    monkeypatch.chdir(tmp_path / "work")
    _run("ask", "Q?")
    capsys.readouterr()
    assert _json(capsys, "inbox")[1]["asks"][0]["scope"] == "owner/shop"


def test_escape_sequences_of_a_question_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    _run("ask", "--option", "a\x1b[2J", "--option", "b\u202e", "--recommended", "a\x1b[2J", "Sure?\x1b]0;title\x07\nreally")
    capsys.readouterr()
    _run("inbox")
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "Sure?" in out


@pytest.mark.parametrize(
    ("text", "ms"), [("90s", 90_000), ("10m", 600_000), ("2h", 7_200_000), ("1d", 86_400_000), ("5", 5000), ("0.25s", 250)]
)
def test_spans(text: str, ms: int) -> None:
    assert span_ms(text, "--wait") == ms


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5s ago"), (65, "1m ago"), (7300, "2h ago"), (200_000, "2d ago"), (-5, "0s ago")]
)
def test_how_long_ago(seconds: int, text: str) -> None:
    assert ago(0, seconds * 1000) == text


@pytest.mark.parametrize(("key", "state"), [("n", "pending"), ("y", "dismissed")])
def test_dismissing_at_a_terminal_shows_the_ask_first(
    home: Path, capsys: pytest.CaptureFixture[str], key: str, state: str
) -> None:
    _run("ask", "--scope", "a/b", *CHOICE, "Ship the sluice?")
    seen, code = in_a_terminal(["inbox", "dismiss", "1"], [("[y]es", key)], home)
    assert code == int(key == "n")
    assert seen.index("Ship the sluice?") < seen.index("[y]es")
    capsys.readouterr()
    assert [ask["state"] for ask in _json(capsys, "inbox", "list", "--all")[1]["asks"]] == [state]
