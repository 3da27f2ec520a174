"""What people met with session ids, transcripts, compaction, subagents and worktrees."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from borgd.errors import ProtocolError
from borgd.journal import Journal
from borgd.memory.records import Outcome
from borgd.sessions.transcript_tail import FIRST_BYTES, READ_BYTES
from borgd.stores import repository as repository_module
from borgd.stores.repository import name as repository_name
from tests.pipeline.test_field_stops import CAP, DONE, TASK, working
from tests.server.support import Agent, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def row(number: int, text: str = "working", **fields: Any) -> str:
    """A line of a transcript: one message of the assistant with its tokens."""
    message = {
        "id": f"m{number}",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5},
    }
    return json.dumps({"type": "assistant", "uuid": f"u{number}", "message": message, **fields}) + "\n"


def states(home: Path) -> list[Path]:
    """State files, wherever below the home they lie."""
    return list(home.rglob("*.ctx"))


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", ".", "/etc/passwd", "a/b", "a\\b", "x" * 200, "\u0000", "é🤖", "con", "a b\nc"]
)
async def test_a_session_id_names_no_file_outside_its_directory(orion: Path, name: str) -> None:
    """Whatever an id holds, its state lies in one file in the sessions directory, and the session works."""
    async with running_service() as service:
        assert await Agent(service, name).prompt(TASK)
        file = service.sessions.get("claude-code", name).file.path
        assert file.parent == orion / ".local/state/borgd/sessions"
        assert file.is_file()
    assert [found.parent.name for found in states(orion)] == ["sessions"]


async def test_no_session_shares_its_file_with_anothers_subagent(orion: Path) -> None:
    """A dot in an id does not make it the file of a session and its subagent."""
    async with running_service() as service:
        pairs = [("a.b", ""), ("a", "b"), ("a.b.c", ""), ("a", "b.c"), ("a.b", "c")]
        paths = {service.sessions.get("claude-code", *pair).file.path for pair in pairs}
    assert len(paths) == len(pairs)


async def test_an_id_without_end_is_refused_and_remembered_nowhere(orion: Path) -> None:
    """A megabyte in place of an id costs that event alone, in memory, trace and files."""
    async with running_service() as service:
        for field in ("session_id", "agent_id", "prompt_id", "tool_use_id", "tool_name"):
            with pytest.raises(ProtocolError, match="of more than"):
                await Agent(service).send("PreToolUse", **{"tool_name": "Read", field: "x" * 900_000})
        assert len(service.sessions.live) == 0
        assert len(json.dumps(await service.event_log.after(0, 0))) < 1000


async def test_a_prompt_before_any_session_start_is_served(orion: Path) -> None:
    """Some hosts start a session only with its first prompt, some never say so."""
    async with running_service() as service:
        assert "CAP" in await Agent(service, "never-started").prompt(TASK)


async def test_a_second_start_of_the_same_session_forgets_nothing(orion: Path) -> None:
    """Resumed, cleared or started again under its id, a session is not told again what it was told."""
    async with running_service() as service:
        agent = Agent(service)
        assert await agent.prompt(TASK)
        for source in ("resume", "startup", "fork"):
            assert await agent.send("SessionStart", source=source) == {}
            assert await agent.prompt(TASK) == ""


async def test_a_session_that_changes_its_id_midway_is_the_same_conversation(orion: Path, tmp_path: Path) -> None:
    """Continued under another id with the same transcript, it is not told again; another transcript is another one."""
    (tmp_path / "t.jsonl").write_text("")
    async with running_service() as service:
        for name, transcript, told in (("old", "t", True), ("new", "t", False), ("other", "u", True), ("none", "", True)):
            agent = Agent(service, name)
            agent.prompts = len(name)
            if transcript:
                agent.common["transcript_path"] = str(tmp_path / f"{transcript}.jsonl")
            assert bool(await agent.prompt(f"{TASK} {name}")) is told
        assert [key[1] for key in service.sessions.live] == ["old", "other", "none"]


@pytest.mark.parametrize("text", ["", " \n\t", None])
async def test_an_empty_prompt_is_no_turn(orion: Path, text: str | None) -> None:
    """It opens nothing, closes nothing and is not kept."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        await agent.send("UserPromptSubmit", prompt=text, prompt_id="p9")
        session = service.sessions.get("claude-code", "s1")
        assert session.prompts == [TASK]
        assert session.changed
        assert await agent.stop(DONE)


