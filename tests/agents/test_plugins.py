"""The plugins for opencode and oh-my-pi: what they do with each answer, and with a daemon that is dead, deaf or garbled."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.protocol.address import socket_path
from tests.agents.plugin_clients import OpenCode
from tests.agents.plugins import HOOKS, Answers, Driver, checked, fake_daemon, node

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

BOUND_MS = 10_000
"""Far above every deadline of the plugins and far below for ever, for a machine that is busy."""
Start = Callable[..., Driver]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugins as JavaScript."""
    directory = tmp_path_factory.mktemp("plugins")
    words = ("--noEmit", "false", "--rewriteRelativeImportExtensions", "--allowImportingTsExtensions", "false")
    checked(*words, "--outDir", str(directory))
    (directory / "package.json").write_text('{"type": "module"}\n')
    return directory


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


@pytest.fixture
def start(compiled: Path, env: dict[str, str]) -> Iterator[Start]:
    """``start("opencode", copies=1, words=())``: the agent's plugin in a process of its own."""
    running: list[Driver] = []

    def started(agent: str, copies: int = 1, words: tuple[str, ...] = ()) -> Driver:
        running.append(Driver(compiled, agent, env, copies, words))
        return running[-1]

    yield started
    for one in running:
        one.close()


def answering(**by_event: dict[str, Any]) -> Answers:
    """A daemon that answers events by name, dots as underscores, and the others with nothing."""
    return lambda event, _: by_event.get(event.replace(".", "_"), {})


def before(call: str = "c1") -> dict[str, Any]:
    return {
        "hook": "tool.execute.before",
        "input": {"tool": "bash", "sessionID": "ses1", "callID": call},
        "output": {"args": {"command": "ls"}},
    }


def after(call: str = "c1") -> dict[str, Any]:
    given = {"tool": "bash", "sessionID": "ses1", "callID": call, "args": {"command": "ls"}}
    return {"hook": "tool.execute.after", "input": given, "output": {"title": "ls", "output": "a.py", "metadata": {}}}


def message(text: str, number: int = 1) -> dict[str, Any]:
    told = {"id": f"msg_{number}", "role": "user", "sessionID": "ses1", "agent": "plan", "model": {"modelID": "m"}}
    part = {"id": f"prt_{number}", "type": "text", "text": text, "sessionID": "ses1", "messageID": f"msg_{number}"}
    return {"hook": "chat.message", "input": {"sessionID": "ses1"}, "output": {"message": told, "parts": [part]}}


def bus(type: str, **properties: Any) -> dict[str, Any]:
    return {"type": type, "properties": {"sessionID": "ses1", **properties}}


def test_all_types_hold() -> None:
    checked()


def test_opencode_takes_the_plugin_by_its_own_types(tmp_path: Path) -> None:
    package = OpenCode.plugin_package()
    if package is None:
        pytest.skip("opencode's types are not installed: npm install --prefix . @opencode-ai/plugin@1.18.33")
    (tmp_path / "node_modules").symlink_to(package / "node_modules")
    (tmp_path / "check.ts").write_text(
        'import type { Plugin } from "@opencode-ai/plugin"\n'
        f"import {{ Borgd }} from {json.dumps(str(HOOKS / 'opencode/plugin.ts'))}\n"
        "export const plugin: Plugin = Borgd\n"
    )
    settings = {"extends": str(HOOKS / "tsconfig.json"), "include": ["check.ts"]}
    (tmp_path / "tsconfig.json").write_text(
        json.dumps(settings | {"compilerOptions": {"exactOptionalPropertyTypes": False}})
    )
    checked(project=tmp_path)


