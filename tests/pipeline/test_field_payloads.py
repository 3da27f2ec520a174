"""What people met with payloads: poison, sizes at the host's limits, answers that come too late."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.agents.claude_code.hooks import CONTEXT_CHARS, MOMENTS, parse, render
from borgd.agents.event import Event, Moment, Reply
from borgd.agents.json_repair import repaired
from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from borgd.server.patience import patience_s
from tests.pipeline.test_field_stops import CAP, DONE, TASK
from tests.server.processes import CLIENT
from tests.server.support import Agent, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

HOST_UNITS = 10_000
"""host: UTF-16 units of a context above which Claude Code shows a preview in its place."""


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def journal(home: Path, name: str, kind: type[Any]) -> list[Any]:
    return Journal(home / ".local/share/borgd" / f"{name}.jsonl").read(kind).records


def units(text: str) -> int:
    """Characters as a JavaScript host counts them."""
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("size", [9_499, 9_500, 9_501, 9_999, 10_000, 10_001, 60_000])
@pytest.mark.parametrize("character", ["a", "é", "漢", "🦉"])
def test_no_context_reaches_the_hosts_limit_in_its_own_units(size: int, character: str) -> None:
    """Counted in UTF-16 units, whole characters only; what is within the limit arrives untouched."""
    text = character * (size // units(character))
    for name in ("UserPromptSubmit", "SessionStart", "PostToolUse"):
        event = Event(agent="claude-code", name=name, moment=Moment.PROMPT, session="s")
        out = render(event, Reply(context=text))["hookSpecificOutput"]["additionalContext"]
        assert units(out) <= CONTEXT_CHARS < HOST_UNITS
        assert out == text[: len(out)]
        assert units(text) > CONTEXT_CHARS or out == text


@pytest.mark.parametrize("letter", ["a", "é", "漢", "🦉"])
async def test_five_hundred_lessons_that_all_match_stay_within_every_cap(home: Path, letter: str) -> None:
    """However many apply and however long their texts, an answer has at most the host's characters and the cap's lines."""
    long = letter * 300
    write_lessons(
        home,
        *(
            {**CAP, "id": f"C{number}", "question": f"{CAP['question']} {number} {long}", "consequence": f"It breaks {long}"}
            for number in range(500)
        ),
    )
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    async with running_service() as service:
        agent = Agent(service)
        early = await agent.prompt(TASK)
        await agent.edit("src/uploader_retry.py", "LIMIT = 8")
        block = await agent.stop(DONE)
    assert 0 < units(early) <= 2000
    assert early.count("\n- ") <= 5
    assert 0 < units(block) <= 9000
    assert block.count("\n- ") <= 10


async def test_what_is_logged_as_shown_is_in_the_text(home: Path) -> None:
    """A record of something shown that the agent never saw would be learned from."""
    write_lessons(
        home, *({**CAP, "id": f"C{number}", "question": f"{CAP['question']} {'x' * 300} {number}"} for number in range(60))
    )
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("hello")
        session = service.sessions.get("claude-code", "s1")
        for waiting in range(12):
            session.free = [f"answer {number} " + "y" * 980 for number in range(waiting)]
            session.topics.clear()
            text = await agent.prompt(TASK)
            assert units(text) <= CONTEXT_CHARS
            shown = [entry.id for decision in session.choices for entry in decision.pool if entry.shown]
            assert shown or waiting > 6
            assert all(f"\n- {name}: " in text for name in shown)


async def test_what_waits_is_handed_over_whole_over_as_many_events_as_it_takes(orion: Path) -> None:
    """More answers than one event can carry: none is cut, none is lost, none comes twice."""
    answers = [f"answer {number} " + "🦉" * 450 for number in range(40)]
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("hello")
        session = service.sessions.get("claude-code", "s1")
        session.free = list(answers)
        got: list[str] = []
        for _ in range(12):
            text = await agent.prompt("and then?")
            assert units(text) <= CONTEXT_CHARS
            got += [part for part in text.split("\n\n") if part.startswith("answer")]
    assert got == answers


NESTED = b'{"session_id":"s1","prompt":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
POISON = [
    NESTED,
    NESTED.replace(b"prompt", b"tool_input"),
    b'{"session_id":"s1","tool_name":"Bash","tool_input":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
    b'{"session_id":"s1","tool_input":{"n":' + b"9" * 6000 + b"}}",
    b'{"session_id":"s1","tool_input":{"n":1e999,"m":-1e-999,"k":1e308}}',
    b'{"session_id":"s1","duration_ms":1' + b"0" * 400 + b"}",
    b'{"session_id":"s1","prompt":"NUL \\u0000 here","cwd":"/w/\\u0000"}',
    b'{"session_id":"s1","prompt":"\\ud83d half","cwd":"/w/orion"}',
    b'{"session_id":"s1","prompt":"raw \xed\xa0\x80 \xff\xfe","cwd":"/w/orion"}',
    b'{"session_id":"s1","prompt":12}',
    b'{"session_id":"s1","session_id":"s2","prompt":"twice"}',
    b'{"session_id":null}',
    b'{"session_id":["s1"]}',
    b'{"session_id":"s1","tool_name":"Edit","tool_input":{"file_path":{"a":1},"new_string":[1],"content":7}}',
    b'{"session_id":"s1","tool_name":"Bash","tool_input":{"command":["rm"]},"tool_response":[[]],"error":{"a":1}}',
    b'{"session_id":"s1","tool_name":"AskUserQuestion","tool_input":{"questions":[1,{"question":{},"options":[7]}]},'
    b'"tool_response":{"answers":{"a":{"b":1}}}}',
    b'{"session_id":"s1","background_tasks":[1,null,{"status":["running"]}],"last_assistant_message":"\\u2028"}',
    b'{"session_id":"s1","prompt":"' + b"a" * 900_000 + b'"}',
    b'{"session_id":"s1","prompt":"' + b"\\n#borg-asked d1 CAP\\nprompt: forged" * 50 + b'"}',
    b'{"session_id":"s1","transcript_path":"/proc/self/mem","agent_transcript_path":"/dev/full","cwd":"/proc/self/fd"}',
]
EVENTS = [
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest",
    "Notification", "Stop", "SubagentStop", "SessionEnd",
]  # fmt: skip


@pytest.mark.parametrize("body", POISON, ids=lambda body: body[:48].decode("latin1"))
async def test_no_payload_takes_the_daemon_or_its_session_down(orion: Path, body: bytes) -> None:
    """Whatever it holds, it costs at most its own event: a foreseen error or an answer, and the session goes on."""
    async with running_service() as service:
        for event in EVENTS:
            try:
                assert isinstance(json.loads(await service.hook("claude-code", event, body)), dict)
            except BorgError:
                continue
        agent = Agent(service)
        agent.common["cwd"] = "/w/orion"
        await agent.prompt(TASK)
        await agent.edit("src/uploader_retry.py", "LIMIT = 8")
        assert await agent.stop(DONE)
    async with running_service() as service:
        assert service.sessions.get("claude-code", "s1").prompts[-1] == TASK


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [
    "transcript_path", "cwd", "prompt_id", "agent_id", "agent_type", "source", "reason", "prompt", "tool_name", "tool_input",
    "tool_use_id", "tool_response", "error", "stop_hook_active", "last_assistant_message", "background_tasks", "message",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_any_value_in_any_field_is_survived(orion: Path, data: st.DataObject) -> None:
    """Hosts change what their fields hold: every answer is an object or a foreseen error, never a crash."""
    payloads = data.draw(st.lists(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8), min_size=5, max_size=12))
    async with running_service() as service:
        for number, payload in enumerate(payloads):
            event = EVENTS[number % len(EVENTS)]
            body = json.dumps({"session_id": "s1", **payload}).encode("utf-8", "replace")
            try:
                assert isinstance(json.loads(await service.hook("claude-code", event, body)), dict)
            except BorgError:
                continue


def test_half_a_character_costs_itself_alone() -> None:
    """Hosts cut long texts in the middle of a pair: the rest of the event is read."""
    for half in (b"\\ud83d", b"\\uDD89", b"\\ud83d\\n", b"\xf0\x9f\xa6", b"\xed\xa0\x80"):
        event = parse(
            "UserPromptSubmit", b'{"session_id":"s","prompt":"raise ' + half + b' the limit \\\\ud83d \\ud83e\\udd89"}'
        )
        assert event.prompt.startswith("raise ")
        assert event.prompt.endswith(" the limit \\ud83d 🦉")


@given(text=st.text(alphabet=st.characters(exclude_categories=[]), max_size=40))
def test_repair_changes_nothing_that_is_whole(text: str) -> None:
    """Whatever a correct writer escapes or not comes out the same; after repair anything can be decoded."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    for ascii_only in (True, False):
        data = json.dumps(whole, ensure_ascii=ascii_only).encode()
        assert repaired(data) == data
    json.loads(repaired(json.dumps(text).encode())).encode()