async def test_lessons_come_again_after_every_compaction_and_only_then(orion: Path) -> None:
    """Compaction takes them out of the agent's sight, however often; any other start does not."""
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        for _ in range(3):
            out = await agent.send("SessionStart", source="compact")
            assert out["hookSpecificOutput"]["hookEventName"] == "SessionStart"
            assert "CAP" in out["hookSpecificOutput"]["additionalContext"]
            assert await agent.send("PreCompact", trigger="auto") == {}
            assert await agent.send("PostCompact", trigger="auto", compact_summary="CAP " * 100) == {}


async def test_compaction_right_after_a_restart_still_finds_them(orion: Path) -> None:
    """The daemon may have been started anew between the lesson and the compaction."""
    async with running_service() as service:
        assert await Agent(service).prompt(TASK)
    async with running_service() as service:
        out = await Agent(service).send("SessionStart", source="compact")
        assert "CAP" in out["hookSpecificOutput"]["additionalContext"]


async def test_a_transcript_of_two_hundred_megabytes_costs_a_bounded_read(orion: Path, tmp_path: Path) -> None:
    """Only its end is read, in pieces, so that no hook waits for it and no memory grows with it."""
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.truncate(200 << 20)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + "".join(row(number, "the end of it") for number in range(50)).encode())
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(path)
        tail_reads = []
        for _ in range(FIRST_BYTES // READ_BYTES + 2):
            begin = time.process_time()
            await agent.tool("Read", {"file_path": "/w/orion/a.py"})
            tail_reads.append(time.process_time() - begin)
        session = service.sessions.get("claude-code", "s1")
        assert session.tail is not None
        assert session.tail.offset == path.stat().st_size
        assert session.last_message == "the end of it"
        assert len(session.tail.reader._rest) <= FIRST_BYTES


async def test_a_transcript_that_is_no_file_holds_nobody_up(orion: Path, tmp_path: Path) -> None:
    """A pipe, a device, a directory, a path of a hundred thousand characters or none at all: as if it were not there."""
    os.mkfifo(tmp_path / "pipe")
    async with running_service() as service:
        for number, path in enumerate(
            [tmp_path / "pipe", "/dev/zero", "/dev/tty", tmp_path, "x" * 100_000, "\0", "relative"]
        ):
            agent = Agent(service, f"s{number}")
            agent.common["transcript_path"] = str(path)
            assert "CAP" in await agent.prompt(TASK)


async def test_tokens_are_counted_once_for_whoever_spent_them(orion: Path, tmp_path: Path) -> None:
    """A subagent's events name its parent's transcript: neither is charged for the other, nor twice."""
    main = tmp_path / "s1.jsonl"
    main.write_text("".join(row(number) for number in range(4)))
    sub = tmp_path / "s1/subagents/agent-a1.jsonl"
    sub.parent.mkdir(parents=True)
    copied = "".join(row(number) for number in range(4))  # a forked subagent's file begins with its parent's rows
    sub.write_text(copied + "".join(row(100 + number, agentId="a1", isSidechain=True) for number in range(3)))
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(main)
        call = {"tool_name": "Read", "tool_input": {"file_path": "/w/a"}}
        for number in range(6):
            await agent.send("PostToolUse", **call, tool_use_id=f"m{number}")
            await agent.send("PostToolUse", **call, tool_use_id=f"s{number}", agent_id="a1", agent_type="Explore")
        await agent.send("SubagentStop", agent_id="a1", agent_type="Explore", agent_transcript_path=str(sub))
        await agent.send("PostToolUse", **call, tool_use_id="m99")
        used = {key[2]: one.usage.input_tokens for key, one in service.sessions.live.items()}
    assert used == {"": 40, "a1": 30}


async def test_unknown_subagents_that_stop_leave_nothing_behind(orion: Path) -> None:
    """Hosts report ends of helpers of their own, with fresh ids and no type, seconds after the parent's Stop."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        files = sorted(service.where.sessions.iterdir())
        for number in range(500):
            sent = {"agent_id": f"fresh{number}", "agent_type": "", "agent_transcript_path": f"/w/t{number}.jsonl"}
            assert await agent.send("SubagentStop", last_assistant_message="x", **sent) == {}
        assert list(service.sessions.live) == [("claude-code", "s1", "")]
        assert sorted(service.where.sessions.iterdir()) == files
        assert len(service.locks) == 1


async def test_a_killed_subagent_is_forgotten_by_its_silence(orion: Path) -> None:
    """It never says that it stopped; idleness ends it, and what it was told gets its last outcome."""
    async with running_service() as service:
        agent = Agent(service)
        await agent.send(
            "PostToolUse", agent_id="a1", tool_name="Edit", tool_use_id="t1", prompt_id="p1",
            tool_input={"file_path": "/srv/orion/uploader_retry.py", "new_string": "the retry limit and the backoff cap"},
        )  # fmt: skip
        assert service.sessions.get("claude-code", "s1", "a1").delivered == {"CAP"}
        await agent.prompt("And now something else")
        later = time.time_ns() // 1_000_000 + service.sessions.idle_ms + 1
        service.sessions.get("claude-code", "s1").last_ms = later
        tracked = len(service.watcher._files)
        await service._expire(later)
        assert [key[2] for key in service.sessions.live] == [""]
        assert len(service.watcher._files) < tracked
    kinds = {one.lesson: one.kind for one in Journal(orion / ".local/share/borgd/outcomes.jsonl").read(Outcome).records}
    assert kinds == {"CAP": "unclear"}


async def test_what_a_subagent_changed_counts_for_what_it_was_told(orion: Path) -> None:
    """Its early lessons are judged at its own stop, by its own edits, not left to a day's silence."""
    async with running_service() as service:
        agent = Agent(service)
        for number, text in enumerate(["LIMIT = 8", "backoff cap of the uploader raised with the retry limit"]):
            await agent.send(
                "PostToolUse", agent_id="a1", tool_name="Edit", tool_use_id=f"t{number}", prompt_id="p1",
                tool_input={"file_path": f"/w/orion/uploader_retry{number}.py", "new_string": text},
            )  # fmt: skip
        session = service.sessions.get("claude-code", "s1", "a1")
        await agent.send("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="raised")
        assert session.changed_lines == []


@pytest.mark.parametrize("kind", ["edit", "look"])
async def test_a_turn_that_lets_a_subagent_do_the_edits_is_asked_like_any_other(orion: Path, kind: str) -> None:
    """Handing the work on is no way past the question at its end; a subagent that only looked changes nothing."""
    tool = "Edit" if kind == "edit" else "Read"
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        for number in range(2):
            await agent.send(
                "PostToolUse", agent_id="a1", agent_type="worker", tool_name=tool, tool_use_id=f"t{number}",
                tool_input={"file_path": "/w/orion/src/uploader_retry.py", "new_string": "LIMIT = 8"},
            )  # fmt: skip
            assert await agent.stop(f"{DONE} {number}", background_tasks=[{"status": "running"}]) == ""
        for _ in range(2):
            await agent.send("SubagentStop", agent_id="a1", agent_type="worker", last_assistant_message="done")
        assert bool(await agent.stop(DONE)) is (kind == "edit")
        assert await agent.stop(DONE, stop_hook_active=True) == ""


async def test_a_directory_that_is_gone_is_no_reason_to_fail(orion: Path, tmp_path: Path) -> None:
    """An agent goes on after its worktree was removed; its events are served as before."""
    work = tmp_path / "orion"
    work.mkdir()
    async with running_service() as service:
        agent = Agent(service, cwd=str(work))
        await agent.prompt("hello")
        work.rmdir()
        assert "CAP" in await agent.prompt(TASK)
        await agent.edit("a.py", "x")
        assert await agent.stop(DONE)


def repository(path: Path, url: str = "") -> Path:
    """A git repository's own files, as far as they are read."""
    (path / ".git").mkdir(parents=True)
    (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    remote = f'[remote "origin"]\n\turl = {url}\n' if url else ""
    (path / ".git/config").write_text(f"[core]\n\tbare = false\n{remote}")
    return path


def worktree(main: Path, path: Path) -> Path:
    """A linked worktree of ``main`` as git lays it out."""
    data = main / ".git/worktrees" / path.name
    data.mkdir(parents=True)
    (data / "commondir").write_text("../..\n")
    path.mkdir(parents=True)
    (path / ".git").write_text(f"gitdir: {data}\n")
    return path


async def test_main_checkout_worktree_and_moved_clone_are_one_place(home: Path, tmp_path: Path) -> None:
    """A lesson for one repository alone comes in each of them, and in no other of the same directory name."""
    url = "git@git.example.com:team/ledger.git"
    main = repository(tmp_path / "a/ledger", url)
    linked = worktree(main, tmp_path / "a/ledger-hotfix")
    moved = repository(tmp_path / "b/ledger-old", url.replace("git@git.example.com:", "https://git.example.com/"))
    other = repository(tmp_path / "c/ledger", "git@git.example.com:rival/ledger.git")
    unnamed = repository(tmp_path / "d/ledger")
    write_lessons(home, {**CAP, "id": "REPO", "scope": [], "reach": "repo", "repo": "team/ledger", "source": "correction"})
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    told = {}
    async with running_service() as service:
        for place in (main, main / ".git/..", linked, moved, other, unnamed):
            agent = Agent(service, f"in {place}", cwd=str(place))
            await agent.prompt(TASK)
            await agent.edit("src/uploader_retry.py", "LIMIT = 8")
            told[place] = bool(await agent.stop(DONE))
    assert list(told.values()) == [True, True, True, True, False, False]


async def test_the_place_is_read_from_every_event(orion: Path, tmp_path: Path) -> None:
    """Entering a worktree announces nothing; only the next event's directory tells."""
    first = repository(tmp_path / "one", "git@h:team/one.git")
    second = repository(tmp_path / "two", "git@h:team/two.git")
    async with running_service() as service:
        agent = Agent(service, cwd=str(first))
        for place, name in ((first, "team/one"), (second, "team/two"), (first, "team/one")):
            agent.common["cwd"] = str(place)
            await agent.tool("Read", {"file_path": "a"})
            assert service.sessions.get("claude-code", "s1").remote == name


async def test_a_session_does_not_expire_while_its_first_event_is_at_work(orion: Path) -> None:
    """The look for silent sessions may come between a session's birth and its first answer."""
    async with running_service() as service:
        agent = Agent(service)
        handle = service.assembly.pipeline.handle  # type: ignore[union-attr]

        async def interrupted(*arguments: Any) -> Any:
            await service._expire(time.time_ns() // 1_000_000)
            return await handle(*arguments)

        service.assembly.pipeline.handle = interrupted  # type: ignore[union-attr, method-assign]
        await agent.prompt(TASK)
        assert list(service.sessions.live) == [("claude-code", "s1", "")]


async def test_a_directory_that_becomes_another_repository_is_noticed(
    orion: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long-lived daemon does not go by what lay there when it first looked."""
    place = repository(tmp_path / "work", "git@h:team/one.git")
    async with running_service() as service:
        await Agent(service, "a", cwd=str(place)).prompt("hello")
        shutil.rmtree(place)
        repository(place, "git@h:team/two.git")
        monkeypatch.setattr(repository_module, "REMEMBERED_S", -1.0)
        await Agent(service, "b", cwd=str(place)).prompt("hello")
        assert service.sessions.get("claude-code", "b").remote == "team/two"


def test_a_pipe_in_a_repository_is_not_waited_for(tmp_path: Path) -> None:
    """What lies in a repository is not ours: reading its name must end."""
    place = repository(tmp_path / "trap")
    (place / ".git/config").unlink()
    os.mkfifo(place / ".git/config")
    assert repository_name(str(place)).startswith("local/trap-")


async def test_a_state_file_keeps_what_it_was_told_whatever_the_names_hold(orion: Path) -> None:
    """Quotes, backslashes and two hundred systems in one prompt: a restart finds every decision again."""
    names = [f'Sys{number}"q\\uoted"Of{"Longer" * 8}Name' for number in range(200)]
    write_lessons(orion, *({**CAP, "id": f"C{number}", "scope": [name]} for number, name in enumerate(names)))
    async with running_service() as service:
        agent = Agent(service, cwd='/w/with "quotes" and \\back\\slashes')
        assert await agent.prompt(TASK + "\n" + "\n".join(names))
        told = service.sessions.get("claude-code", "s1")
    async with running_service() as service:
        again = service.sessions.get("claude-code", "s1")
        assert again.decisions == told.decisions
        assert again.told() == told.told()
        assert again.cwd == told.cwd
        assert again.topics == told.topics
