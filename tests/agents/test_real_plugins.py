"""Real opencode and oh-my-pi, as a person meets borgd in them; what is learned there is told in another agent."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from tests.agents.claude import REPOSITORY, Home
from tests.agents.clients import RealAgent, Tool
from tests.agents.plugin_clients import OhMyPi, OpenCode, PluginAgent, Served, until
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts
from tests.server.support import client

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

QUESTION = "When the retry limit of the Orion uploader changes, is the backoff cap raised with it?"
CONSEQUENCE = "The uploader hammers the storage backend until it is throttled."
WORK = "In Orion, raise the retry limit of the uploader from 3 to 8, keep the backoff as it is."
DONE: Turn = {"text": "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."}
TASK = "Raise the retries of the uploader to 8."
CORRECTION = "stop, not there. uploader settings live in config/uploader.toml and nowhere else"
LEARNED = "Are settings of the uploader in config/uploader.toml and nowhere else?"
FLAGS = (
    f"--question '{LEARNED}' --consequence 'Two places disagree after a deploy.' "
    "--situation 'raise the retries of the uploader' --situation 'change a setting of the uploader' "
    "--sign 'RETRIES ?=' --handled 'config/uploader'"
)
HINT = re.compile(r"(\S*/bin/borg lesson propose (?:--episode E\w+|--session [\w-]+ --turn \d+))")
KINDS: dict[str, type[PluginAgent]] = {"opencode": OpenCode, "omp": OhMyPi}

READS = 6
"""Two within the budget, and more than one over it: on a busy machine a denial may come too late."""

Start = Callable[..., PluginAgent]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start("omp", config)``: that agent in a home of its own, borgd installed in it and running."""
    home = Home(tmp_path)

    def started(name: str, config: str = "") -> PluginAgent:
        kind = KINDS[name]
        if kind.find() is None:
            if os.environ.get(kind.variable):
                pytest.fail(f"{kind.package} is not installed although {kind.variable} names it")
            pytest.skip(f"{name} is not installed: npm install --prefix . {kind.package}")
        agent = kind(home)
        agent.install()
        (home.root / ".config/borgd").mkdir(parents=True)
        (home.root / ".config/borgd/config.toml").write_text(f"[recall]\nholdout = 0.0\n{config}")
        home.borg("start")
        return agent

    yield started
    home.borg("stop", check=False)


def served(agent: PluginAgent, model: ScriptedModel) -> Served:
    assert isinstance(agent, OpenCode)
    return Served(agent, model)


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


@pytest.mark.parametrize("name", KINDS)
def test_the_lesson_comes_early_and_at_stop_and_the_next_stop_is_quiet(name: str, start: Start) -> None:
    agent = start(name)
    lesson = teach(agent.home)
    write = agent.write("src/uploader_retry.py", "RETRY_LIMIT = 8  # backoff cap unchanged")
    answer: Turn = {"text": f"{lesson}: applies - the cap is raised to 60 s as well."}
    with ScriptedModel(Script([calling(write), DONE, answer])) as model:
        if name == "opencode":  # ``run`` ends at its first idle
            with served(agent, model) as opencode:
                opencode.say(WORK, stops=2)
        else:
            assert agent.prompt(model, WORK).code == 0
    assert QUESTION in texts(model.main[0]), "the early lesson is not in the first request"
    assert len(model.main) == 3, "one block, one continuation, then quiet"
    assert "[borg]" in texts(model.main[2]).split(DONE["text"])[1], "the block did not reach the model"
    until(lambda: outcomes(agent), "the answer is judged")  # the test hears of the agent's rest when the daemon does
    assert outcomes(agent) == ["changed"]


def outcomes(agent: PluginAgent) -> list[str]:
    """What came of the lesson that was asked at Stop; its early line came before."""
    found = agent.home.json("why")["decisions"]
    assert [one["channel"] for one in found] == ["early", "stop"]
    return [one["kind"] for one in found[1]["pool"][0]["outcomes"]]


def test_opencode_run_hears_the_lesson_and_is_not_asked_at_its_end(start: Start) -> None:
    agent = start("opencode")
    teach(agent.home)
    with ScriptedModel(Script([calling(agent.write("src/uploader_retry.py", "RETRY_LIMIT = 8")), DONE])) as model:
        ran = agent.prompt(model, WORK)
    assert ran.code == 0, ran.err
    assert QUESTION in texts(model.main[0])
    assert len(model.main) == 2
    assert [one["channel"] for one in agent.home.json("why")["decisions"]] == ["early"], "nothing is told that nobody hears"


