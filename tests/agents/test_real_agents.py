"""Real Codex and Gemini CLI, as a person meets borgd in them; what is learned in one agent is told in another.

The same for Claude Code is in test_claude_recall.py, test_claude_hearing.py and test_claude_interrupts.py.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from tests.agents.claude import Home
from tests.agents.clients import RealAgent, Tool, real_agent
from tests.agents.codex_host import CodexHost
from tests.agents.screen import Screen
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

QUESTION = "When the retry limit of the Orion uploader changes, is the backoff cap raised with it?"
CONSEQUENCE = "The uploader hammers the storage backend until it is throttled."
WORK = "In Orion, raise the retry limit of the uploader from 3 to 8, keep the backoff as it is."
DONE: Turn = {"text": "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."}
ELSEWHERE = "What is the capital of France?"
TASK = "Raise the retries of the uploader to 8."
CORRECTION = "stop, not there. uploader settings live in config/uploader.toml and nowhere else"
LEARNED = "Are settings of the uploader in config/uploader.toml and nowhere else?"
FLAGS = (
    f"--question '{LEARNED}' --consequence 'Two places disagree after a deploy.' "
    "--situation 'raise the retries of the uploader' --situation 'change a setting of the uploader' "
    "--sign 'RETRIES ?=' --handled 'config/uploader'"
)
HINT = re.compile(r"(\S*/bin/borg lesson propose (?:--episode E\w+|--session [\w-]+ --turn \d+))")
OTHERS = ["codex", "gemini"]

Start = Callable[..., Any]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start("codex", config)``: that agent, borgd installed in it and running; a second one shares its home."""
    home = Home(tmp_path)
    conf = home.root / ".config/borgd"

    def started(name: str, config: str = "") -> RealAgent:
        agent = real_agent(name, home)
        agent.install()
        if not conf.exists():
            conf.mkdir(parents=True)
            (conf / "config.toml").write_text(f"[recall]\nholdout = 0.0\n{config}")
            home.borg("start")
        return agent

    yield started
    home.borg("stop", check=False)


def teach(home: Home) -> str:
    """The lesson about Orion's uploader; its id."""
    home.borg(
        "lesson", "add", "--question", QUESTION, "--consequence", CONSEQUENCE, "--scope", "Orion",
        "--situation", "changing the retry limit of the uploader", "--situation", "changing backoff or its cap",
    )  # fmt: skip
    return str(home.json("lesson", "list")["lessons"][0]["id"])


def calling(*tools: Tool) -> Turn:
    return {"text": "Going on.", "tools": list(tools)}


class Filing(ScriptedModel):
    """Runs the command that the hint holds, with the flags of the turn that says ``file``."""

    def __init__(self, agent: RealAgent, script: Script) -> None:
        super().__init__(script)
        self._agent = agent

    def _pick(self, body: dict[str, object]) -> tuple[Turn, str]:
        turn, tag = super()._pick(body)
        told = HINT.search(texts(body))
        if "file" not in turn or told is None:
            return turn, tag
        return calling(self._agent.shell(f"{told[1]} {turn['file']}")), tag


@pytest.mark.parametrize("name", OTHERS)
def test_the_lesson_comes_early_and_at_stop_and_the_next_stop_is_quiet(name: str, start: Start) -> None:
    agent = start(name)
    lesson = teach(agent.home)
    write = agent.write("src/uploader_retry.py", "RETRY_LIMIT = 8  # backoff cap unchanged")
    answer: Turn = {"text": f"{lesson}: applies - the cap is raised to 60 s as well."}
    with ScriptedModel(Script([calling(write), DONE, answer])) as model:
        ran = agent.prompt(model, WORK)
    assert ran.code == 0, ran.err
    assert QUESTION in texts(model.main[0]), "the early lesson is not in the first request"
    assert len(model.main) == 3, "one block, one continuation, then quiet"
    assert "[borg]" in texts(model.main[2]).split(DONE["text"])[1], "the block did not reach the model"
    found = agent.home.json("why")["decisions"]
    assert [one["channel"] for one in found] == ["early", "stop"]
    assert found[1]["pool"][0]["outcomes"][0]["kind"] == "changed"


@pytest.mark.parametrize("name", OTHERS)
def test_an_unrelated_prompt_adds_not_one_character(name: str, start: Start) -> None:
    agent = start(name)
    teach(agent.home)
    with ScriptedModel(Script([{"text": "Paris."}])) as model:
        assert agent.prompt(model, ELSEWHERE).code == 0
    with_borgd = texts(model.main[0])
    agent.home.borg("uninstall", name, "--apply")
    with ScriptedModel(Script([{"text": "Paris."}])) as model:
        assert agent.prompt(model, ELSEWHERE).code == 0
    assert "[borg]" not in with_borgd
    assert len(with_borgd) == len(texts(model.main[0]))


