"""The probability that a lesson applies and is open: its parts, its views, what it is matched by."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import PatternHits
from borgd.recall.applies import SAID, WEIGHTS
from borgd.recall.code_seen import HITS, STEMS, SeenCode, added, code_stems
from borgd.recall.context import Context
from borgd.recall.evidence import Index, episode_stems
from borgd.recall.policy import LINE_COST

SLUICE = Lesson(
    id="SLUICE",
    question="Does every gate command carry the interlock token of its chamber?",
    consequence="Two gates open at once.",
    scope=("Weir Control",),
    situations=("sending a command to a gate", "a new valve driver"),
    signs=(r"GateCommand\(",),
    handled=(r"interlock_token\s*=",),
)
OTHER = Lesson(
    id="OTHER",
    question="Is the gauge's reading converted to metres before it is stored?",
    consequence="Alarms come late.",
    scope=("Weir Control",),
)
PLACE: dict[str, Any] = {"cwd": "/w/weir-control"}


def index(*lessons: Lesson) -> Index:
    found = Index()
    for lesson in lessons:
        found.add(lesson)
    return found


def chances(store: Index, context: Context) -> dict[str, float]:
    return {match.id: match.evidence for match in store.judge(context)}


def code(text: str, store: Index) -> dict[str, Any]:
    return {"code": frozenset(code_stems(text)), "hits": store.patterns.match(text)}


def test_every_part_has_words_and_they_add_up() -> None:
    assert SAID.keys() == WEIGHTS.keys()
    store = index(SLUICE, OTHER)
    (first, *_) = store.judge(Context(text="send a command to the gate", **PLACE), explain=True)
    assert first.parts.keys() == WEIGHTS.keys()


LEFT = "await bus.send(GateCommand(gate=north, angle=40))"
RIGHT = "await bus.send(GateCommand(gate=north, angle=40, interlock_token=chamber.token))"


def test_signs_tell_open_from_handled_where_words_do_not() -> None:
    store = index(SLUICE, OTHER)
    text = "wire up the north lock"
    neither = chances(store, Context(text=text, moment="early", **PLACE))
    made = {
        name: chances(store, Context(text=text, moment="early", **PLACE, **code(written, store)))["SLUICE"]
        for name, written in (("open", LEFT), ("handled", RIGHT))
    }
    assert made["open"] > 5 * made["handled"]
    assert made["open"] > 5 * neither.get("SLUICE", 0.0)


@pytest.mark.parametrize(
    ("turn", "session", "handled"),
    [
        (LEFT, LEFT, False),
        (RIGHT, RIGHT, True),
        (LEFT, RIGHT, False),
        (RIGHT, LEFT + RIGHT, True),
        ("north()", RIGHT, False),
    ],
)
def test_at_stop_a_point_is_handled_where_no_work_leaves_it_open(turn: str, session: str, *, handled: bool) -> None:
    """What an earlier task dealt with may come up again in this one, and is open there."""
    store = index(SLUICE, OTHER)
    text = "sending a command to a gate by a new valve driver"
    now = Context(text=text, **PLACE, **code(turn, store))
    whole = Context(text=text, **PLACE, **code(session, store), turn=now)
    (found,) = (match for match in store.judge(whole) if match.id == "SLUICE")
    assert found.handled is handled


def test_a_lesson_alone_in_its_store_is_not_told_of_every_work_in_its_system() -> None:
    """Being first among one says nothing; its sign, or most of a situation, does."""
    for lesson in (SLUICE, msgspec.structs.replace(SLUICE, signs=(), handled=())):
        store = index(lesson)
        for text in ("look at the colours of the chart", "a quiet mode for the header"):
            told = chances(store, Context(text=f"{text}\nsrc/chart.py", moment="early", **PLACE, **code("draw(x)", store)))
            assert told.get("SLUICE", 0.0) < LINE_COST
    asked = chances(index(SLUICE), Context(text="send a command to the north gate", moment="early", **PLACE))
    assert asked["SLUICE"] > LINE_COST
    for scope in ((), SLUICE.scope):
        store = index(msgspec.structs.replace(SLUICE, scope=scope))
        shown = chances(store, Context(text="wire up the north lock", moment="early", **PLACE, **code(LEFT, store)))
        assert shown["SLUICE"] > LINE_COST


def test_the_current_prompts_work_is_not_drowned_by_the_session() -> None:
    store = index(SLUICE, OTHER)
    turn = Context(text="sending a command to a gate", **PLACE)
    long = Context(text=turn.text + "\n" + "\n".join(f"tidy the gauge page number {n}" for n in range(60)), **PLACE)
    both = msgspec.structs.replace(long, turn=turn)
    assert chances(store, both)["SLUICE"] >= max(chances(store, turn)["SLUICE"], chances(store, long)["SLUICE"]) - 1e-12


def test_a_hurried_lesson_is_found_by_the_episode_that_it_comes_from() -> None:
    written = "def raise_alarm(reading):\n    siren.sound(level=reading.centimetres)\n    pager.page(basin=reading.basin)"
    work = Context(text="siren for the lower basin", **PLACE, code=frozenset(code_stems(written)))
    bare = index(OTHER, SLUICE)
    known = index(SLUICE)
    known.add(OTHER, episode_stems("alarm for the upper basin", "", "in metres!", ["src/alarm.py"], written.split("\n")))
    assert chances(known, work)["OTHER"] > 1.2 * chances(bare, work)["OTHER"]


def test_a_sign_alone_makes_a_candidate_but_not_out_of_scope() -> None:
    store = index(SLUICE)
    hits = {"SLUICE": PatternHits(1, 0)}
    assert "SLUICE" in chances(store, Context(text="zzz", hits=hits, **PLACE))
    assert chances(store, Context(text="zzz", hits=hits, cwd="/w/elsewhere")) == {}


def test_what_a_session_remembers_of_code_is_bounded() -> None:
    seen = SeenCode()
    seen.add([f"stem{n}" for n in range(2 * STEMS)], {f"L{n}": PatternHits(1, 0) for n in range(2 * HITS)})
    assert len(seen.stems) == STEMS
    assert len(seen.hits) == HITS
    seen.add([], {f"L{2 * HITS - 1}": PatternHits(2, 4)})
    assert seen.hits[f"L{2 * HITS - 1}"] == PatternHits(3, 4)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [("a\nb", "a\nc\nb", "c"), ("", "x\ny", "x\ny"), ("  a", "\ta\nz", "z"), ("a", "a", "")],
)
def test_only_new_lines_are_what_an_edit_wrote(old: str, new: str, kept: str) -> None:
    assert added(new, old) == kept


@pytest.mark.parametrize("text", ["/srv/builds/weir-control/src/gates.py", "apps/weir_control/gates.py"])
def test_a_touched_path_places_work_that_has_no_directory(text: str) -> None:
    store = index(SLUICE, OTHER)
    nowhere = Context(text="a new valve driver\nsrc/other/valves.py")
    touched = Context(text=f"a new valve driver\n{text}")
    assert chances(store, touched)["SLUICE"] > 10 * chances(store, nowhere).get("SLUICE", 1e-9)


@pytest.mark.parametrize("word", ["환불", "수문", "배포"])
def test_a_korean_word_of_two_syllables_finds_its_lesson(word: str) -> None:
    asked = Lesson(id="KO", question=f"{word} 기록을 남겼는가?", consequence="추적할 수 없다.")
    store = index(asked, OTHER)
    assert chances(store, Context(text=f"{word} 화면을 고쳐 줘")).keys() == {"KO"}


@pytest.mark.parametrize(("repo", "repos"), [("acme/weir", ("acme/weir",)), ("h:1f2e", ("acme/weir", "h:1f2e"))])
def test_a_lesson_without_scope_is_at_home_where_it_was_written(repo: str, repos: tuple[str, ...]) -> None:
    """Under its own name or the one that a team's files hold; elsewhere it must be spoken for by more."""
    lesson = msgspec.structs.replace(SLUICE, scope=(), repo=repo)
    store = index(lesson, OTHER)
    work = {"text": "wire up the north lock", "cwd": "/w/north", "moment": "early", **code(LEFT, store)}
    home = chances(store, Context(**work, remote="acme/weir", repos=repos))["SLUICE"]
    away = chances(store, Context(**work, remote="acme/other", repos=("acme/other", "h:77")))["SLUICE"]
    nowhere = chances(store, Context(**work, repos=("",))).get("SLUICE", 0.0)
    assert home > LINE_COST
    assert home > 3 * away
    assert nowhere <= away


@pytest.mark.parametrize("situation", ["a release", "the release notes", "release"])
def test_one_word_of_a_session_asks_for_no_lesson_by_name(situation: str) -> None:
    """A situation of a word or two is whole in many a session; a sentence is not."""
    lesson = msgspec.structs.replace(SLUICE, signs=(), handled=(), situations=(situation,))
    (found,) = index(lesson).judge(Context(text="mention the new colour in the notes of the release", **PLACE), explain=True)
    assert found.parts["close"] == 0
    spoken = msgspec.structs.replace(lesson, situations=("sending a command to a gate of a chamber",))
    (found,) = index(spoken).judge(
        Context(text="send the command that opens the gate of chamber two", **PLACE), explain=True
    )
    assert found.parts["close"] > 0