def test_a_context_is_a_part_behind_the_prompt(start: Start, env: dict[str, str]) -> None:
    told = [{"type": "text", "text": "[borg] Cents?", "synthetic": True}]
    with fake_daemon(env, answering(chat_message={"parts": told})) as daemon:
        output = start("opencode").do(**message("fix it"))["output"]
    assert [one["text"] for one in output["parts"]] == ["fix it", "[borg] Cents?"]
    assert output["parts"][1] | {"id": ""} == told[0] | {"id": "", "sessionID": "ses1", "messageID": "msg_1"}
    assert output["parts"][1]["id"].startswith("prt_")
    [(_, body, _)] = daemon.heard
    assert (body["root"], body["directory"], body["headless"]) == ("ses1", "/w/orion", False)


def test_a_refusal_is_thrown_with_its_reason_and_nothing_else_is(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(tool_execute_before={"throw": "The budget is spent."})):
        assert start("opencode").do(**before())["error"] == "The budget is spent."
    with fake_daemon(env, answering()):
        assert "error" not in start("opencode").do(**before())


def test_what_could_not_be_said_before_a_call_comes_with_its_result(start: Start, env: dict[str, str]) -> None:
    answers = answering(tool_execute_before={"later": "[borg] Cents?"}, tool_execute_after={"output": "[borg] And more."})
    with fake_daemon(env, answers):
        plugin = start("opencode")
        plugin.do(**before())
        first, second = plugin.do(**after()), plugin.do(**after("c2"))
    assert first["output"]["output"] == "a.py\n\n[borg] Cents?\n\n[borg] And more."
    assert second["output"]["output"] == "a.py\n\n[borg] And more.", "once"


def test_other_arguments_replace_those_of_the_call(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(tool_execute_before={"args": {"command": "ls -a"}})):
        assert start("opencode").do(**before())["output"]["args"] == {"command": "ls -a"}


def asked(plugin: Driver) -> list[dict[str, Any]]:
    return [one["options"] for one in plugin.do()["called"] if one["name"] == "promptAsync"]


def until_asked(plugin: Driver, count: int) -> list[dict[str, Any]]:
    for _ in range(5000):
        if len(found := asked(plugin)) >= count:
            return found
    raise AssertionError(f"not asked {count} times")


def test_a_stop_goes_on_with_a_prompt_in_the_mode_of_the_last_and_once(start: Start, env: dict[str, str]) -> None:
    def answers(event: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"prompt": "[borg] Before you finish"} if event == "session.idle" and not body["stop_hook_active"] else {}

    with fake_daemon(env, answers) as daemon:
        plugin = start("opencode")
        plugin.do(**message("fix it"))
        both = [bus("session.status", status={"type": "idle"}), bus("session.idle")]
        plugin.do(events=both)  # opencode sends both for one Stop
        [options] = until_asked(plugin, 1)
        assert options["path"] == {"id": "ses1"}
        assert options["body"]["agent"] == "plan"
        assert options["body"]["parts"] == [{"type": "text", "text": "[borg] Before you finish"}]
        plugin.do(**message("[borg] Before you finish", 2))
        plugin.do(events=[bus("session.status", status={"type": "busy"}), *both])
        daemon.wait_for("session.idle", 2)
        plugin.do(**message("thanks", 3))
        plugin.do(events=both)
        daemon.wait_for("session.idle", 3)
        assert len(until_asked(plugin, 2)) == 2
    flags = [body["stop_hook_active"] for event, body, _ in daemon.heard if event == "session.idle"]
    assert flags == [False, True, False]


@pytest.mark.parametrize("error", ["MessageAbortedError", "APIError"])
def test_nobody_goes_on_after_an_interruption_or_an_error(error: str, start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(session_idle={"prompt": "[borg] Before you finish"})) as daemon:
        plugin = start("opencode")
        plugin.do(**message("fix it"))
        plugin.do(events=[bus("session.error", error={"name": error}), bus("session.idle")])
        plugin.do(**message("again", 2))
        assert "session.idle" not in daemon.events()
        assert asked(plugin) == []