@pytest.mark.parametrize(("name", "other"), [("claude-code", "codex"), ("codex", "gemini"), ("gemini", "claude-code")])
def test_a_correction_in_one_agent_is_a_lesson_in_another(name: str, other: str, start: Start) -> None:
    agent, listener = start(name), start(other)
    first = Script([calling(agent.write("src/uploader.py", "RETRIES = 8")), {"text": "The retries are 8 now."}])
    with ScriptedModel(first) as model:
        assert agent.prompt(model, TASK).code == 0
    repair = calling(agent.write("config/uploader.toml", "retries = 8"))
    filing: Turn = {"file": FLAGS, "text": "Nothing to file."}
    with Filing(agent, Script([repair, filing, {"text": "It is in config/uploader.toml now."}])) as model:
        assert agent.prompt(model, CORRECTION, again=True).code == 0
    assert HINT.search(texts(model.main[0])), "the agent was not told how to file it"
    assert "is proposed" in texts(model.main[2]), "what filing said reaches the agent"
    home = agent.home
    [episode] = Journal(home.root / ".local/share/borgd/episodes.jsonl").read(Episode).records
    assert (episode.agent, episode.correction) == (name, CORRECTION)
    assert list(episode.paths) == ["src/uploader.py"]
    assert list(episode.lines) == ["RETRIES = 8"]
    [waiting] = home.json("lesson", "ratify")["waiting"]
    [done] = home.json("lesson", "ratify", "--keep", waiting["proposal"]["id"])["done"]
    again = calling(listener.write("src/uploader_queue.py", "RETRIES = 9"))
    with ScriptedModel(
        Script([again, {"text": "The retries of the uploader are 9 now."}, {"text": "So they are."}])
    ) as model:
        assert listener.prompt(model, "Raise the retries of the uploader to 9.").code == 0
    assert any(LEARNED in texts(body) for body in model.main), "the other agent was not told"
    assert done["lesson"] in {row["id"] for one in home.json("why")["decisions"] for row in one["pool"]}


def test_a_correction_typed_while_codex_works_is_heard_in_that_turn(start: Start) -> None:
    agent = start("codex")
    waiting = agent.home.project / "go-on"
    loop = f"until test -e {waiting}; do sleep 0.1; done"
    script = Script([calling(agent.write("src/uploader.py", "RETRIES = 8")), calling(agent.shell(loop)), {"text": "Done."}])
    with ScriptedModel(script) as model, CodexHost(agent, model) as host:
        host.begin(TASK)
        until(lambda: len(model.main) == 2)
        host.steer(CORRECTION)
        waiting.touch()
        host.wait()
    assert "lesson propose" in texts(model.main[2]), "the agent was not told how to file it"
    [episode] = Journal(agent.home.root / ".local/share/borgd/episodes.jsonl").read(Episode).records
    assert (episode.correction, episode.task) == (CORRECTION, TASK)
    assert "uploader.py" in episode.proposal


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.parametrize("name", OTHERS)
def test_a_read_over_the_budget_is_refused_with_its_reason(name: str, start: Start) -> None:
    agent = start(name, "[investigation.main]\nmode = 'enforce'\nmax_retrieval_calls = 2\nmax_iterations = 'none'\n")
    for number in range(3):
        (agent.home.project / f"src/f{number}.py").write_text(f"VALUE = {number}77\n")
    reads = [calling(agent.shell(f"cat src/f{number}.py")) for number in range(3)]
    with ScriptedModel(Script([*reads, {"text": "I conclude from two files."}])) as model:
        ran = agent.prompt(model, "Find out what the values are.")
    assert ran.code == 0, ran.err
    last = texts(model.main[3])
    assert "VALUE = 177" in last
    assert "VALUE = 277" not in last
    assert "2 of 2 retrieval" in last, "what was spent"
    assert "borg investigate extend" in last, "what to do now"
    until(lambda: len(denials(agent)) == 1)  # the trail is written behind the answer


def denials(agent: RealAgent) -> list[object]:
    return [one for one in agent.home.json("audit")["verdicts"] if one["verdict"] == "deny"]


