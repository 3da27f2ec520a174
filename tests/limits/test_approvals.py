"""An approval is of one session and one plan; an answer about a way of working may be quoted later; nothing else travels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.config.schema import Config, InterruptsConfig
from borgd.errors import LimitError
from borgd.limits.interrupts.tools import ask_of, permission_of
from borgd.limits.interrupts.verdict import Ask
from borgd.limits.interrupts.ways_of_working import about_ways_of_working
from borgd.stores.inbox_store import InboxStore
from borgd.stores.interrupt_store import InterruptStore

NOON = 1_767_182_400_000
METERED = Config(interrupts=InterruptsConfig(daily_interrupt_budget=0, plan="meter", permission="meter"))
PLANS = ("1. drop the orders table", "1. rename the helper", "1. rename the helper ")
WAYS = "Which quotes do we use by default?"
CHANGE = "Should I drop the orders table now?"


def _plan(text: str, session: str, **fields: Any) -> Ask:
    ask = ask_of("ExitPlanMode", {"plan": text})
    assert ask is not None
    return _of(ask, session, **fields)


def _of(ask: Ask, session: str, **fields: Any) -> Ask:
    given = {name: getattr(ask, name) for name in ("kind", "question", "body", "options", "fallback", "recommended", "more")}
    return Ask(**{**given, "scope": "o/r", "source": "agent", "session": session, "repository": "o/r", **fields})


@pytest.fixture
def store(tmp_path: Path) -> InterruptStore:
    return InterruptStore(tmp_path, METERED)


def test_an_approved_plan_goes_through_once_and_no_other_does(store: InterruptStore) -> None:
    box = InboxStore(store.journals)
    first = store.meter(_plan(PLANS[0], "s1"), NOON)
    assert first.outcome == "defer"
    assert "state it in the question" not in first.text
    assert box.entry(first.number, NOON).ask.body == PLANS[0]
    assert box.answer(first.number, "approve", NOON).approves
    (told,) = store.answers("s1", "o/r", now_ms=NOON)
    assert "ExitPlanMode again" in told
    assert not store.meter(_plan(PLANS[1], "s1"), NOON).admitted
    assert not store.meter(_plan(PLANS[0], "s2"), NOON).admitted
    assert not store.meter(_of(permission_of("Bash", {"command": PLANS[0]}), "s1"), NOON).admitted
    assert store.meter(_plan(PLANS[0], "s1"), NOON).rule == "approved"
    assert not store.meter(_plan(PLANS[0], "s1"), NOON).admitted
    assert store.status(NOON)["scopes"]["__global__"]["spent"] == 0  # type: ignore[index]


@pytest.mark.parametrize("said", ["1", "keep planning", "no", "use a view instead of the table"])
def test_what_is_no_approval_lets_nothing_through(store: InterruptStore, said: str) -> None:
    number = store.meter(_plan(PLANS[0], "s1"), NOON).number
    assert not InboxStore(store.journals).answer(number, said, NOON).approves
    assert not store.meter(_plan(PLANS[0], "s1"), NOON).admitted


def test_an_approval_ends_with_its_session(tmp_path: Path, store: InterruptStore) -> None:
    box = InboxStore(store.journals)
    used, late = (store.meter(_plan(plan, "s1"), NOON).number for plan in PLANS[:2])
    box.answer(used, "approve", NOON)
    assert sorted(store.end_session("s1", NOON)) == [used, late]
    assert store.end_session("s1", NOON) == []
    with pytest.raises(LimitError, match="is over"):
        box.answer(late, "approve", NOON)
    for desk in (store, InterruptStore(tmp_path, METERED)):
        assert not desk.meter(_plan(PLANS[0], "s1"), NOON).admitted
        assert desk.answers("s1", "o/r", now_ms=NOON) == []
        assert desk.answers("s9", "o/r", starting=True, now_ms=NOON) == []
    assert box.entry(late, NOON).state == "session over"


def test_a_question_ends_with_its_session_and_only_a_way_of_working_is_still_answered(store: InterruptStore) -> None:
    box = InboxStore(store.journals)
    ways, change = (store.meter(Ask(scope="o/r", session="s1", question=text), NOON).number for text in (WAYS, CHANGE))
    store.end_session("s1", NOON)
    assert box.entries(NOON) == []
    with pytest.raises(LimitError, match="is over"):
        box.answer(change, "yes", NOON)
    assert box.answer(ways, "double", NOON).late
    assert store.answers("s2", "o/other", starting=True, now_ms=NOON) == []
    (text,) = store.answers("s2", "o/r", starting=True, now_ms=NOON)
    assert WAYS in text
    assert "o/r" in text
    assert "approves nothing here" in text


@pytest.mark.parametrize(
    "question",
    ["Tabs or spaces in this team's Python?".replace("this", "the"), WAYS, "Do you want British English in docstrings?",
     "Which package manager do we use: npm or pnpm?", "How should we name branches in general?"],
)  # fmt: skip
def test_a_way_of_working(question: str) -> None:
    assert about_ways_of_working(question)


@pytest.mark.parametrize(
    "question",
    [CHANGE, "Approve this plan?", "Which indentation for src/app.py?", "Is the style of this function right?", "Merge #12?",
     "Deploy by default to production?", "Which port?", "Should I always delete the old backups?", "", "Keep the old tags?"],
)  # fmt: skip
def test_what_is_about_one_change_or_cannot_be_told(question: str) -> None:
    assert not about_ways_of_working(question)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["plan", "ask", "answer", "end", "start", "listen", "restart"]),
        st.integers(0, 2),
        st.integers(0, 2),
        st.booleans(),
    ),
    min_size=4,
    max_size=40,
)


@given(STEPS)
@settings(max_examples=120, deadline=None)
def test_never_an_answer_of_one_plan_in_another_session(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int, bool]]
) -> None:
    """Sessions plan, ask, end and begin again in any order; a model of one line a rule says what may come through."""
    directory = tmp_path_factory.mktemp("desk")
    store = InterruptStore(directory, METERED)
    approved: set[tuple[str, str]] = set()
    of_number: dict[int, tuple[str, str, str]] = {}
    for step, (what, which, other, yes) in enumerate(steps):
        session, plan, now = f"s{which}", PLANS[other], NOON + step
        box = InboxStore(store.journals)
        if what == "plan":
            verdict = store.meter(_plan(plan, session), now)
            assert verdict.admitted == ((session, plan) in approved)
            approved.discard((session, plan))
            of_number.setdefault(verdict.number, (session, "plan", plan))
        elif what == "ask":
            text = f"{WAYS if yes else CHANGE} {session}{other}"
            number = store.meter(Ask(scope="o/r", session=session, question=text), now).number
            of_number.setdefault(number, (session, "ways" if yes else "change", text))
        elif what == "answer" and of_number:
            waiting = [number for number, entry in store.journals.inbox.entries.items() if entry.state != "answered"]
            for number in waiting[other : other + 1]:
                owner, kind, text = of_number[number]
                try:
                    box.answer(number, ("approve" if yes else "no") if kind == "plan" else f"the answer {number}", now)
                except LimitError:
                    assert store.journals.inbox.entries[number].session_over
                else:
                    approved |= {(owner, text)} if kind == "plan" and yes else set()
        elif what == "end":
            store.end_session(session, now)
            approved = {pair for pair in approved if pair[0] != session}
            assert not [entry for entry in box.entries(now) if entry.ask.session == session]
        elif what == "restart":
            store = InterruptStore(directory, METERED)
        else:
            for text in store.answers(session, "o/r", starting=what == "start", now_ms=now):
                (number,) = [number for number in of_number if f"ask #{number}" in text]
                owner, kind, asked = of_number[number]
                assert owner == session or (what == "start" and kind == "ways")
                assert owner == session or "approves nothing here" in text
                assert kind == "plan" or asked in text