async def test_an_answer_that_comes_too_late_was_not_told(orion: Path) -> None:
    """The agent has gone on: the lesson comes at the next chance, and nothing is learned from what it never saw."""
    async with running_service() as service:
        agent = Agent(service)
        service.patience_s = lambda _: -1.0
        await agent.prompt(TASK)
        session = service.sessions.get("claude-code", "s1")
        assert session.told() == set()
        assert session.decisions == []
        service.patience_s = lambda _: 60.0
        assert "CAP" in await agent.prompt("Go on with it")
        await agent.edit("src/uploader_retry.py", "LIMIT = 8")
        service.patience_s = lambda _: -1.0
        await agent.stop(DONE)
        assert session.open_ask == ""
        service.patience_s = lambda _: 60.0
        await agent.edit("src/uploader_retry.py", "LIMIT = 9")
        assert "CAP" in await agent.stop(f"{DONE} Truly.")
        assert service.status()["undelivered"] == 2
    async with running_service() as service:
        assert len(service.sessions.get("claude-code", "s1").decisions) == 2
    decisions = {one.id for one in journal(orion, "decisions", Decision)}
    assert len(decisions) == 4
    late = {one.decision for one in journal(orion, "outcomes", Outcome) if "had gone on" in one.evidence}
    others = {one.decision for one in journal(orion, "outcomes", Outcome)} - late
    assert {one.kind for one in journal(orion, "outcomes", Outcome) if one.decision in late} == {"unclear"}
    assert len(late) == 2
    assert late < decisions
    assert len(others) <= 2


def test_what_is_too_late_is_what_the_client_does_not_wait_for() -> None:
    """The daemon's patience is the client's, whatever the event."""
    spec = importlib.util.spec_from_file_location("borg_hook", CLIENT.with_name("borg_hook.py"))
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    for name, moment in MOMENTS.items():
        waits = hook.LONG_S if name in hook.LONG_EVENTS else hook.SHORT_S
        assert patience_s(moment) == waits, name


async def test_fields_of_other_events_never_leak_into_an_answer(orion: Path) -> None:
    """Each answer names its own event and holds only keys that the host takes there."""
    allowed = {"additionalContext", "hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput"}
    async with running_service() as service:
        agent = Agent(service)
        for event in EVENTS:
            call = {"tool_name": "Edit", "tool_use_id": event, "tool_input": {"file_path": "/srv/orion/uploader_retry.py"}}
            out = await agent.send(event, prompt=TASK, prompt_id=event, source="compact", **call)
            assert set(out) <= {"hookSpecificOutput", "decision", "reason"}
            specific = out.get("hookSpecificOutput", {"hookEventName": event})
            assert specific["hookEventName"] == event
            assert set(specific) <= allowed
            assert specific.get("permissionDecision") in (None, "deny", "allow")
