"""What a person takes back becomes an episode, told once; secrets stay out of every file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio


def episodes(home: Path) -> list[Episode]:
    return Journal(home / ".local/share/borgd/episodes.jsonl").read(Episode).records


async def test_a_correction_becomes_an_episode_and_is_told_once(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        assert await agent.prompt("Add a retry to the uploader.") == ""
        await agent.edit("src/uploader.py", "retry()")
        await agent.stop("I added a retry without a cap.")
        hint = await agent.prompt("No, don't do that. Retries here always need a backoff cap.")
        assert "borg lesson propose --episode E" in hint
        assert len(hint) < 300
        agent.prompts = 1
        assert await agent.prompt("No, don't do that. Retries here always need a backoff cap.", prompt_id="other") == ""
    [found] = episodes(home)
    assert found.task == "Add a retry to the uploader."
    assert found.proposal == "I added a retry without a cap."
    assert "backoff cap" in found.correction
    assert found.id in hint


async def test_a_first_prompt_is_a_task_however_it_is_worded(home: Path) -> None:
    async with running_service() as service:
        assert await Agent(service).prompt("No, don't use tabs; always use spaces in this file.") == ""
    assert episodes(home) == []


async def test_who_wants_no_proposals_gets_none(home: Path) -> None:
    write_config(home, "[capture]\npropose = false\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Add a retry.")
        await agent.stop("Added a retry without a cap.")
        assert await agent.prompt("No, that is wrong, always cap it.") == ""
    assert len(episodes(home)) == 1


async def test_an_answer_that_states_a_rule(home: Path) -> None:
    question = "Which format should the log have?"
    options = [{"label": "JSON"}, {"label": "Plain text"}]
    asked = {"questions": [{"question": question, "header": "Log", "options": options}]}
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Add logging.")
        rule = {"answers": {question: "Always JSON in this repository, never plain text."}}
        out = await agent.tool("AskUserQuestion", asked, rule)
        assert "borg lesson propose" in out["hookSpecificOutput"]["additionalContext"]
        assert await agent.tool("AskUserQuestion", asked, {"answers": {question: "JSON"}}) == {}
    assert [one.rule for one in episodes(home)] == ["answer-rule"]


async def test_words_with_a_rejected_call_come_through_the_transcript(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    said = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, "
        "the user said:\nnever edit generated files, change the template instead"
    )
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Fix the header.")
        result = {"type": "tool_result", "tool_use_id": "t9", "is_error": True, "content": said}
        row = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": [result]}}
        transcript.write_text(json.dumps(row) + "\n")
        out = await agent.edit("src/template.txt", "x")
        assert "borg lesson propose" in out["hookSpecificOutput"]["additionalContext"]
    [found] = episodes(home)
    assert found.rule == "rejected-call"
    assert "generated files" in found.correction


async def test_a_rejected_call_is_heard_with_the_next_prompt_and_is_what_was_proposed(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    said = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nnever edit generated files here"
    )
    use = {"type": "tool_use", "id": "t9", "name": "Edit", "input": {"file_path": "/w/gen/header.h", "new_string": "x"}}
    result = {"type": "tool_result", "tool_use_id": "t9", "is_error": True, "content": said}
    rows = [
        {"type": "assistant", "uuid": "a1", "message": {"id": "m1", "content": [use]}},
        {"type": "user", "uuid": "u1", "message": {"role": "user", "content": [result]}},
        {"type": "assistant", "uuid": "a2", "message": {"id": "m2", "content": [{"type": "text", "text": "Understood."}]}},
    ]
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Fix the header.")
        transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
        await agent.stop("Understood.")
        assert "borg lesson propose" in await agent.prompt("Go on with the template.")
    [found] = episodes(home)
    assert "header.h" in found.proposal


SECRETS = [
    "AKIA" + "Q3EGRTYU7890ASDF",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "sk-ant-api03-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7",
    "hunter2Correct9Horse",
]


def everything(home: Path) -> str:
    """Every file below the home, whatever wrote it, as one text."""
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in home.rglob("*") if path.is_file())


async def test_a_secret_is_in_no_file_that_was_written(home: Path, tmp_path: Path) -> None:
    """Planted in prompts, tool input and output, plans, answers, questions, vetoes, transcripts."""
    text = f"use {SECRETS[0]} and {SECRETS[1]}, key {SECRETS[2]}, password={SECRETS[3]} for the Orion uploader retry limit"
    write_lessons(
        home,
        lesson(
            "CAP", "When the retry limit of the uploader changes, is the cap raised?", scope=["Orion"], engineers=["root"]
        ),
    )
    write_config(
        home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.001\n[interrupts]\ndaily_interrupt_budget = 1\n"
    )
    transcript = tmp_path / "t.jsonl"
    rows: list[dict[str, Any]] = [
        {"type": "assistant", "uuid": "a1", "message": {"id": "m1", "content": [{"type": "text", "text": text}]}},
        {
            "type": "assistant",
            "uuid": "a2",
            "message": {
                "id": "m2",
                "content": [
                    {"type": "tool_use", "id": "t7", "name": "ExitPlanMode", "input": {"plan": text}},
                    {"type": "tool_use", "id": "t8", "name": "Read", "input": {"file_path": f"/w/{SECRETS[1]}.txt"}},
                ],
            },
        },
    ]
    transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt(text)
        await agent.tool("Bash", {"command": f"pytest -k {SECRETS[1]}"}, fails=text)
        await agent.edit(f"src/{SECRETS[1]}.py", text)
        question = {"question": text, "header": "h", "options": [{"label": SECRETS[1]}, {"label": "b"}]}
        await agent.tool("AskUserQuestion", {"questions": [question]}, {"answers": {text: f"always {text}"}})
        await agent.tool("AskUserQuestion", {"questions": [{**question, "question": f"and {text}?"}]})
        await agent.stop(text)
        await agent.tool("Bash", {"command": f"pytest -k {SECRETS[1]}"}, {"stdout": text})
        await agent.stop(f"CAP: applies - {text}", stop_hook_active=True)
        await agent.prompt(f"No, that's wrong: {text}")
        await agent.prompt(f"borg no {text} --invariant 'never {text}'")
        with pytest.raises(Exception, match="damaged"):
            await service.hook("claude-code", "Stop", f'{{"session_id": "{SECRETS[0]}'.encode())
        await agent.send("SessionEnd", reason="other")
    written = everything(home)
    assert len(written) > 3000
    assert [secret for secret in SECRETS if secret in written] == []
