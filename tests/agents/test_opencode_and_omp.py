"""opencode and oh-my-pi: what their plugins send becomes an Event under the names that everything else knows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents import agent
from borgd.agents.event import Event, Moment, Reply
from borgd.errors import ProtocolError
from borgd.limits.interrupts.tools import ask_of
from borgd.limits.investigation.tools import count
from borgd.sessions.session import touched
from borgd.sessions.work_so_far import written


def opencode(event: str, output: Any = None, *, more: dict[str, Any] | None = None, **given: Any) -> Event:
    body = {"input": {"sessionID": "ses1", **given}, "output": output, "directory": "/w", **(more or {})}
    return agent("opencode").parse(event, json.dumps(body).encode())


def omp(event: str, *, ctx: dict[str, Any] | None = None, **given: Any) -> Event:
    body = {"input": {"type": event, **given}, "ctx": {"id": "s1", "cwd": "/w", "file": "/h/s1.jsonl", **(ctx or {})}}
    return agent("omp").parse(event, json.dumps(body).encode())


def spoken(text: str, **part: Any) -> dict[str, Any]:
    return {"message": {"id": "msg1"}, "parts": [{"type": "text", "text": text, **part}, {"type": "file", "url": "data:"}]}


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        ("fix it", "fix it"),
        ('"fix the bug"', "fix the bug"),
        ('"say \\"no\\" to it"', 'say "no" to it'),
        ('"one" and "two"', '"one" and "two"'),
        ('a "quoted" word', 'a "quoted" word'),
    ],
)
def test_a_prompt_of_opencode_is_what_was_typed(said: str, prompt: str) -> None:
    event = opencode("chat.message", spoken(said))
    assert (event.prompt, event.prompt_id, event.machine_made) == (prompt, "msg1", False)
    assert (event.session, event.cwd, event.moment) == ("ses1", "/w", Moment.PROMPT)


def test_what_nobody_typed_is_known() -> None:
    assert opencode("chat.message", spoken("[borg] Before you finish: 1 question")).machine_made
    assert opencode("chat.message", spoken("the text of a command"), more={"machine": True}).machine_made
    assert opencode("chat.message", spoken("hidden", synthetic=True)).prompt == ""
    assert omp("before_agent_start", prompt="[borg] Before you finish: 1 question").machine_made
    assert omp("before_agent_start", prompt="<system-notice>\nBackground job Look has completed.").machine_made
    assert not omp("before_agent_start", prompt="fix it").machine_made


def test_a_subagent_is_its_own_and_its_prompt_nobodys() -> None:
    event = opencode("chat.message", spoken("look"), more={"root": "ses0", "agent": "explore"})
    assert (event.session, event.subagent, event.moment) == ("ses0", "ses1", Moment.SUBAGENT_START)
    assert event.machine_made
    assert opencode("session.idle", more={"root": "ses0"}).moment is Moment.SUBAGENT_STOP
    created = opencode("session.created", info={"id": "ses1", "parentID": "ses0", "directory": "/x"})
    assert (created.session, created.subagent, created.moment) == ("ses0", "ses1", Moment.OTHER)
    inner = omp("agent_end", ctx={"parent": "s0"}, last_assistant_message={"role": "assistant", "content": "done"})
    assert (inner.session, inner.subagent, inner.moment, inner.last_message) == ("s0", "s1", Moment.SUBAGENT_STOP, "done")
    assert omp("agent_end").moment is Moment.OTHER, "the main agent has its own Stop"
    assert omp("agent_end", ctx={"parent": "s0"}, willContinue=True).moment is Moment.OTHER


@pytest.mark.parametrize("again", [False, True])
def test_a_stop_is_blocked_once_and_never_where_nobody_can_go_on(again: bool) -> None:
    block = Reply(block="why")
    idle = opencode("session.idle", more={"stop_hook_active": again, "last_assistant_message": "Done."})
    assert idle.last_message == "Done."
    assert agent("opencode").render(idle, block) == ({} if again else {"prompt": "why"})
    assert agent("opencode").render(opencode("session.idle", more={"headless": True}), block) == {}
    message = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop"}
    stop = omp("session_stop", stop_hook_active=again, last_assistant_message=message)
    assert stop.last_message == "Done."
    assert agent("omp").render(stop, block) == ({} if again else {"decision": "block", "reason": "why"})
    for reason in ("aborted", "error"):
        broken = omp("session_stop", stop_hook_active=False, last_assistant_message=message | {"stopReason": reason})
        assert agent("omp").render(broken, block) == {}


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** Add File: b.py\n+y = 1\n*** End Patch\n"
EDITS = [
    ("opencode", "edit", {"filePath": "/w/a.py", "oldString": "x = 1", "newString": "x = 2"}, ["a.py"], "x = 2"),
    ("opencode", "write", {"filePath": "/w/a.py", "content": "x = 2\n"}, ["a.py"], "x = 2"),
    (
        "opencode",
        "apply_patch",
        {"patchText": PATCH},
        ["a.py", "b.py"],
        "x = 2\ny = 1",
    ),
    ("omp", "write", {"path": "a.py", "content": "x = 2\n"}, ["a.py"], "x = 2"),
    ("omp", "edit", {"path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}, ["a.py"], "x = 2"),
    ("omp", "edit", {"path": "a.py", "edits": [{"op": "update", "diff": "@@ f\n-x = 1\n+x = 2\n"}]}, ["a.py"], "x = 2"),
    ("omp", "edit", {"path": "a.py", "edits": [{"op": "create", "diff": "x = 2\n"}]}, ["a.py"], "x = 2"),
    (
        "omp",
        "edit",
        {"path": "a.py", "paths": ["a.py"], "input": "*** Begin Patch\n[a.py#1F2A]\nPUT 3.=3:\n+x = 2\n*** End Patch"},
        ["a.py"],
        "x = 2",
    ),
]


@pytest.mark.parametrize(("name", "tool", "given", "paths", "new"), EDITS)
def test_what_an_edit_writes_and_where(name: str, tool: str, given: dict[str, Any], paths: list[str], new: str) -> None:
    if name == "opencode":
        event = opencode("tool.execute.after", {"output": "ok"}, tool=tool, callID="c1", args=given)
    else:
        event = omp("tool_result", toolName=tool, toolCallId="c1", input=given, content=[])
    assert event.tool is not None
    assert touched(event) == paths
    assert new in written(event.tool)[0]
    assert count(name, event.tool, "/w").kind == "change"


@pytest.mark.parametrize(
    ("name", "tool", "given", "kind"),
    [
        ("opencode", "read", {"filePath": "/w/a.py"}, "retrieval"),
        ("opencode", "bash", {"command": "cat a.py"}, "retrieval"),
        ("opencode", "task", {"prompt": "look"}, "subquery"),
        ("opencode", "question", {"questions": []}, "neutral"),
        ("opencode", "github_create_issue", {}, "change"),
        ("omp", "read", {"path": "a.py"}, "retrieval"),
        ("omp", "glob", {"pattern": "*"}, "retrieval"),
        ("omp", "task", {"task": "look"}, "subquery"),
        ("omp", "ask", {"questions": []}, "neutral"),
        ("omp", "mcp__tracker_get_issue", {}, "retrieval"),
    ],
)
def test_what_a_call_counts_as(name: str, tool: str, given: dict[str, Any], kind: str) -> None:
    if name == "opencode":
        event = opencode("tool.execute.before", {"args": given}, tool=tool, callID="c1")
    else:
        event = omp("tool_call", toolName=tool, toolCallId="c1", input=given)
    assert event.tool is not None
    assert count(name, event.tool, "/w").kind == kind


def test_what_a_subagent_is_called_for() -> None:
    asked = {"description": "look", "prompt": "Find the bug", "subagent_type": "explore"}
    event = opencode("tool.execute.before", {"args": asked}, tool="task", callID="c1")
    assert (event.spawn, event.subagent_type) == ("Find the bug", "explore")
    several = {"context": "The bug.", "tasks": [{"task": "Look in a"}, {"task": "Look in b"}]}
    assert omp("tool_call", toolName="task", toolCallId="c1", input=several).spawn == "The bug.\nLook in a\nLook in b"


QUESTIONS = [{"question": "Which store?", "options": [{"label": "Red", "description": "r"}, {"label": "Blue"}]}]


def test_a_question_and_its_answer() -> None:
    for tool, questions in (("question", QUESTIONS), ("ask", [QUESTIONS[0] | {"id": "q1"}])):
        ask = ask_of(tool, {"questions": questions})
        assert ask is not None
        assert (ask.question, [option.label for option in ask.options]) == ("Which store?", ["Red", "Blue"])
    said = opencode(
        "tool.execute.after",
        {"output": "…", "metadata": {"answers": [["Blue"]]}},
        tool="question",
        args={"questions": QUESTIONS},
    )
    assert said.tool is not None
    assert said.tool.response == {"answers": {"Which store?": "Blue"}}
    details = {"results": [{"question": "Which store?", "selectedOptions": ["Blue"], "customInput": "the old one"}]}
    other = omp("tool_result", toolName="ask", toolCallId="c1", input={"questions": QUESTIONS}, content=[], details=details)
    assert other.tool is not None
    assert other.tool.response == {"answers": {"Which store?": "Blue, the old one"}}


@pytest.mark.parametrize(("code", "failed"), [(0, False), (1, True), (None, False)])
def test_a_command_that_fails_is_a_call_that_failed(code: int | None, failed: bool) -> None:
    output = {"output": "2 failed", "metadata": {"exit": code}}
    event = opencode("tool.execute.after", output, tool="bash", callID="c1", args={"command": "pytest"})
    assert event.tool is not None
    assert (event.tool.failed, event.tool.error) == (failed, "2 failed" if failed else "")
    part = {
        "type": "tool",
        "tool": "bash",
        "callID": "c1",
        "state": {"status": "error", "error": "no such file", "input": {}},
    }
    told = opencode("message.part.updated", part=part)
    assert told.tool is not None
    assert (told.moment, told.tool.failed, told.tool.error) == (Moment.AFTER_TOOL, True, "no such file")
    running = part | {"state": {"status": "running"}}
    assert opencode("message.part.updated", part=running).moment is Moment.OTHER


def test_a_slash_command_is_work_that_nobody_typed_as_a_prompt() -> None:
    event = opencode(
        "command.execute.before", {"parts": []}, command="review", arguments="src/a.py", more={"promptID": "c1"}
    )
    assert (event.moment, event.prompt, event.prompt_id) == (Moment.EXPANSION, "/review src/a.py", "c1")


def test_what_is_said_again_after_a_compaction() -> None:
    for event in (opencode("session.compacted"), omp("session_compact")):
        assert (event.moment, event.source) == (Moment.SESSION_START, "compact")
        assert agent(event.agent).render(event, Reply(context="again")) == {"later": "again"}


@pytest.mark.parametrize("name", ["opencode", "omp"])
@given(
    st.dictionaries(
        st.sampled_from(["input", "output", "ctx", "root", "directory", "promptID", "last_assistant_message"]),
        st.none()
        | st.integers()
        | st.lists(st.text())
        | st.text()
        | st.dictionaries(
            st.sampled_from(
                ["tool", "toolName", "args", "parts", "info", "metadata", "status", "questions", "content", "part"]
            ),
            st.none() | st.integers() | st.text() | st.lists(st.none() | st.text() | st.dictionaries(st.text(), st.text())),
        ),
    )
)
def test_a_field_of_another_type_is_as_good_as_absent(name: str, fields: dict[str, Any]) -> None:
    module = agent(name)
    for event in (*module.MOMENTS, "something.new"):
        try:
            found = module.parse(event, json.dumps(fields).encode())
        except ProtocolError as error:
            assert "names no session" in str(error)  # noqa: PT017 (most examples have one)
            continue
        assert module.render(found, Reply()) == {}


@pytest.mark.parametrize("name", ["opencode", "omp"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 5000, b"null"])
def test_what_is_not_a_payload_is_an_error_that_names_the_agent(name: str, body: bytes) -> None:
    with pytest.raises(ProtocolError, match=r"opencode|oh-my-pi"):
        agent(name).parse("session.created", body)
