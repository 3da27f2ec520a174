"""Every recorded event of opencode and oh-my-pi: its golden answer by real client and daemon, and by a reply that says all.

What may stand in an answer is written down here once more, by event, as the agent's own types have it: a golden answer that
the agent would drop or reject fails. To write the golden files anew: ``BORGD_WRITE_GOLDEN=1 pytest <this file>``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.agents import agent
from borgd.agents.event import Event, Moment, Reply, checked
from borgd.errors import ProtocolError
from tests.server.support import client, lesson, running_daemon, write_config, write_lessons

HERE = Path(__file__).parent
AGENTS = ("opencode", "omp")
PAYLOADS = [path for name in AGENTS for path in sorted((HERE / "payloads" / name).glob("*.json"))]
WHOLE = Reply(context="a context", block="a block", deny="a refusal", input={"command": "ls"}, note="a note")

TEXT_PART = {"type": "text", "text": str, "synthetic": True}
TAKES: dict[str, dict[str, dict[str, Any]]] = {
    "opencode": {
        "session.created": {"later": str, "toast": str},
        "chat.message": {"parts": [TEXT_PART], "toast": str},
        "tool.execute.before": {"throw": str, "args": dict, "later": str, "toast": str},
        "tool.execute.after": {"output": str, "toast": str},
        "permission.asked": {"reject": str, "toast": str},
        "question.asked": {"toast": str},
        "session.idle": {"prompt": str, "toast": str},
    },
    "omp": {
        "session_start": {"later": str, "notify": str},
        "before_agent_start": {"message": {"customType": str, "content": str, "display": False}, "notify": str},
        "tool_call": {"block": True, "reason": str, "input": dict, "later": str, "notify": str},
        "tool_result": {"append": str, "notify": str},
        "tool_approval_requested": {"notify": str},
        "session_stop": {"decision": "block", "reason": str, "notify": str},
        "agent_end": {"notify": str},
    },
}
"""host: what the plugin can do, and the agent takes, at each event; at any other: nothing."""


def event_of(path: Path) -> str:
    """The event that a recorded payload's file is named after."""
    name = path.stem
    if path.parent.name == "omp":
        return name.partition(".")[0]
    return ".".join(name.split(".")[:3]) if name.startswith("tool.execute.") else name


def fits(value: Any, shape: Any) -> bool:
    """Whether ``value`` is of ``shape``: a type, a constant, a list of one shape, an object of shapes that may be absent."""
    if isinstance(shape, type):
        return isinstance(value, shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in shape and fits(one, shape[key]) for key, one in value.items())
    return bool(value == shape)


def takes(path: Path) -> dict[str, Any]:
    return TAKES[path.parent.name].get(event_of(path).removeprefix("event."), {})


def golden(path: Path, kind: str, answer: Any) -> Any:
    """The golden answer, written first where that is asked for."""
    file = HERE / "golden" / path.parent.name / kind / path.name
    if os.environ.get("BORGD_WRITE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A daemon with one standing lesson of the recorded project, so that an answer is more than silence."""
    home = tmp_path_factory.mktemp("golden") / "home"
    home.mkdir(mode=0o700)
    write_lessons(home, lesson("C1", "Is every bug fix here covered by a test?", scope=["project"], source="constraint"))
    write_config(home, "[people]\nengineer = 'mira'\n")
    with running_daemon(home) as env:
        yield env


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_recorded_event_gets_its_golden_answer(path: Path, daemon: dict[str, str]) -> None:
    text = path.read_text()
    body = json.loads(text)
    for known in {body.get("input", {}).get("sessionID"), body.get("ctx", {}).get("id")} - {None}:
        text = text.replace(known, f"golden-{path.stem}")  # each on its own, whatever order they run in
    body = json.loads(text) | ({"directory": "/home/dev/project"} if path.parent.name == "opencode" else {})
    answer = json.loads(client(daemon, event_of(path), json.dumps(body).encode(), path.parent.name))
    assert answer == golden(path, "answers", answer)
    assert fits(answer, takes(path))


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_reply_that_says_all_leaves_only_what_the_agent_takes(path: Path) -> None:
    module = agent(path.parent.name)
    event = checked(module.parse(event_of(path), path.read_bytes()))
    answer = dict(module.render(event, WHOLE))
    assert answer == golden(path, "whole", answer)
    assert fits(answer, takes(path))
    assert module.render(event, Reply()) == {}


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_unknown_field_changes_nothing_and_a_renamed_one_is_silence(path: Path) -> None:
    module, body = agent(path.parent.name), json.loads(path.read_bytes())

    def understood(value: Any) -> Event:
        return module.parse(event_of(path), json.dumps(value).encode())

    assert understood(body | {"later_version": {"deep": [1]}}) == understood(body)
    for outer in ("input", "output", "ctx"):
        for name in body[outer] if isinstance(body.get(outer), dict) else ():
            renamed = {f"new_{key}" if key == name else key: value for key, value in body[outer].items()}
            try:
                event = understood(body | {outer: renamed})
            except ProtocolError:  # the session's id was renamed: doctor names the event
                continue
            assert fits(dict(module.render(event, WHOLE)), takes(path))


@pytest.mark.parametrize("name", AGENTS)
def test_no_payload_lacks_a_golden_answer(name: str) -> None:
    payloads = {path.name for path in PAYLOADS if path.parent.name == name}
    for kind in ("answers", "whole"):
        assert {path.name for path in (HERE / "golden" / name / kind).glob("*.json")} == payloads


@pytest.mark.parametrize("name", AGENTS)
def test_what_an_agent_does_not_tell_of_is_other(name: str) -> None:
    body = json.dumps({"input": {"sessionID": "s"}, "ctx": {"id": "s"}}).encode()
    event = agent(name).parse("something.new", body)
    assert event.moment is Moment.OTHER
    assert agent(name).render(event, WHOLE) == {}