def test_a_run_that_ends_at_its_first_idle_is_not_asked(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(session_idle={"prompt": "[borg] Before you finish"})) as daemon:
        plugin = start("opencode", words=("run",))
        plugin.do(events=[bus("session.idle")])
        daemon.wait_for("session.idle")
        plugin.do(**message("again", 2))
        assert asked(plugin) == []
    assert daemon.heard[0][1]["headless"] is True
    assert daemon.heard[0][2] == ["attended.0"], "the daemon knows that nobody is there"


def test_a_permission_that_is_answered_at_once_was_never_put_to_anybody(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering()) as daemon:
        plugin = start("opencode")
        storm = [bus("permission.asked", id=f"per_{number}", permission="bash") for number in range(20)]
        storm += [bus("permission.replied", requestID=f"per_{number}", reply="once") for number in range(20)]
        plugin.do(events=[*storm, bus("permission.asked", id="per_open", permission="bash", metadata={"command": "rm x"})])
        daemon.wait_for("permission.asked")
        plugin.do(**message("go on"))
    told = [body["input"]["id"] for event, body, _ in daemon.heard if event == "permission.asked"]
    assert told == ["per_open"]


def test_a_permission_that_is_refused_is_answered(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(permission_asked={"reject": "not now"})) as daemon:
        plugin = start("opencode")
        plugin.do(events=[bus("permission.asked", id="per_1", permission="bash")])
        daemon.wait_for("permission.asked")
        for _ in range(5000):
            if called := [one for one in plugin.do()["called"] if one["name"] == "permission"]:
                break
    assert called[0]["options"] == {"path": {"id": "ses1", "permissionID": "per_1"}, "body": {"response": "reject"}}


def test_a_failed_call_is_told_and_a_refused_one_is_not(start: Start, env: dict[str, str]) -> None:
    def failed(call: str) -> dict[str, Any]:
        part = {
            "type": "tool",
            "tool": "bash",
            "callID": call,
            "sessionID": "ses1",
            "state": {"status": "error", "error": "x"},
        }
        return bus("message.part.updated", part=part)

    def answers(event: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"throw": "no"} if event == "tool.execute.before" and body["input"]["callID"] == "c1" else {}

    with fake_daemon(env, answers) as daemon:
        plugin = start("opencode")
        assert plugin.do(**before("c1"))["error"] == "no"
        plugin.do(**before("c2"))
        plugin.do(events=[failed("c1"), failed("c2"), failed("c2")])
        daemon.wait_for("message.part.updated")
        plugin.do(**message("go on"))
    told = [body["input"]["part"]["callID"] for event, body, _ in daemon.heard if event == "message.part.updated"]
    assert told == ["c2"]


def test_a_subagent_is_told_with_the_session_it_works_for(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(session_idle={"prompt": "[borg] Before you finish"})) as daemon:
        plugin = start("opencode")
        plugin.do(**before() | {"input": {"tool": "bash", "sessionID": "sub1", "callID": "c1"}})
        plugin.do(events=[{"type": "session.idle", "properties": {"sessionID": "sub1"}}])
        daemon.wait_for("session.idle")
        plugin.do(**message("go on"))
        assert asked(plugin) == [], "a subagent is not prompted"
    assert [body["root"] for _, body, _ in daemon.heard] == ["ses1", "ses1", "ses1"]


@pytest.mark.parametrize("agent", ["opencode", "omp"])
def test_two_copies_in_one_process_act_as_one(agent: str, start: Start, env: dict[str, str]) -> None:
    told = {
        "parts": [{"type": "text", "text": "[borg] Cents?"}],
        "message": {"customType": "borgd", "content": "[borg] Cents?"},
    }
    with fake_daemon(env, lambda event, _: told if event in ("chat.message", "before_agent_start") else {}) as daemon:
        plugin = start(agent, copies=3)
        if agent == "opencode":
            assert len(plugin.do(**message("fix it"))["output"]["parts"]) == 2
            plugin.do(**before())
        else:
            plugin.do(emit="session_start", input={"type": "session_start"})
            found = plugin.do(emit="before_agent_start", input={"prompt": "fix it"})["returned"]
            assert len([one for one in found if one]) == 1
            plugin.do(emit="tool_call", input={"toolName": "bash", "toolCallId": "c1", "input": {}})
    assert len(set(daemon.events())) == len(daemon.events())


