"""What lessons cost a day is counted at the journals' ends, and a session's start tells of it once a day."""

from __future__ import annotations

import json
import time
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from borgd.stores.told import recently_told
from borgd.stores.told.greeting import Greeting, spoken
from borgd.stores.told.recently_told import summary, told_by_day, week_before

NOON = datetime(2026, 3, 11, 12, 0)
DAY_MS = 86_400_000


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


NOW_MS = ms(NOON)


def choice(when: datetime, session: str, channel: str, *shown: str, held: tuple[str, ...] = ()) -> dict[str, Any]:
    pool = [{"id": name, "shown": True} for name in shown] + [{"id": name, "held": True} for name in held]
    return {"id": "d", "ms": ms(when), "session": session, "channel": channel, "pool": pool, "chars": 100 * len(shown)}


def result(when: datetime, session: str, lesson: str, kind: str = "changed", **more: Any) -> dict[str, Any]:
    return {"id": "o", "ms": ms(when), "session": session, "lesson": lesson, "kind": kind, **more}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "decisions.jsonl", tmp_path / "outcomes.jsonl"


def write(path: Path, *records: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_lines_blocks_and_what_changed_by_local_day(files: tuple[Path, Path]) -> None:
    yesterday = NOON - timedelta(days=1)
    write(
        files[0],
        choice(yesterday, "a", "early", "L1", "L2"),
        choice(yesterday, "a", "stop", "L2"),
        choice(yesterday, "b", "free", "L3", held=("L4",)),
        choice(NOON - timedelta(hours=1), "c", "stop", "L1", "L3"),
        choice(NOON - timedelta(hours=1), "d", "early", held=("L1",)),
        choice(NOON + timedelta(hours=1), "e", "early", "L1"),
    )
    write(
        files[1],
        result(yesterday, "a", "L2"),
        result(yesterday, "a", "L2"),
        result(yesterday, "b", "L4", held=True),
        result(yesterday, "a", "L1", "ignored"),
        result(NOON, "c", "L3"),
        result(NOON, "c", "L9"),
    )
    days = told_by_day(*files, week_before(NOW_MS), NOW_MS)
    assert sorted(days) == [yesterday.date(), NOON.date()]
    before, today = days[yesterday.date()], days[NOON.date()]
    assert (before.lines, before.blocks, before.sessions, before.characters) == (3, 1, 2, 400)
    assert before.changed == {("a", "L2")}
    assert (today.lines, today.blocks, today.changed) == (0, 1, {("c", "L3")})
    found = summary(days, NOW_MS)
    assert found["days"] == 2
    assert (found["lines_a_day"], found["blocks_a_day"], found["characters_a_day"]) == (1.5, 1.0, 300)


@pytest.mark.parametrize("ago", [*range(12)])
def test_the_average_is_over_the_last_week_at_most(files: tuple[Path, Path], ago: int) -> None:
    write(files[0], choice(NOON - timedelta(days=ago), "a", "early", "L1"))
    found = summary(told_by_day(*files, week_before(NOW_MS), NOW_MS), NOW_MS)
    assert found["days"] == (ago + 1 if ago < 7 else 0)
    assert found["lines_a_day"] == pytest.approx(1 / (ago + 1) if ago < 7 else 0, abs=0.005)


def test_damage_no_file_and_an_end_cut_off_cost_only_themselves(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told_by_day(*files, 0, NOW_MS) == {}
    rows = [choice(NOON, "s", "early", f"L{number}") for number in range(50)]
    write(files[0], *rows)
    with files[0].open("a") as file:
        file.write('{"ms": "soon"}\nnonsense\n' + json.dumps(rows[0])[:40])
    assert told_by_day(*files, 0, NOW_MS)[NOON.date()].lines == 50
    monkeypatch.setattr(recently_told, "TAIL_BYTES", files[0].stat().st_size // 2)
    assert 20 <= told_by_day(*files, 0, NOW_MS)[NOON.date()].lines < 50


def test_a_few_records_out_of_order_hide_none(files: tuple[Path, Path]) -> None:
    old = [choice(NOON - timedelta(days=40), "x", "early", "L1") for _ in range(20)]
    write(files[0], choice(NOON, "a", "early", "L1"), *old, choice(NOON, "b", "early", "L1"))
    assert told_by_day(*files, week_before(NOW_MS), NOW_MS)[NOON.date()].lines == 2


def test_a_day_is_told_of_once_and_at_most_one_a_day(files: tuple[Path, Path], tmp_path: Path) -> None:
    friday, monday = datetime(2026, 3, 6, 15, 0), datetime(2026, 3, 9, 9, 0)
    write(
        files[0],
        choice(friday - timedelta(days=1), "z", "early", "L9"),
        choice(friday, "a", "early", "L1", "L2"),
        choice(friday, "b", "stop", "L1"),
    )
    write(files[1], result(friday, "b", "L1"))

    def at(when: datetime) -> str:
        greeting = Greeting(tmp_path, *files)  # a daemon that was started again
        return greeting.line(ms(when)) if greeting.due(ms(when)) else "not due"

    assert at(friday + timedelta(hours=1)) == "borgd, yesterday: 1 lesson shown, none changed the work"
    assert at(friday + timedelta(hours=2)) == "not due"
    assert at(monday) == "borgd, on Friday: 3 lessons shown, 1 changed the work"
    assert at(monday + timedelta(hours=3)) == "not due"
    assert at(monday + timedelta(days=1)) == "", "it was told of already"
    assert at(monday + timedelta(days=1, hours=1)) == "not due"


def test_nothing_shown_is_nothing_told(files: tuple[Path, Path], tmp_path: Path) -> None:
    write(files[0], choice(NOON, "a", "early", "L1"), choice(NOON - timedelta(days=2), "b", "early", held=("L1",)))
    assert Greeting(tmp_path, *files).line(NOW_MS) == ""


@pytest.mark.parametrize(("ago", "said"), [(1, "yesterday"), (2, "on Monday"), (6, "on Thursday"), (7, "on 2026-03-04")])
def test_days_are_said_as_people_say_them(ago: int, said: str) -> None:
    today = date(2026, 3, 11)
    assert spoken(today - timedelta(days=ago), today) == said


def test_a_state_file_that_is_none_costs_one_line_more(files: tuple[Path, Path], tmp_path: Path) -> None:
    for content in (b"", b"\xff", b'{"on": 3}', b"[]"):
        (tmp_path / "greeted.json").write_bytes(content)
        assert Greeting(tmp_path, *files).due(ms(NOON))


def test_the_end_of_a_long_journal_is_read_whatever_its_length(files: tuple[Path, Path]) -> None:
    """What is read is bounded by bytes, not by the journal."""
    row = json.dumps(choice(NOON - timedelta(days=40), "a", "early", "L1")).encode() + b"\n"
    with files[0].open("wb") as file:
        for _ in range(5):
            file.write(row * 8000)
    assert files[0].stat().st_size > recently_told.TAIL_BYTES
    assert len(recently_told._tail(files[0])) <= recently_told.TAIL_BYTES // len(row) + 1
    assert time.localtime(NOW_MS / 1000).tm_hour == 12
