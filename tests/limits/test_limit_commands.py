"""borg investigate, escalate, policy and audit, run as a person or a program runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.cli import dispatch
from borgd.cli.limits.limit_terminal import AGENT_MARKS, session_of
from borgd.config.schema import InvestigationConfig
from borgd.errors import BorgError, LimitError, UsageError
from borgd.limits.investigation.ledger import MessageUsage
from borgd.paths import private_dir, user_paths
from borgd.stores.investigations import InvestigationStore
from tests.limits.escalation_support import SHIPPED

FACTS = '{"spent": 5, "ceiling": 100, "soft": 2.5, "min_local": 2, "iterations": 3, "hard": true}'


@pytest.fixture(autouse=True)
def person(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*AGENT_MARKS, "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)


def seen(session: str = "abc-1") -> None:
    """The daemon has heard of it."""
    private_dir(user_paths().sessions)
    (user_paths().sessions / f"claude-code-{session}.ctx").touch()


@pytest.fixture
def borg(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*argv: str, code: int = 0) -> str:
        assert dispatch(list(argv)) == code
        return capsys.readouterr().out

    return run


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    path = tmp_path / "escalation.metta"
    path.write_bytes(SHIPPED)
    return path


def stricter(shipped: Path) -> Path:
    path = shipped.with_name("stricter.metta")
    path.write_bytes(SHIPPED.replace(b"(< $iterations", b"(<= $iterations"))
    return path


def store() -> InvestigationStore:
    return InvestigationStore(user_paths().state / "investigations", InvestigationConfig())


def read(number: int) -> Event:
    tool = ToolCall(name="Grep", id=f"t{number}")
    return Event(agent="claude-code", name="PreToolUse", moment=Moment.BEFORE_TOOL, session="abc-1", tool=tool)


def test_an_investigation_from_start_to_stop(borg: Any) -> None:
    assert "No session has been seen yet" in borg("investigate", "status")
    with pytest.raises(LimitError, match="no session 'nope' has been seen"):
        dispatch(["investigate", "start", "--session", "nope"])
    seen()
    limits = ["--max-retrieval-calls", "2", "--max-wall-time-seconds", "none"]
    told = json.loads(borg("investigate", "start", "--session", "abc-1", *limits, "--json"))
    assert told["open"][0]["limits"]["retrieval_calls"] == 2
    assert told["open"][0]["limits"]["wall_time_seconds"] is None
    assert told["open"][0]["explicit"] is True
    hooks = store()
    now = 10**9
    assert [hooks.before_tool(read(n), (), now).allow for n in range(3)] == [True, True, False]
    assert "retrieval calls               2 of 2" in borg("investigate", "status")
    borg("investigate", "extend", "--max-retrieval-calls", "1")
    assert [hooks.before_tool(read(n), (), now).allow for n in range(3, 5)] == [True, False]
    told = json.loads(borg("investigate", "stop", "--session", "abc", "--json"))
    assert (told["spent"]["retrieval_calls"], told["denied"]) == (3, 2)
    assert hooks.before_tool(read(9), (), now).allow
    assert json.loads(borg("investigate", "status", "--json"))["sessions"][0]["open"] == []
    trail = json.loads(borg("audit", "--json"))["verdicts"]
    assert [line["verdict"] for line in trail] == ["started", "extended", "stopped"]


@pytest.mark.parametrize(
    "argv",
    [
        ["extend", "--session", "abc-1"],
        ["extend", "--session", "abc-1", "--max-retrieval-calls", "1.5"],
    ],
)
def test_an_extension_says_how_much(borg: Any, argv: list[str]) -> None:
    seen()
    borg("investigate", "start", "--session", "abc-1")
    with pytest.raises(UsageError):
        dispatch(["investigate", *argv])


def test_an_agent_cannot_grant_itself_a_budget(borg: Any, monkeypatch: pytest.MonkeyPatch, shipped: Path) -> None:
    seen()
    borg("investigate", "start", "--session", "abc-1")
    borg("policy", "propose", str(stricter(shipped)))
    monkeypatch.setenv("CLAUDECODE", "1")
    for line in ("investigate extend --max-iterations 9", "investigate stop", "policy ratify 12345678", "policy rollback"):
        with pytest.raises(LimitError, match="for a person to do"):
            dispatch(line.split())
    borg("investigate", "status")
    borg("policy", "show")


def test_which_session_is_meant() -> None:
    assert session_of("", ["b", "a"]) == "b"
    assert session_of("ab", ["abc", "x"]) == "abc"
    assert session_of("ab", ["abd", "ab"]) == "ab"
    assert session_of("new", ["abc"]) == "new"
    with pytest.raises(UsageError, match="2 sessions"):
        session_of("a", ["ab", "ac"])
    with pytest.raises(UsageError, match="--session"):
        session_of("", [])


def test_escalate_answers_with_its_exit_code(borg: Any) -> None:
    assert borg("escalate", "--session", "abc-1", "--model", "opus", code=1).startswith("deny: ")
    store().report("abc-1", [MessageUsage(id=f"m{n}", context=10, ms=1) for n in range(2)])
    told = json.loads(borg("escalate", "--session", "abc-1", "--model", "opus", "--json"))
    assert (told["verdict"], told["facts"]["iterations"], told["facts"]["spent"]) == ("allow", 2, 20)
    store().report("abc-1", [MessageUsage(id="big", context=1_500_000, ms=1)])
    borg("escalate", "--session", "abc-1", "--model", "opus", code=1)
    told = json.loads(borg("escalate", "--session", "abc-1", "--model", "opus", "--hard", "--json"))
    assert (told["verdict"], told["facts"]["hard"]) == ("allow", True)
    assert "4 verdicts, no problems" in borg("audit", "verify")


def test_check_evaluates_a_file_on_given_facts(borg: Any, shipped: Path) -> None:
    told = json.loads(borg("policy", "check", str(shipped), "--facts", FACTS, "--json"))
    assert (told["verdict"], told["error"], told["floor"]["ok"]) == ("allow", None, True)
    assert told["steps"] > 0
    assert len(told["policy"]) == 64
    listed = json.loads(borg("policy", "check", str(shipped), "--facts", f"[{FACTS}, {FACTS}]", "--json"))
    assert [one["verdict"] for one in listed["verdicts"]] == ["allow", "allow"]
    assert "allow: " in borg("policy", "check", str(shipped), "--facts", FACTS)


NO_FACTS = ["{", "7", "[[]]", "{}", FACTS.replace("5", "NaN", 1), FACTS.replace("true", '"true"'), "[" * 100_000]


@pytest.mark.parametrize("facts", NO_FACTS)
def test_check_refuses_what_are_no_facts(borg: Any, shipped: Path, facts: str) -> None:
    told = json.loads(borg("policy", "check", str(shipped), "--facts", facts, "--json", code=1))
    assert told["verdict"] is None
    assert told["error"]["message"]


@pytest.mark.parametrize(
    ("text", "line", "column"), [("(", 1, 1), ("", None, None), ("(= (x) y)\n!", 2, 1), ("\n (a b)", 2, 2)]
)
def test_check_says_where_a_file_is_broken(
    borg: Any, tmp_path: Path, text: str, line: int | None, column: int | None
) -> None:
    path = tmp_path / "p.metta"
    path.write_text(text)
    told = json.loads(borg("policy", "check", str(path), "--json", code=1))
    assert (told["error"]["line"], told["error"]["column"], told["policy"]) == (line, column, None)
    borg("policy", "check", str(path), "--facts", FACTS, code=1)


def test_check_of_a_missing_file_is_an_error_too(borg: Any, tmp_path: Path) -> None:
    told = json.loads(borg("policy", "check", str(tmp_path / "none"), "--json", code=1))
    assert "cannot be read" in told["error"]["message"]


def test_a_looser_file_fails_the_check_and_still_has_verdicts(borg: Any, shipped: Path) -> None:
    shipped.write_bytes(SHIPPED.replace(b"(>= $spent", b"(> $spent"))
    told = json.loads(borg("policy", "check", str(shipped), "--json", code=1))
    assert (told["floor"]["ok"], told["error"]) == (False, None)
    assert told["floor"]["facts"]["spent"] == told["floor"]["facts"]["ceiling"]
    assert json.loads(borg("policy", "check", str(shipped), "--facts", FACTS, "--json"))["verdict"] == "allow"
    with pytest.raises(BorgError, match="allows what the floor denies"):
        dispatch(["policy", "propose", str(shipped)])


def test_a_policy_from_proposal_to_rollback(borg: Any, shipped: Path) -> None:
    with pytest.raises(LimitError, match="no policy is waiting"):
        dispatch(["policy", "diff"])
    proposed = json.loads(borg("policy", "propose", str(stricter(shipped)), "--json"))["policy"]
    assert json.loads(borg("policy", "show", "--json"))["waiting"]["policy"] == proposed
    assert "+   (if (<= $iterations $min_local)" in borg("policy", "diff")
    borg("policy", "ratify", proposed[:12])
    shown = json.loads(borg("policy", "show", "--json"))
    assert (shown["policy"], shown["source"], shown["waiting"], shown["problems"]) == (proposed, "pinned", None, [])
    copy = user_paths().data / "policy" / "escalation.metta"
    copy.write_text("(")
    assert "is broken and changes nothing" in borg("policy", "show")
    borg("policy", "rollback")
    assert json.loads(borg("policy", "show", "--json"))["source"] == "shipped"
    kinds = [line["verdict"] for line in json.loads(borg("audit", "--json"))["verdicts"]]
    assert kinds == ["proposed", "ratified", "rolled_back"]


def test_the_audit_shows_and_verifies(borg: Any) -> None:
    assert "No verdicts yet" in borg("audit")
    assert "No verdicts yet" in borg("audit", "verify")
    for _ in range(3):
        borg("escalate", "--session", "abc-1", "--model", "opus", code=1)
    assert borg("audit", "-n", "2").count("escalation deny") == 2
    told = json.loads(borg("audit", "verify", "--json"))
    assert (told["ok"], told["lines"], told["problems"]) == (True, 3, [])
    assert json.loads(borg("audit", "verify", "--head", told["head"], "--json"))["ok"]
    path = user_paths().journal("audit")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    told = json.loads(borg("audit", "verify", "--json", code=1))
    assert [problem["kind"] for problem in told["problems"]] == ["missing"]
    path.write_bytes(b"".join(lines[:2]))
    assert "gone from the end" in borg("audit", "verify", code=1)


def test_status_is_about_the_current_session(borg: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        event = Event(
            agent="claude-code", name="", moment=Moment.BEFORE_TOOL, session=f"s{number}", tool=ToolCall(name="Grep", id="t")
        )
        store().before_tool(event, (), number)

    def told(*more: str) -> list[str]:
        return [one["session"] for one in json.loads(borg("investigate", "status", "--json", *more))["sessions"]]

    assert len(told("--all")) == 3
    assert len(told()) == 1
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    assert told() == ["s1"]
    assert told("--session", "s2") == ["s2"]