def test_a_question_of_codex_is_deferred_answered_in_the_inbox_and_told(start: Start) -> None:
    agent = start("codex", "[interrupts]\nattended = 'meter'\ndaily_interrupt_budget = 1\n")
    options = [{"label": label, "description": label} for label in ("Red", "Blue")]

    def ask(number: int) -> Turn:
        asked = {"id": "k", "header": "Store", "question": f"Which store for part {number}?", "options": options}
        return calling({"name": "request_user_input", "input": {"questions": [asked]}})

    script = Script([ask(1), ask(2), {"text": "I go on without."}, {"text": "Blue, then."}])
    with ScriptedModel(script) as model, CodexHost(agent, model, mode="plan") as host:
        host.say("Plan the stores.")
        assert [one["question"] for one in host.asked] == ["Which store for part 1?"], "the second was not put to the person"
        [waiting] = agent.home.json("inbox")["asks"]
        assert "part 2" in waiting["question"]
        told = texts(model.main[2])
        assert "Not asked now" in told
        assert f"inbox as #{waiting['number']}" in told
        agent.home.borg("inbox", "answer", str(waiting["number"]), "Blue")
        host.say("Go on.")
    assert "Blue" in texts(model.main[3]).split("Go on.")[1]


def test_a_question_of_gemini_in_its_terminal_is_deferred_answered_in_the_inbox_and_told(start: Start) -> None:
    agent = start("gemini", "[interrupts]\nattended = 'meter'\ndaily_interrupt_budget = 0\n")
    options = [{"label": label, "description": label} for label in ("Red", "Blue")]
    asked = {"header": "Store", "type": "choice", "question": "Which store for the parts?", "options": options}
    ask = calling({"name": "ask_user", "input": {"questions": [asked]}})
    with ScriptedModel(Script([ask, {"text": "I go on without."}, {"text": "Blue, then."}])) as model:
        command = [str(agent.find()), "-m", "gemini-2.5-pro", "-i", "Ask me what you need."]
        with Screen(command, agent.env | agent.model_env(model), agent.home.project) as screen:
            screen.watch(lambda: len(model.main) == 2)
            [waiting] = agent.home.json("inbox")["asks"]
            assert waiting["question"] == "Which store for the parts?"
            told = texts(model.main[1])
            assert "Not asked now" in told
            assert f"inbox as #{waiting['number']}" in told
            agent.home.borg("inbox", "answer", str(waiting["number"]), "Blue")
            screen.wait("I go on without")
            screen.settle()
            screen.type("Go on with it.")
            screen.press("enter")
            screen.watch(lambda: len(model.main) == 3)
    assert "Blue" in texts(model.main[2]).split("I go on without.")[1]


def test_what_codex_sandbox_forbids_says_what_to_allow(start: Start) -> None:
    agent = start("codex")
    config = agent.home.root / ".codex/config.toml"
    closed = "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n"
    config.write_text(config.read_text().replace("danger-full-access", "workspace-write") + closed)
    borg = agent.home.root / ".local/share/borgd/bin/borg"
    tries = calling(agent.shell(f"{borg} status; {borg} lesson add --question 'Is it?' --consequence 'It breaks.'"))
    with ScriptedModel(Script([tries, {"text": "So be it."}])) as model:
        assert agent.prompt(model, "Keep that in mind.").code == 0
    said = texts(model.main[1])
    if "EPERM" not in said and "Read-only file system" not in said:
        pytest.skip(f"Codex has no sandbox on this machine: {said[-200:]}")
    assert "this command runs in Codex's sandbox" in said
    assert "writable_roots" in said
    assert "network_access = true" in said
    assert agent.home.json("lesson", "list")["lessons"] == []


@pytest.mark.parametrize("how", ["killed", "stopped", "deaf"])
@pytest.mark.parametrize("name", OTHERS)
def test_without_its_daemon_the_agent_works_as_if_borgd_were_not_there(name: str, how: str, start: Start) -> None:
    agent = start(name)
    home = agent.home
    home.compile_client({})
    teach(home)
    daemon = int(home.json("status")["pid"])
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
    write = agent.write("src/uploader_retry.py", "RETRY_LIMIT = 8")
    try:
        with ScriptedModel(Script([calling(write), DONE])) as model:
            ran = agent.prompt(model, WORK)
    finally:
        if how == "stopped":
            os.kill(daemon, signal.SIGKILL)
        if deaf:
            deaf.close()
    assert ran.code == 0, ran.err
    assert "retry limit of 8" in ran.out
    assert len(model.main) == 2
    assert QUESTION not in texts(model.main[1])
    assert (home.project / "src/uploader_retry.py").exists()
