"""Secrets in all that agents and people say, through the real client, daemon and commands: no file has a part of one.

Only the agent's own transcripts, which are not ours, and the files that were given to a command may hold them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.protocol import frames as wire
from tests.server.processes import Home, wait_for
from tests.server.support import client, running_daemon, write_config

SECRETS = [
    ("AKIA", "Q3EGRTYU7890ASDF", ""),
    ("token ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", ""),
    ("sk-ant-api03-", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7", ""),
    ("password=", "hunter2Correct9Horse", ""),
    ("curl https://me:", "Tr0ub4dorXkcd7", "@h.example/x"),
    ("postgres://app:", "s3cretPgPass77", "@db.example:5432/app"),
    ("curl -H 'Authorization: Bearer ", "q8w7e6r5t4y3u2i1o0pz", "' https://h.example"),
    ("curl -u deploy:", "n0tForYourEyes22", " https://h.example"),
    ('"api_key": "', "v4lueThatNobodySees", '"'),
    ("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiI0MiIsIm5hbWUiOiJtaXJhIn0", ".c2lnbmF0dXJlLW9mLWl0"),
    ("-----BEGIN PRIVATE KEY-----\n", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", "\n-----END PRIVATE KEY-----"),
]
ALL = "\n".join(f"the uploader retry limit uses {''.join(one)} here" for one in SECRETS)
EDGES = (80, 120, 160, 200, 240, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 4000, 8000, 20000)
NO_ANSWER = 10
"""``borg ask`` ends with it when the ask waits in the inbox."""
PART = 8
"""Characters of a secret that give it away."""
FILLER = "cap the uploader retry limit in Orion "


def at_edge(edge: int, number: int) -> str:
    """A text in which one of the secrets lies across ``edge``."""
    head, secret, tail = SECRETS[number % len(SECRETS)]
    before = (FILLER * (edge // len(FILLER) + 1))[: max(0, edge - len(head) - len(secret) // 2)]
    return f"{before} {head}{secret}{tail} {FILLER * 5}"


TEXTS = [
    ALL,
    *(at_edge(edge, number) for number, edge in enumerate(EDGES)),
    *(at_edge(8000, n) for n in range(len(SECRETS))),
]


def found_in(data: str) -> list[str]:
    """The parts of secrets in ``data``, also as JSON or HTML would write them."""
    return [
        secret
        for _, secret, _ in SECRETS
        if any(secret[start : start + PART] in data for start in range(len(secret) - PART + 1))
    ]


class Host:
    """An agent's hooks over the daemon's socket, its transcripts, and a person's commands."""

    def __init__(self, home: Path, env: dict[str, str], team: Path) -> None:
        self.home, self.env, self.team = home, env, team
        self.at = Home(home)
        self.projects = home / ".claude/projects/w"
        (self.projects / "s1/subagents").mkdir(parents=True)
        self.calls = 0
        self.worked: Counter[str] = Counter()
        """How often each command did what it was told."""
        self.main = {"session_id": "s1", "cwd": "/w/orion", "transcript_path": str(self.projects / "s1.jsonl")}
        self.subagent = {**self.main, "agent_id": "a1", "agent_type": "Explore"}

    def hook(self, event: str, common: dict[str, str] | None = None, **fields: Any) -> Any:
        body = json.dumps({**(common or self.main), "hook_event_name": event, **fields}).encode()
        answer = self.at.ask(f"borg/{wire.VERSION} hook claude-code {event}\n".encode() + body)
        return json.loads(answer.out)

    def tool(self, name: str, common: dict[str, str] | None = None, *, fails: str = "", **fields: Any) -> None:
        self.calls += 1
        call = {"tool_name": name, "tool_use_id": f"t{self.calls}", "tool_input": fields["given"]}
        self.hook("PreToolUse", common, **call)
        if fails:
            self.hook("PostToolUseFailure", common, **call, error=fails)
        else:
            self.hook("PostToolUse", common, **call, tool_response=fields.get("response", {}))

    def borg(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "borgd", *words],
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        self.worked[" ".join(words[:2] if words[0] in ("lesson", "inbox", "debug", "team") else words[:1])] += (
            done.returncode in (0, NO_ANSWER)
        )
        return done.stdout

    def journal(self, name: str) -> list[dict[str, Any]]:
        path = self.home / f".local/share/borgd/{name}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def files(self) -> Iterator[Path]:
        for root in (self.home, self.team):
            yield from (path for path in root.rglob("*") if path.is_file() and self.projects not in path.parents)