@pytest.mark.parametrize("name", KINDS)
def test_an_unrelated_prompt_adds_not_one_character(name: str, start: Start) -> None:
    agent = start(name)
    teach(agent.home)
    with ScriptedModel(Script([{"text": "Paris."}])) as model:
        assert agent.prompt(model, "What is the capital of France?").code == 0
    assert "[borg]" not in json.dumps(model.requests)
    assert agent.home.json("status")["service"]["last_events"][name], "the plugin was there"


@pytest.mark.parametrize("name", KINDS)
def test_loaded_twice_it_tells_once(name: str, start: Start) -> None:
    agent = start(name)
    teach(agent.home)
    own = Path(agent.home.root, {"opencode": ".config/opencode/plugin", "omp": ".omp/agent/extensions"}[name], "borgd.ts")
    project = agent.home.project / {"opencode": ".opencode/plugin/borgd.ts", "omp": ".omp/extensions/borgd.ts"}[name]
    project.parent.mkdir(parents=True)
    shutil.copy(own, project)
    shutil.copy(own, own.with_name("borgd-again.ts"))
    with ScriptedModel(Script([DONE, {"text": "Nothing to add."}])) as model:
        assert agent.prompt(model, WORK).code == 0
    assert texts(model.main[0]).count(QUESTION) == 1
    assert [one["channel"] for one in agent.home.json("why")["decisions"]] == ["early"]


@pytest.mark.parametrize("name", KINDS)
def test_the_agent_can_load_the_plugin_by_itself(name: str, start: Start) -> None:
    """Without ``borg install``: opencode by a line of its settings, oh-my-pi by a word of its command line."""
    agent = start(name)
    teach(agent.home)
    agent.home.borg("uninstall", name, "--apply")
    module = REPOSITORY / "hooks" / {"opencode": "opencode/plugin.ts", "omp": "omp/extension.ts"}[name]
    with ScriptedModel(Script([DONE, {"text": "Nothing to add."}])) as model:
        assert agent.prompt(model, WORK, load=str(module)).code == 0
    assert texts(model.main[0]).count(QUESTION) == 1


@pytest.mark.parametrize("name", KINDS)
def test_a_correction_is_filed_and_told_in_another_agent(name: str, start: Start) -> None:
    agent = start(name)
    home = agent.home
    first = Script([calling(agent.write("src/uploader.py", "RETRIES = 8")), {"text": "The retries are 8 now."}])
    with ScriptedModel(first) as model:
        assert agent.prompt(model, TASK).code == 0
    repair = calling(agent.write("config/uploader.toml", "retries = 8"))
    filing: Turn = {"file": FLAGS, "text": "Nothing to file."}
    with Filing(agent, Script([repair, filing, {"text": "It is in config/uploader.toml now."}])) as model:
        assert agent.prompt(model, CORRECTION, again=True).code == 0
    assert HINT.search(texts(model.main[0])), "the agent was not told how to file it"
    assert "is proposed" in texts(model.main[2]), "what filing said reaches the agent"
    [episode] = Journal(home.root / ".local/share/borgd/episodes.jsonl").read(Episode).records
    assert (episode.agent, episode.correction) == (name, CORRECTION)
    assert episode.paths == ("src/uploader.py",)
    assert "retries are 8" in episode.proposal
    [waiting] = home.json("lesson", "ratify")["waiting"]
    home.borg("lesson", "ratify", "--keep", waiting["proposal"]["id"])
    said = {"session_id": "another", "cwd": str(home.project), "prompt_id": "p1", "prompt": "Change the uploader."}
    told = client(home.env, "UserPromptSubmit", json.dumps(said).encode())
    edit = {"file_path": str(home.project / "src/queue.py"), "old_string": "x", "new_string": "RETRIES = 9"}
    call = {**said, "tool_name": "Edit", "tool_input": edit, "tool_use_id": "t1"}
    told += client(home.env, "PreToolUse", json.dumps(call).encode())
    assert LEARNED in told.decode(), "Claude Code was not told"


