"""``borg why`` and ``borg tail`` say lessons in their words; ``why`` says what spoke for and against each."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from borgd import clock
from borgd.cli import dispatch
from borgd.cli.service.tail import LessonWords
from borgd.cli.terminal_text import fitted
from borgd.recall.applies import SAID, WEIGHTS
from borgd.recall.explain import PARTS, in_words, strongest
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

QUESTION = "Is the cap of the uploader raised with its retry limit?"


@pytest.mark.anyio
async def test_why_says_the_question_and_the_parts_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lessons(home, lesson("L1", QUESTION, scope=["Orion"], situations=["raising the retry limit of the uploader"]))
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        assert "L1" in await Agent(service, session="s-one").prompt("In Orion, raise the retry limit of the uploader")
        kept = next(iter(service.sessions.live.values())).decisions
        assert [entry.parts for one in kept for entry in one.pool] == [{}], "a session's memory does not hold them"
        events = (await service.event_log.after(0, 0))["events"]
    assert [event["lessons"] for event in events] == [["L1"]]
    assert dispatch(["why", "s-o"]) == 0
    text = capsys.readouterr().out
    assert f"                 {QUESTION}\n" in text
    assert f"{WEIGHTS['place']:+.1f} {SAID['place']}\n" in text
    assert dispatch(["why", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)["decisions"][0]["pool"][0]
    assert entry["question"] == QUESTION
    assert entry["said"] == in_words(entry["parts"])
    assert 0 < len(entry["parts"]) <= PARTS
    assert list(LessonWords().of(["L1", "L2"])) == [f"          L1: {QUESTION}", "          L2: this lesson is gone"]


def test_parts_are_the_strongest_and_what_speaks_against_comes_last() -> None:
    parts = {name: (-1) ** place * place / 10 for place, name in enumerate(SAID)}
    told = strongest(parts)
    assert len(told) == PARTS
    assert min(map(abs, told.values())) >= max(abs(v) for name, v in parts.items() if name not in told and name != "base")
    signs = [line[0] for line in in_words(parts)]
    assert signs == sorted(signs), "+ sorts before -"
    assert strongest({"place": 0.01}) == {}


@pytest.mark.anyio
async def test_the_first_session_of_a_day_hears_of_the_last_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lessons(home, lesson("L1", QUESTION, scope=["Orion"]))
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        assert await Agent(service, "first").send("SessionStart", source="startup") == {}
        assert "L1" in await Agent(service, "first").prompt("In Orion, raise the retry limit of the uploader")
        tomorrow = clock.now_ms() + int(timedelta(days=1).total_seconds() * 1000)
        monkeypatch.setattr(clock, "now_ms", lambda: tomorrow)
        assert await Agent(service, "second").send("SessionStart", source="resume") == {}
        told = await Agent(service, "third").send("SessionStart", source="startup")
        assert told == {"systemMessage": "borgd, yesterday: 1 lesson shown, none changed the work"}
        assert await Agent(service, "fourth").send("SessionStart", source="startup") == {}
    assert datetime.fromtimestamp(tomorrow / 1000).date() > datetime.now().date()


@pytest.mark.anyio
async def test_nobody_is_greeted_who_does_not_want_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lessons(home, lesson("L1", QUESTION, scope=["Orion"]))
    write_config(home, "[recall]\nholdout = 0.0\n[ui]\ngreet = false\n")
    async with running_service() as service:
        assert "L1" in await Agent(service, "first").prompt("In Orion, raise the retry limit of the uploader")
        tomorrow = clock.now_ms() + int(timedelta(days=1).total_seconds() * 1000)
        monkeypatch.setattr(clock, "now_ms", lambda: tomorrow)
        assert await Agent(service, "second").send("SessionStart", source="startup") == {}


@pytest.mark.parametrize(
    ("text", "columns", "seen"),
    [
        ("a question", 0, "a question"),
        ("a question", 10, "a question"),
        ("a question", 9, "a questi…"),
        ("two words and more", 10, "two words…"),
        ("数量上限を超えた", 16, "数量上限を超えた"),
        ("数量上限を超えた", 9, "数量上限…"),
        ("数量上限を超えた", 8, "数量上…"),
        ("e\u0301te\u0301", 3, "e\u0301te\u0301"),
    ],
)
def test_text_is_cut_to_the_columns_that_it_takes(text: str, columns: int, seen: str) -> None:
    assert fitted(text, columns) == seen