def row(number: int, kind: str, content: Any, **fields: Any) -> str:
    message = {"id": f"m{number}", "role": kind, "content": content}
    return json.dumps({"type": kind, "uuid": f"u{number}", "message": message, **fields}) + "\n"


def transcript(texts: list[str], **fields: Any) -> str:
    rows = []
    for number, text in enumerate(texts):
        calls = [
            {"type": "tool_use", "id": f"x{number}", "name": "ExitPlanMode", "input": {"plan": text}},
            {"type": "tool_use", "id": f"y{number}", "name": "Read", "input": {"file_path": f"/w/{text}"}},
            {"type": "tool_use", "id": f"z{number}", "name": "Bash", "input": {"command": text}},
        ]
        rejected = f"The user doesn't want to proceed with this tool use. The user said:\nnever do that, {text}"
        results = [
            {"type": "tool_result", "tool_use_id": f"z{number}", "is_error": True, "content": rejected},
            {"type": "tool_result", "tool_use_id": f"y{number}", "content": text},
        ]
        rows += [
            row(10 * number, "user", f"Raise the limit: {text}", promptId=f"tp{number}", **fields),
            row(10 * number + 1, "assistant", [{"type": "text", "text": text}, *calls], **fields),
            row(10 * number + 2, "user", results, **fields),
            row(10 * number + 3, "user", f"No, don't do that, never: {text}", promptId=f"tq{number}", **fields),
        ]
    return "".join(rows)


def agent_says_it_all(host: Host) -> None:
    """Prompts, tool calls, questions, answers, plans and last words, in the session and in its subagent."""
    for number, text in enumerate(TEXTS):
        host.hook("UserPromptSubmit", prompt=f"Task: {text}", prompt_id=f"p{number}")
        host.tool("Bash", given={"command": text}, fails=text)
        host.tool("Bash", given={"command": f"pytest tests # {text}"}, fails=text)
        host.tool("Bash", given={"command": f"pytest tests # {text}"}, response={"stdout": text})
        host.tool("Bash", given={"command": f"git commit -m '{text}'"}, response={"stdout": f"[main 1a2b3c4] {text}"})
        host.tool("Bash", given={"command": f"cat '{text}'"}, response={"stdout": text})
        host.tool("WebFetch", given={"url": f"https://me:Tr0ub4dorXkcd7@h.example/{number}?password=hunter2Correct9Horse"})
        host.tool("Read", host.subagent, given={"file_path": f"/w/{text}"})
        host.tool("Edit", given={"file_path": f"/w/orion/{text}.py", "old_string": text, "new_string": text})
        host.tool("Task", given={"subagent_type": "Explore", "prompt": text, "model": "opus"})
        question = {"question": text, "header": text[:40], "options": [{"label": text}, {"label": f"b {text}"}]}
        host.tool("AskUserQuestion", given={"questions": [question]}, response={"answers": {text: f"Always, never: {text}"}})
        host.tool("ExitPlanMode", given={"plan": text})
        host.hook("PermissionRequest", tool_name="Bash", tool_input={"command": text})
        host.hook("Notification", message=text, notification_type="permission_prompt")
        host.hook("Stop", last_assistant_message=text, stop_hook_active=False, prompt_id=f"p{number}")
        asked = host.journal("decisions")[-1:]
        names = [entry["id"] for one in asked for entry in one["pool"]]
        answers = "\n".join(f"{name}: applies - {text}" for name in names)
        host.hook("Stop", last_assistant_message=answers, stop_hook_active=True, prompt_id=f"p{number}")
        host.hook("UserPromptSubmit", prompt=f"No, that's wrong, never do that: {text}", prompt_id=f"q{number}")
        host.hook("UserPromptSubmit", prompt=f"borg no {text} --invariant 'never {text}'", prompt_id=f"r{number}")
        host.hook("SubagentStop", host.subagent, last_assistant_message=text)


