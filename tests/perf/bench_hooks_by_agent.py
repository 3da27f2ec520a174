"""What each hook costs as each agent sees it: the installed command line, run as that agent runs it, in one run.

Every agent is installed into a throw-away home by ``borg install --all``; its own settings say what is run. Rounds of all
agents are interleaved, beside what the same shell takes for nothing at all. opencode and oh-my-pi call no process: their
plugin's own handler is timed inside node, where there are node and TypeScript. Prints a table; asserts only that it ran.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.agents import AGENTS, agent
from borgd.agents.event import Moment
from borgd.agents.wiring import WIRINGS
from tests.agents.plugins import Driver, checked
from tests.perf.sizes import sized
from tests.server.processes import Home

pytestmark = [pytest.mark.perf, pytest.mark.timeout(900)]

ROUNDS = sized(40, 5)
PAYLOADS = Path(__file__).parents[1] / "agents" / "payloads"
SHELLS = {"codex": ["bash", "-lc"], "gemini": ["bash", "-c"], "cursor": ["sh", "-c"], "copilot": ["bash", "-c"]}
"""host: the shell that each agent gives a hook's command line to; Claude Code's entries need none."""
COLUMNS = {
    "session start": Moment.SESSION_START,
    "prompt": Moment.PROMPT,
    "before a call": Moment.BEFORE_TOOL,
    "after a call": Moment.AFTER_TOOL,
    "stop": Moment.STOP,
}


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Home]:
    """A home with every agent's directory in it, borgd installed for all of them and running."""
    home = Home(tmp_path)
    for name, wiring in WIRINGS.items():
        Path(wiring.directory({}, str(tmp_path))).mkdir(parents=True, exist_ok=True)
        if wiring.plugin is not None:
            continue
        done = home.borg("install", name, "--apply")
        assert done.returncode == 0, done.stderr
    assert home.borg("start").returncode == 0
    yield home
    home.borg("stop")


def commands(home: Home, name: str) -> dict[str, tuple[list[str], bytes]]:
    """By column: what the agent runs for it, and what it writes to its standard input."""
    settings = json.loads(Path(WIRINGS[name].path({}, str(home.directory))).read_text())
    found = {}
    for column, moment in COLUMNS.items():
        for event, entries in settings["hooks"].items():
            if agent(name).MOMENTS.get(event) is not moment or column in found:
                continue
            handler = entries[0] if WIRINGS[name].flat else entries[0]["hooks"][0]
            words = handler.get("args")
            line = handler.get("command") or handler.get("bash")
            command = [line, *words] if words is not None else [*SHELLS[name], line]
            payload = next(iter(sorted((PAYLOADS / name).glob(f"{event}*.json"))))
            found[column] = (command, payload.read_bytes())
    return found


def took_ms(command: list[str], body: bytes, env: dict[str, str]) -> float:
    begin = time.perf_counter()
    done = subprocess.run(command, input=body, env=env, stdout=subprocess.PIPE, check=False, timeout=60)
    took = (time.perf_counter() - begin) * 1000
    assert done.returncode == 0
    return took


def shown(times: list[float]) -> str:
    if not times:
        return f"{'-':>13}"
    ordered = sorted(times)
    return f"{statistics.median(ordered):6.1f} ({ordered[int(len(ordered) * 0.9)]:4.0f})"


def test_wall_time_per_hook_as_each_agent_sees_it(installed: Home, capsys: pytest.CaptureFixture[str]) -> None:
    env = {**installed.env, "SHELL": "/bin/bash", "LANG": os.environ.get("LANG", "C.UTF-8")}
    run = {name: commands(installed, name) for name in AGENTS if WIRINGS[name].plugin is None}
    floors = {name: [*SHELLS.get(name, ["/bin/true"]), ":"] if name in SHELLS else ["/bin/true"] for name in run}
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS):
        for name, columns in run.items():
            taken.setdefault((name, "nothing"), []).append(took_ms(floors[name], b"", env))
            for column, (command, body) in columns.items():
                taken.setdefault((name, column), []).append(took_ms(command, body, env))
    names = ["nothing", *COLUMNS]
    with capsys.disabled():
        print(f"\n\nWall time of one hook as the agent waits for it, ms: median (p90), {ROUNDS} interleaved rounds")
        print(f"  {'':12}" + "".join(f"{name:>15}" for name in names) + f"{'/ nothing':>12}")
        for name, columns in run.items():
            cells = [shown(taken.get((name, column), [])) for column in names]
            middle = [statistics.median(taken[(name, column)]) for column in columns]
            ratio = statistics.median(middle) / statistics.median(taken[(name, "nothing")])
            print(f"  {name:12}" + "".join(f"{cell:>15}" for cell in cells) + f"{ratio:>11.1f}x")
    assert {len(times) for times in taken.values()} == {ROUNDS}
    assert all(len(columns) == len(COLUMNS) for columns in run.values())


def calls_of(name: str) -> dict[str, dict[str, Any]]:
    """By column: the driver's command that makes the plugin handle it."""
    if name == "opencode":
        inside: dict[str, Any] = {"tool": "bash", "sessionID": "ses1", "callID": "c1"}
        message = {"id": "m1", "role": "user", "sessionID": "ses1"}
        said = [{"type": "text", "text": "fix the bug"}]
        return {
            "prompt": {
                "hook": "chat.message",
                "input": {"sessionID": "ses1"},
                "output": {"message": message, "parts": said},
            },
            "before a call": {"hook": "tool.execute.before", "input": inside, "output": {"args": {"command": "ls"}}},
            "after a call": {
                "hook": "tool.execute.after",
                "input": {**inside, "args": {"command": "ls"}},
                "output": {"title": "", "output": "x", "metadata": {"exit": 0}},
            },
        }
    call: dict[str, Any] = {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}}
    content = [{"type": "text", "text": "x"}]
    return {
        "prompt": {"emit": "before_agent_start", "input": {"prompt": "fix the bug"}},
        "before a call": {"emit": "tool_call", "input": call},
        "after a call": {"emit": "tool_result", "input": {**call, "content": content, "isError": False}},
        "stop": {"emit": "session_stop", "input": {"stop_hook_active": False, "messages": []}},
    }


@pytest.mark.parametrize("name", [name for name, wiring in WIRINGS.items() if wiring.plugin is not None])
def test_time_inside_of_a_plugins_handler(
    name: str, installed: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = tmp_path / "compiled"
    words = ("--noEmit", "false", "--rewriteRelativeImportExtensions", "--allowImportingTsExtensions", "false")
    checked(*words, "--outDir", str(compiled))
    (compiled / "package.json").write_text('{"type": "module"}\n')
    taken: dict[str, list[float]] = {}
    driver = Driver(compiled, name, installed.env, 1, ())
    try:
        for number in range(ROUNDS):
            for column, command in calls_of(name).items():
                text = (
                    json.dumps(command)
                    .replace("the bug", f"bug {number}")
                    .replace('"c1"', f'"c{number}"')
                    .replace('"m1"', f'"m{number}"')
                )
                taken.setdefault(column, []).append(float(driver.do(**json.loads(text))["ms"]))
    finally:
        driver.close()
    with capsys.disabled():
        print(f"\n  {name:12}" + "".join(f"  {column} {shown(times)}" for column, times in taken.items()))
    assert {len(times) for times in taken.values()} == {ROUNDS}