def test_a_correction_typed_while_opencode_works_is_heard_in_that_turn(start: Start) -> None:
    agent = start("opencode")
    waiting = agent.home.project / "go-on"
    loop = f"until test -e {waiting}; do sleep 0.1; done"
    script = Script([calling(agent.write("src/uploader.py", "RETRIES = 8")), calling(agent.shell(loop)), {"text": "Done."}])
    with ScriptedModel(script) as model, served(agent, model) as opencode:
        opencode.begin(TASK)
        until(lambda: len(model.main) == 2, "the agent works")
        opencode.begin(CORRECTION)
        waiting.touch()
        until(lambda: len(model.main) >= 3, "the agent goes on")
    assert "lesson propose" in texts(model.main[2]), "the agent was not told how to file it"
    [episode] = Journal(agent.home.root / ".local/share/borgd/episodes.jsonl").read(Episode).records
    assert (episode.correction, episode.task) == (CORRECTION, TASK)


@pytest.mark.parametrize("name", KINDS)
def test_a_read_over_the_budget_is_refused_with_its_reason(name: str, start: Start) -> None:
    agent = start(name, "[investigation.main]\nmode = 'enforce'\nmax_retrieval_calls = 2\nmax_iterations = 'none'\n")
    for number in range(READS):
        (agent.home.project / f"src/f{number}.py").write_text(f"VALUE = {number}77\n")
    reads = [calling(agent.read(f"src/f{number}.py")) for number in range(READS)]
    with ScriptedModel(Script([*reads, {"text": "I conclude from two files."}])) as model:
        ran = agent.prompt(model, "Find out what the values are.")
    assert ran.code == 0, ran.err
    last = texts(model.main[READS])
    assert "VALUE = 177" in last
    refused = [number for number in range(READS) if f"VALUE = {number}77" not in last]
    assert refused, "none of them was refused"
    assert min(refused) >= 2
    assert "2 of 2 retrieval" in last, "what was spent"
    assert "borg investigate extend" in last, "what to do now"
    # some may come too late for the agent, whose plugin waits a quarter of a second; the trail is written behind the answer
    until(lambda: len(denials(agent)) == READS - 2, "every denial is in the trail")


def denials(agent: PluginAgent) -> list[object]:
    return [one for one in agent.home.json("audit")["verdicts"] if one["verdict"] == "deny"]


def test_a_question_of_opencode_is_deferred_answered_in_the_inbox_and_told(start: Start) -> None:
    agent = start("opencode", "[interrupts]\nattended = 'meter'\ndaily_interrupt_budget = 1\n")
    assert isinstance(agent, OpenCode)
    asks = [calling(agent.ask(f"Which store for part {number}?", ["Red", "Blue"])) for number in (1, 2)]
    script = Script([*asks, {"text": "I go on without."}, {"text": "Blue, then."}])
    with ScriptedModel(script) as model, served(agent, model) as opencode:
        opencode.say("Plan the stores.")
        assert opencode.asked == ["Which store for part 1?"], "the second was not put to the person"
        [waiting] = agent.home.json("inbox")["asks"]
        assert "part 2" in waiting["question"]
        told = texts(model.main[2])
        assert "Not asked now" in told
        agent.home.borg("inbox", "answer", str(waiting["number"]), "Blue")
        opencode.say("Go on.")
    assert "Blue" in texts(model.main[3]).split("Go on.")[1]


@pytest.mark.parametrize("how", ["killed", "stopped", "deaf", "uninstalled"])
@pytest.mark.parametrize("name", KINDS)
def test_without_its_daemon_the_agent_works_as_if_borgd_were_not_there(name: str, how: str, start: Start) -> None:
    agent = start(name)
    home = agent.home
    teach(home)
    daemon = int(home.json("status")["pid"])
    deaf = None
    os.kill(daemon, signal.SIGSTOP if how == "stopped" else signal.SIGKILL)
    if how in ("killed", "deaf"):
        (home.root / ".local/share/borgd/launch").unlink()
    if how == "uninstalled":
        shutil.rmtree(home.root / ".local/share/borgd")
    if how == "deaf":
        home.socket.unlink()
        deaf = socket.socket(socket.AF_UNIX)
        deaf.bind(str(home.socket))
        deaf.listen(100)
    try:
        with ScriptedModel(Script([calling(agent.write("src/uploader_retry.py", "RETRY_LIMIT = 8")), DONE])) as model:
            ran = agent.prompt(model, WORK)
    finally:
        if how == "stopped":
            os.kill(daemon, signal.SIGKILL)
        if deaf:
            deaf.close()
    assert ran.code == 0, ran.err
    assert "retry limit of 8" in ran.out
    assert len(model.main) == 2
    assert "[borg]" not in json.dumps(model.requests)
    assert (home.project / "src/uploader_retry.py").exists()