def person_says_it_all(host: Host, given: Path) -> None:
    """The commands that take a person's or an agent's words."""
    episodes = host.journal("episodes")
    assert len(episodes) > 10
    for number, text in enumerate(text[:9000] for text in TEXTS[::2]):
        short = ["--scope", "Orion", "--situation", text, "--facet", text]
        host.borg("lesson", "add", "--question", f"{number}: {text}?", "--consequence", text, "--overrides", text, *short)
        episode = episodes[number % len(episodes)]["id"]
        told = ["--question", f"p{number}: {text}?", "--consequence", text]
        host.borg("lesson", "propose", "--episode", episode, *told, *short)
        host.borg(
            "ask",
            text,
            "--option",
            f"a {text}",
            "--option",
            "b",
            "--recommended",
            "b",
            "--fallback",
            text,
            "--session",
            "s1",
        )
        host.borg("no", text, "--invariant", f"never {text}")
        waiting = json.loads(host.borg("inbox", "list", "--json"))["asks"]
        host.borg("inbox", "answer", str(waiting[-1]["number"] if waiting else 0), text)
    (given / "CLAUDE.md").write_text("".join(f"- Never do this: {text}\n" for text in TEXTS))
    host.borg("lesson", "import", str(given / "CLAUDE.md"), "--yes", "--all")
    host.borg("assimilate", "--apply")
    host.borg("recall", ALL)
    for command in (["debug", "ope", "--html", str(host.home / "ope.html")], ["report", "--out", str(host.home / "r.html")]):
        host.borg(*command)


@pytest.mark.slow
def test_no_part_of_a_secret_is_in_any_file(tmp_path: Path) -> None:
    home, team, given = tmp_path / "home", tmp_path / "team", tmp_path / "given"
    for directory in (home, given):
        directory.mkdir()
    base = "[recall]\nholdout = 0.3\npolicy = 'budget'\n"
    base += "floor = 0.001\n[interrupts]\ndaily_interrupt_budget = 3\n[people]\nengineer = 'mira'\n"
    write_config(home, base)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    host = Host(home, env, team)
    host.borg("team", "init", str(team))
    (host.projects / "s1.jsonl").write_text(transcript(TEXTS))
    (host.projects / "s1/subagents/agent-a1.jsonl").write_text(transcript(TEXTS, agentId="a1", isSidechain=True))
    client(env, "Stop", json.dumps({**host.main, "last_assistant_message": ALL}).encode())
    question = f"When the uploader retry limit changes ({ALL}), is the cap raised?"
    host.borg("lesson", "add", "--question", question, "--consequence", ALL, "--scope", "Orion")
    with running_daemon(home):
        wait_for(lambda: json.loads(host.borg("status", "--json"))["service"]["loaded"])
        client(env, "UserPromptSubmit", json.dumps({**host.main, "prompt": ALL, "prompt_id": "first"}).encode())
        for body in (
            f'{{"session_id": "{ALL}',
            json.dumps({"session_id": "s" * 300 + ALL}),
            f'{{"session_id": 1, "{ALL}": 2}}',
        ):
            client(env, "Stop", body.encode())
        client(env, SECRETS[0][0] + SECRETS[0][1], json.dumps(host.main).encode())
        agent_says_it_all(host)
        person_says_it_all(host, given)
        host.hook("SessionEnd", reason="other")
        wait_for(lambda: sum(path.stat().st_size for path in team.iterdir() if path.suffix == ".jsonl") > 1000)
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in host.files()}
    names = {path.name for path in texts}
    assert {"lessons.jsonl", "episodes.jsonl", "decisions.jsonl", "outcomes.jsonl", "proposals.jsonl"} <= names
    assert {
        "interrupts.jsonl",
        "inbox.jsonl",
        "daemon.log",
        "hook.log",
        "ope.html",
        "r.html",
        "claude-code-s1.ctx",
        "s1.jsonl",
    } <= names
    assert {str(path.relative_to(tmp_path)): found for path, text in texts.items() if (found := found_in(text))} == {}
    assert [path for path in texts if found_in(str(path))] == []
    assert {command for command, times in host.worked.items() if not times} == set()