def test_omps_answers_are_returned_as_it_takes_them(start: Start, env: dict[str, str]) -> None:
    answers: dict[str, dict[str, Any]] = {
        "before_agent_start": {"message": {"customType": "borgd", "content": "[borg] Cents?", "display": False}},
        "tool_call": {"input": {"command": "ls -a"}, "later": "[borg] Mind the cents."},
        "tool_result": {"append": "[borg] And more."},
        "session_stop": {"decision": "block", "reason": "[borg] Before you finish"},
    }
    with fake_daemon(env, lambda event, _: answers.get(event, {})):
        plugin = start("omp")
        told = plugin.do(emit="before_agent_start", input={"prompt": "fix it"})["returned"]
        call = plugin.do(emit="tool_call", input={"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}})
        content = [{"type": "text", "text": "a.py"}, {"type": "image", "data": "x"}]
        result = plugin.do(emit="tool_result", input={"toolName": "bash", "toolCallId": "c1", "content": content})
        stop = plugin.do(
            emit="session_stop", input={"stop_hook_active": False, "last_assistant_message": {"role": "assistant"}}
        )
    assert told == [answers["before_agent_start"]]
    assert call["returned"] == [{"input": {"command": "ls -a"}}], "no key that oh-my-pi does not know"
    appended = {"type": "text", "text": "[borg] Mind the cents.\n\n[borg] And more."}
    assert result["returned"] == [{"content": [*content, appended]}], "the result stays whole"
    assert stop["returned"] == [answers["session_stop"]]


def test_omp_is_refused_with_a_reason_and_hears_no_more_of_that_call(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering(tool_call={"block": True, "reason": "The budget is spent."})) as daemon:
        plugin = start("omp")
        call = plugin.do(emit="tool_call", input={"toolName": "bash", "toolCallId": "c1", "input": {}})
        plugin.do(emit="tool_result", input={"toolName": "bash", "toolCallId": "c1", "isError": True, "content": []})
    assert call["returned"] == [{"block": True, "reason": "The budget is spent."}]
    assert daemon.events() == ["tool_call"]


def test_a_prompt_that_omp_prepares_anew_gets_the_same_answer_again(start: Start, env: dict[str, str]) -> None:
    told = {"message": {"customType": "borgd", "content": "[borg] Cents?", "display": False}}
    with fake_daemon(env, answering(before_agent_start=told)) as daemon:
        plugin = start("omp")
        for _ in range(3):
            assert plugin.do(emit="before_agent_start", input={"prompt": "fix it"})["returned"] == [told]
        assert len(daemon.heard) == 1
        plugin.do(emit="agent_start")
        plugin.do(emit="before_agent_start", input={"prompt": "fix it"})
    first, second = (body["promptID"] for _, body, _ in daemon.heard)
    assert first != second, "typed again, it is another prompt"


@pytest.mark.parametrize("abort", ["before", "meanwhile"])
def test_a_stop_that_the_person_aborts_is_not_waited_for_nor_answered(abort: str, start: Start, env: dict[str, str]) -> None:
    """omp#6134: handlers ran on for 30 s after an abort, and the answer was thrown away."""
    message = {"role": "assistant", "stopReason": "stop"}
    with fake_daemon(env, None) as daemon:  # takes the question and does not answer
        stop = start("omp").do(emit="session_stop", abort=abort, input={"last_assistant_message": message})
        assert stop["returned"] == [None]
        assert stop["ms"] < BOUND_MS
        assert daemon.connections <= (0 if abort == "before" else 1)


def test_an_approval_that_is_settled_at_once_was_never_put_to_anybody(start: Start, env: dict[str, str]) -> None:
    with fake_daemon(env, answering()) as daemon:
        plugin = start("omp")
        plugin.do(emit="tool_approval_requested", input={"toolCallId": "open", "toolName": "bash"})
        daemon.wait_for("tool_approval_requested")
        assert [body["input"]["toolCallId"] for _, body, _ in daemon.heard] == ["open"]


ALL: list[tuple[str, dict[str, Any]]] = [
    ("opencode", message("fix it")),
    ("opencode", before()),
    ("opencode", after()),
    ("opencode", {"events": [bus("session.created", info={"id": "ses1"}), bus("session.idle")]}),
    ("omp", {"emit": "session_start", "input": {}}),
    ("omp", {"emit": "before_agent_start", "input": {"prompt": "fix it"}}),
    ("omp", {"emit": "tool_call", "input": {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}}}),
    ("omp", {"emit": "tool_result", "input": {"toolName": "bash", "toolCallId": "c1", "content": []}}),
    ("omp", {"emit": "session_stop", "input": {"last_assistant_message": {"role": "assistant"}}}),
    ("omp", {"emit": "session_shutdown", "input": {}}),
]


def unharmed(found: dict[str, Any], command: dict[str, Any]) -> None:
    assert "error" not in found
    assert found["ms"] < BOUND_MS
    assert found.get("output") == command.get("output"), "nothing is added"
    assert not any(found["returned"])


@pytest.mark.parametrize("how", ["dead", "deaf", "nonsense", "half", "list", "null", "closes"])
def test_whatever_the_daemon_does_the_agent_works_on(how: str, start: Start, env: dict[str, str]) -> None:
    if how == "dead":
        for agent, command in ALL:
            unharmed(start(agent).do(**command), command)
        return
    if how == "deaf":
        with fake_daemon(env, None) as daemon:
            plugins = {agent: start(agent) for agent in ("opencode", "omp")}
            for agent, command in [*ALL, *ALL]:
                unharmed(plugins[agent].do(**command), command)
            assert daemon.connections < 2 * len(ALL) - 2, "one that does not answer is soon left alone"
        return
    raw = {
        "nonsense": b"HTTP/1.1 200 OK\r\n\r\n",
        "half": b'borg/1 0 500 0\n{"throw": ',
        "list": b"borg/1 0 2 0\n[]",
        "null": b"borg/1 0 4 0\nnull",
        "closes": b"",
    }[how]
    with fake_daemon(env, None) as daemon:
        daemon.say(raw)
        for agent, command in ALL:
            unharmed(start(agent).do(**command), command)


@pytest.mark.parametrize("variable", ["BORGD_OFF", "BORGD_INSIDE"])
def test_whoever_wants_nothing_of_borgd_gets_nothing(
    variable: str, start: Start, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    env[variable] = "1"
    with fake_daemon(env, answering(tool_execute_before={"throw": "no"})) as daemon:
        for agent, command in ALL:
            unharmed(start(agent).do(**command), command)
    assert daemon.connections == 0


HOMES = ["/home/ada", "/home/" + "x" * 200, "/home/ü ñ", "/"]


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("state", ["", "/var/state", "relative"])
def test_the_plugins_look_for_the_socket_where_it_is(
    home: str, state: str, compiled: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    for given in ({}, {"XDG_RUNTIME_DIR": str(runtime)}, {"XDG_RUNTIME_DIR": "/nowhere"}):
        wanted = {"HOME": home, **({"XDG_STATE_HOME": state} if state else {}), **given}
        script = f"import {{ socketPaths }} from {json.dumps(str(compiled / 'plugin/socket.js'))}\n"
        script += f"console.log(JSON.stringify(socketPaths({json.dumps(wanted)})))"
        done = subprocess.run([node(), "--input-type=module", "-e", script], env=env, capture_output=True, check=True)
        assert json.loads(done.stdout)[0] == socket_path(wanted, os.getuid())
