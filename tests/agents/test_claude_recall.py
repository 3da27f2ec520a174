"""A real Claude Code against a scripted model: the lesson is in the request, the Stop block arrives, nothing else does."""

from __future__ import annotations

import os
import signal
import socket

import pytest

from tests.agents.claude import Home
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(180)]

QUESTION = "When the retry limit of the Orion uploader changes, is the backoff cap raised with it?"
CONSEQUENCE = "The uploader hammers the storage backend until it is throttled."
WORK = "In Orion, raise the retry limit of the uploader from 3 to 8, keep the backoff as it is."
EDIT: Turn = {
    "text": "Raising it.",
    "tools": [
        {
            "name": "Write",
            "input": {"file_path": "src/uploader_retry.py", "content": "RETRY_LIMIT = 8  # backoff cap unchanged\n"},
        }
    ],
}
DONE: Turn = {"text": "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."}


@pytest.fixture
def home(claude_home: Home) -> Home:
    claude_home.borg("install", "claude-code", "--apply")
    claude_home.borg(
        "lesson", "add", "--question", QUESTION, "--consequence", CONSEQUENCE, "--scope", "Orion",
        "--situation", "changing the retry limit of the uploader", "--situation", "changing backoff or its cap",
    )  # fmt: skip
    (claude_home.root / ".config/borgd").mkdir(parents=True)
    (claude_home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")
    claude_home.borg("start")
    return claude_home


def edit(home: Home) -> Turn:
    tool = EDIT["tools"][0]
    path = str(home.project / tool["input"]["file_path"])
    return EDIT | {"tools": [{"name": "Write", "input": tool["input"] | {"file_path": path}}]}


def test_the_lesson_comes_early_and_at_stop_and_the_next_stop_is_quiet(home: Home) -> None:
    lesson = home.json("lesson", "list")["lessons"][0]["id"]
    answer: Turn = {"text": f"{lesson}: applies - the cap is raised to 60 s as well."}
    with ScriptedModel(Script([edit(home), DONE, answer])) as model:
        ran = home.claude(model, WORK)
    assert ran.code == 0, ran.err
    assert QUESTION in texts(model.main[0]), "the early lesson is not in the first request"
    assert len(model.main) == 3, "one block, one continuation, then quiet"
    assert f"{lesson}: applies" in ran.out
    found = home.json("why")["decisions"]
    assert [one["channel"] for one in found] == ["early", "stop"]
    assert found[1]["pool"][0]["outcomes"][0]["kind"] == "changed"


def test_a_lesson_not_delivered_early_is_asked_at_stop(home: Home) -> None:
    lesson = home.json("lesson", "list")["lessons"][0]["id"]
    home.borg("lesson", "edit", lesson, "--scope", "")
    home.borg("stop")
    (home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\npolicy = 'budget'\n")
    home.borg("start")
    answer: Turn = {"text": f"{lesson}: applies - the cap is raised to 60 s as well."}
    with ScriptedModel(Script([edit(home), DONE, edit(home), answer])) as model:
        ran = home.claude(model, WORK)
    assert ran.code == 0, ran.err
    assert QUESTION not in texts(model.main[1])
    assert QUESTION in texts(model.main[2]), "the block did not reach the model"
    assert len(model.main) == 4
    [decision] = home.json("why")["decisions"]
    assert decision["channel"] == "stop"
    assert [one["kind"] for one in decision["pool"][0]["outcomes"]] == ["changed"]


def test_an_unrelated_prompt_adds_not_one_character(home: Home) -> None:
    with ScriptedModel(Script([{"text": "Paris."}])) as model:
        home.claude(model, "What is the capital of France?")
    with_borgd = texts(model.main[0])
    home.borg("uninstall", "claude-code", "--apply")
    with ScriptedModel(Script([{"text": "Paris."}])) as model:
        home.claude(model, "What is the capital of France?")
    assert "borg" not in with_borgd.lower().replace(str(home.root).lower(), "")
    assert len(with_borgd) == len(texts(model.main[0]))


def pid(home: Home) -> int:
    return int(home.json("status")["pid"])


@pytest.mark.parametrize("how", ["killed", "stopped", "deaf"])
def test_without_its_daemon_the_agent_works_as_if_borgd_were_not_there(home: Home, how: str) -> None:
    home.compile_client({})
    daemon = pid(home)
    deaf = None
    if how == "stopped":
        os.kill(daemon, signal.SIGSTOP)
    else:
        os.kill(daemon, signal.SIGKILL)
        (home.root / ".local/share/borgd/launch").unlink()
    if how == "deaf":
        home.socket.unlink()
        deaf = socket.socket(socket.AF_UNIX)
        deaf.bind(str(home.socket))
        deaf.listen(100)
    try:
        with ScriptedModel(Script([edit(home), DONE])) as model:
            ran = home.claude(model, WORK)
    finally:
        if how == "stopped":
            os.kill(daemon, signal.SIGKILL)
        if deaf:
            deaf.close()
    assert ran.code == 0, ran.err
    assert "retry limit of 8" in ran.out
    assert len(model.main) == 2
    assert QUESTION not in texts(model.main[1])
