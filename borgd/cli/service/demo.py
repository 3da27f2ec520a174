"""``borg demo``: a scripted session in a throw-away home, through the real client and the real daemon.

Prints what the agent would have been told, and why. Touches nothing outside its temporary directory, uses no network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from borgd.cli.terminal_text import flags_of
from borgd.errors import BorgError
from borgd.paths import shipped, socket_path

START_S = 15.0
"""guard: the daemon must answer within this."""
STEP_S = 10.0
"""guard: one command or hook call."""
SESSION = "demo-session"

LESSON = {
    "--question": "When the retry limit of the Orion uploader changes, is the backoff cap raised with it?",
    "--consequence": "The uploader hammers the storage backend until it is throttled.",
    "--scope": "Orion",
    "--situation": "changing the uploader's retry limit or its backoff",
}
TASK = "In Orion, raise the uploader's retry limit from 3 to 8 and keep the backoff as it is."
UNRELATED = "What does the word 'idempotent' mean? One sentence, please."


class DemoHome:
    """The throw-away home: its environment, its daemon, and what an agent does in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "orion"
        self.project.mkdir()
        keep = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL", "TZ")}
        self.env = keep | {"HOME": str(root), "TMPDIR": str(root)}

    def borg(self, *words: str) -> str:
        """What a borg command prints."""
        done = subprocess.run(
            [sys.executable, "-I", "-m", "borgd", *words],
            env=self.env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=STEP_S,
            check=False,
        )  # fmt: skip
        if done.returncode:
            raise BorgError(f"borg {words[0]} failed in the demo: {done.stderr.strip()}")
        return done.stdout

    def hook(self, event: str, **fields: Any) -> dict[str, Any]:
        """What the client answers to one event, as the agent would call it."""
        payload = {"session_id": SESSION, "cwd": str(self.project), "hook_event_name": event, **fields}
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(shipped("hooks") / "borg-hook"), "claude-code", event],
            env=self.env, input=json.dumps(payload).encode(), capture_output=True, timeout=STEP_S, check=True,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def start(self) -> subprocess.Popen[bytes]:
        """The daemon, ready to answer."""
        daemon = subprocess.Popen([sys.executable, "-I", "-m", "borgd", "run"], env=self.env, stdin=subprocess.DEVNULL)
        socket, end = Path(socket_path(self.env, os.getuid())), time.monotonic() + START_S
        while not socket.exists():
            if daemon.poll() is not None or time.monotonic() > end:
                raise BorgError("the daemon did not start in the demo; borgd run says why")
            time.sleep(0.01)
        return daemon


def say(title: str, text: str) -> None:
    """One step of the story."""
    print(f"\n\033[1m{title}\033[0m" if sys.stdout.isatty() else f"\n{title}")
    for line in (text or "(nothing: not one character)").split("\n"):
        print(f"    {line}")


def told(answer: dict[str, Any]) -> str:
    """The text of an answer that reaches the model."""
    return str(answer.get("reason") or answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def session(home: DemoHome) -> None:
    """The scripted session."""
    name = home.borg("lesson", "add", *(word for pair in LESSON.items() for word in pair)).split()[1]
    say(
        "A lesson, learned from a correction last week:",
        f"{name}: {LESSON['--question']}\nOtherwise: {LESSON['--consequence']}",
    )
    home.hook("SessionStart", source="startup")
    say("A prompt that has nothing to do with it:", UNRELATED)
    say("What the agent is told:", told(home.hook("UserPromptSubmit", prompt_id="p1", prompt=UNRELATED)))
    say("A prompt that names Orion:", TASK)
    say("What the agent is told, early:", told(home.hook("UserPromptSubmit", prompt_id="p2", prompt=TASK)))
    written = {"file_path": str(home.project / "uploader_retry.py"), "content": "RETRY_LIMIT = 8  # backoff cap unchanged\n"}
    say(
        "The agent writes uploader_retry.py and wants to stop:",
        "The uploader's retry limit is 8 now, the backoff cap is unchanged.",
    )
    home.hook("PostToolUse", prompt_id="p2", tool_name="Write", tool_use_id="t1", tool_input=written, tool_response={})
    said = "The uploader of Orion has a retry limit of 8; the backoff cap is unchanged."
    stop = home.hook("Stop", prompt_id="p2", stop_hook_active=False, last_assistant_message=said)
    say("What the agent is told at Stop:", told(stop))
    answer = f"{name}: applies - the backoff cap is raised to 60 s as well"
    say("The agent answers, and stops:", answer)
    again = home.hook("Stop", prompt_id="p2", stop_hook_active=True, last_assistant_message=answer)
    say("What the agent is told then:", told(again))
    say("Why (borg why):", home.borg("why", SESSION).rstrip())
    say("What was learned (borg lesson show):", home.borg("lesson", "show", name).rstrip())


def run(argv: list[str]) -> int:
    """Run the demo; the exit code."""
    flags_of(argv, "demo", __doc__)
    with tempfile.TemporaryDirectory(prefix="borg-demo-") as directory:
        home = DemoHome(Path(directory))
        config = Path(directory) / ".config" / "borgd"
        config.mkdir(parents=True)
        (config / "config.toml").write_text("[recall]\nholdout = 0.0  # nothing is withheld in the demo\n")
        daemon = home.start()
        try:
            session(home)
        finally:
            daemon.terminate()
            daemon.wait(STEP_S)
    print("\nNext: borg install claude-code shows what to add to Claude Code's settings; with --apply it adds it.")
    return 0
