"""The inbox: states and their ends, two terminals at once, late answers, who is told, digests, expiry, restarts."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.config.schema import Config, InboxConfig, InterruptsConfig
from borgd.errors import LimitError
from borgd.limits.interrupts.inbox import Inbox, InboxEntry, chosen
from borgd.limits.interrupts.inbox_text import ANSWER_CHARS, DIGEST_CHARS, answer, digest, digest_due
from borgd.limits.interrupts.records import (
    Answered,
    AnswerTold,
    Asked,
    Dismissed,
    Expired,
    InboxRecord,
    InterruptClosed,
    Queued,
    Worth,
)
from borgd.limits.interrupts.verdict import Ask, AskOption
from borgd.stores.inbox_store import InboxStore
from borgd.stores.interrupt_store import InterruptStore

NOON = 1_767_182_400_000
HOUR = 3_600_000
DAY = 24 * HOUR
QUIET = Config(interrupts=InterruptsConfig(daily_interrupt_budget=1))


def _asked(number: int = 1, **fields: object) -> Asked:
    known: dict[str, object] = {
        "id": f"i{number}",
        "number": number,
        "ms": NOON,
        "window": "day UTC",
        "outcome": "defer",
        "rule": "confidence",
        "reason": "because",
        "scope": "o/r",
        "policy": "p",
        "bar": "1/2",
        "key": f"k{number}",
        "session": "s1",
        "question": "Which?",
        "options": ("red", "blue"),
        "recommended": 1,
        "fallback": "blue",
        "stakes": "1/2",
        "expires_ms": NOON + DAY,
        **fields,
    }
    return Asked(**known)  # type: ignore[arg-type]


def _ask(question: str = "Which colour?", **fields: object) -> Ask:
    known: dict[str, object] = {
        "scope": "o/r",
        "source": "agent",
        "question": question,
        "options": (AskOption("red"), AskOption("blue")),
        "recommended": 1,
        "session": "s1",
        "confidence": 0.1,
        **fields,
    }
    return Ask(**known)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> InterruptStore:
    return InterruptStore(tmp_path, Config())


@pytest.fixture
def box(store: InterruptStore) -> InboxStore:
    return InboxStore(store.journals, "ann")


# states


def test_a_deferred_ask_waits_with_its_options_fallback_and_expiry(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(), NOON).number
    (entry,) = box.entries(NOON)
    assert (entry.number, entry.state, entry.ask.options, entry.ask.recommended) == (number, "deferred", ("red", "blue"), 1)
    assert entry.ask.fallback == "blue"
    assert entry.ask.expires_ms == NOON + 72 * HOUR


def test_a_shown_ask_is_pending_and_the_number_goes_on_over_restarts(tmp_path: Path) -> None:
    numbers = [InterruptStore(tmp_path, Config()).meter(_ask(f"{name}?", confidence=1), NOON).number for name in "abc"]
    assert numbers == [1, 2, 3]
    box = InboxStore(InterruptStore(tmp_path, Config()).journals)
    assert [(entry.number, entry.state) for entry in box.entries(NOON)] == [(1, "pending"), (2, "pending"), (3, "pending")]


@pytest.mark.parametrize(
    ("said", "answered"),
    [("1", "red"), ("2", "blue"), ("BLUE", "blue"), ("#2", "blue"), ("  neither, use green ", "neither, use green")],
)
def test_an_answer_picks_an_option_or_is_free_text(store: InterruptStore, box: InboxStore, said: str, answered: str) -> None:
    number = store.meter(_ask(), NOON).number
    assert box.answer(number, said, NOON).answer == answered


def test_an_answer_has_text(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(), NOON).number
    with pytest.raises(LimitError, match="got none"):
        box.answer(number, "  ", NOON)
    with pytest.raises(LimitError, match="#99"):
        box.answer(99, "red", NOON)


def test_the_one_who_comes_second_is_told_what_was_answered_and_by_whom(tmp_path: Path) -> None:
    number = InterruptStore(tmp_path, Config()).meter(_ask(), NOON).number
    ann, bob = (InboxStore(InterruptStore(tmp_path, Config()).journals, name) for name in ("ann", "bob"))
    bob.entries(NOON)
    ann.answer(number, "red", NOON)
    with pytest.raises(LimitError, match="by ann before: red"):
        bob.answer(number, "blue", NOON)
    with pytest.raises(LimitError, match="by ann"):
        bob.dismiss(number, NOON)
    assert bob.entry(number, NOON).answer == "red"


def test_two_terminals_at_once_one_wins_and_the_others_are_told(tmp_path: Path) -> None:
    number = InterruptStore(tmp_path, Config()).meter(_ask(), NOON).number
    gate, won, told = threading.Barrier(8), [], []

    def terminal(name: str) -> None:
        box = InboxStore(InterruptStore(tmp_path, Config()).journals, name)
        gate.wait()
        try:
            won.append(box.answer(number, f"answer of {name}", NOON).by)
        except LimitError as error:
            told.append(str(error))

    threads = [threading.Thread(target=terminal, args=(f"t{place}",)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(told) == 7
    assert all(f"by {won[0]} before: answer of {won[0]}" in text for text in told)


def test_a_dismissed_ask_is_over(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(), NOON).number
    assert box.dismiss(number, NOON).state == "dismissed"
    with pytest.raises(LimitError, match="dismissed by ann"):
        box.answer(number, "red", NOON)
    with pytest.raises(LimitError, match="dismissed"):
        box.dismiss(number, NOON)
    assert store.answers("s1", "o/r", now_ms=NOON) == []


def test_expiry_records_the_fallback(tmp_path: Path) -> None:
    store = InterruptStore(tmp_path, Config(inbox=InboxConfig(expiry_hours=1)))
    box = InboxStore(store.journals)
    number = store.meter(_ask(), NOON).number
    assert store.tick(NOON + HOUR - 1).expired == []
    assert store.tick(NOON + HOUR).expired == [number]
    entry = box.entry(number, NOON + HOUR)
    assert (entry.state, entry.fallback_taken, entry.ended_ms) == ("expired", True, NOON + HOUR)
    with pytest.raises(LimitError, match="fallback was blue"):
        box.dismiss(number, NOON + HOUR)


def test_listing_expires_what_is_due_without_a_daemon(store: InterruptStore, box: InboxStore) -> None:
    store.meter(_ask(), NOON)
    assert box.entries(NOON + 72 * HOUR) == []
    assert [entry.state for entry in box.entries(NOON + 72 * HOUR, everything=True)] == ["expired"]


def test_a_late_answer_is_kept_and_told(tmp_path: Path) -> None:
    store = InterruptStore(tmp_path, Config(inbox=InboxConfig(expiry_hours=1)))
    box = InboxStore(store.journals)
    number = store.meter(_ask(), NOON).number
    store.tick(NOON + HOUR)
    entry = box.answer(number, "red", NOON + 2 * HOUR)
    assert (entry.state, entry.late, entry.answer) == ("answered", True, "red")
    (text,) = store.answers("s1", "o/r", now_ms=NOON + 2 * HOUR)
    assert "after its expiry" in text
    with pytest.raises(LimitError):
        box.answer(number, "blue", NOON + 3 * HOUR)


def test_worth_it_may_be_said_at_any_time_and_changed(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(), NOON).number
    assert box.worth(number, True, NOON).worth is True
    box.dismiss(number, NOON)
    assert box.worth(number, False, NOON).worth is False


def test_answered_in_the_session_it_is_closed(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(confidence=1, tool_use_id="t1"), NOON).number
    store.close_elsewhere("s1", "t1", "blue", NOON)
    assert box.entries(NOON) == []
    with pytest.raises(LimitError, match="answered in its session before: blue"):
        box.answer(number, "red", NOON)
    assert store.answers("s1", "o/r", now_ms=NOON) == []


def test_the_most_urgent_waits_first(store: InterruptStore, box: InboxStore) -> None:
    for question, stakes in (("low", 0.1), ("high", 0.8), ("middle", 0.5), ("also high", 0.8)):
        store.meter(_ask(question, stakes=stakes), NOON)
    assert [entry.ask.question for entry in box.entries(NOON)] == ["high", "also high", "middle", "low"]


def test_a_flagged_ask_is_first_of_all(store: InterruptStore, box: InboxStore) -> None:
    store.meter(_ask("high", stakes=0.8), NOON)
    store.meter(_ask("flagged", stakes="a lot"), NOON)
    assert [(entry.ask.question, entry.ask.flags) for entry in box.entries(NOON)] == [("flagged", ("stakes",)), ("high", ())]


# who is told


def test_an_answer_reaches_its_session_with_its_next_event_once(store: InterruptStore, box: InboxStore) -> None:
    number = store.meter(_ask(), NOON).number
    assert store.answers("s1", "o/r", now_ms=NOON) == []
    box.answer(number, "red", NOON)
    assert store.answers("s2", "o/r", now_ms=NOON) == [], "another session that is under way"
    (text,) = store.answers("s1", "o/r", now_ms=NOON)
    assert f"#{number}" in text
    assert "Which colour?" in text
    assert "red" in text
    assert store.answers("s1", "o/r", now_ms=NOON) == []


def test_it_reaches_the_next_session_of_the_scope_when_its_own_does_not_come_back(
    store: InterruptStore, box: InboxStore
) -> None:
    box.answer(store.meter(_ask("Which quotes do we use by default?"), NOON).number, "red", NOON)
    assert store.answers("s2", "o/other", starting=True, now_ms=NOON) == []
    (text,) = store.answers("s2", "o/r", starting=True, now_ms=NOON)
    assert "an earlier session" in text
    assert store.answers("s3", "o/r", starting=True, now_ms=NOON) == []
    assert len(store.answers("s1", "o/r", now_ms=NOON)) == 1, "its own session came back after all"


def test_an_answer_survives_a_restart(tmp_path: Path) -> None:
    number = InterruptStore(tmp_path, Config()).meter(_ask(), NOON).number
    InboxStore(InterruptStore(tmp_path, Config()).journals).answer(number, "red", NOON)
    assert len(InterruptStore(tmp_path, Config()).answers("s1", "o/r", now_ms=NOON)) == 1
    assert InterruptStore(tmp_path, Config()).answers("s1", "o/r", now_ms=NOON) == []


def test_a_session_without_a_name_is_owed_nothing_of_others_without_one(store: InterruptStore, box: InboxStore) -> None:
    box.answer(store.meter(_ask("Which quotes do we use by default?", session=""), NOON).number, "red", NOON)
    assert store.answers("", "o/r", now_ms=NOON) == []
    assert len(store.answers("s9", "o/r", starting=True, now_ms=NOON)) == 1


def test_two_processes_hand_an_answer_over_once(tmp_path: Path) -> None:
    number = InterruptStore(tmp_path, Config()).meter(_ask(), NOON).number
    InboxStore(InterruptStore(tmp_path, Config()).journals).answer(number, "red", NOON)
    gate, told = threading.Barrier(6), []

    def hand_over() -> None:
        store = InterruptStore(tmp_path, Config())
        gate.wait()
        told.extend(store.answers("s1", "o/r", now_ms=NOON))

    threads = [threading.Thread(target=hand_over) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 1


def test_a_scope_that_is_none_gets_its_own_sessions_answers_only(store: InterruptStore, box: InboxStore) -> None:
    box.answer(store.meter(_ask(scope=""), NOON).number, "red", NOON)
    assert store.answers("s2", "a//b", starting=True, now_ms=NOON) == []
    assert len(store.answers("s1", "a//b", starting=True, now_ms=NOON)) == 1


@given(st.text(max_size=900), st.text(max_size=900), st.text(max_size=300))
def test_an_answers_text_is_bounded_and_plain(question: str, said: str, fallback: str) -> None:
    entry = InboxEntry(
        _asked(question=question, fallback=fallback), "answered", NOON, answer=said or "x", fallback_taken=True, late=True
    )
    text = answer(entry, NOON + DAY)
    assert 0 < len(text) <= ANSWER_CHARS
    assert "\n" not in text
    assert "24 h ago" in text


# digest


@pytest.mark.parametrize(
    ("last", "now", "due"),
    [
        (None, (8, 59), False),
        (None, (9, 0), True),
        ((9, 1), (12, 59), False),
        ((9, 1), (13, 0), True),
        ((13, 30), (23, 59), True),
        ((17, 0), (23, 59), False),
    ],
)
def test_a_digest_comes_at_each_hour_once(last: tuple[int, int] | None, now: tuple[int, int], due: bool) -> None:
    midnight = NOON - 12 * HOUR

    def at(when: tuple[int, int]) -> int:
        return midnight + when[0] * HOUR + when[1] * 60_000

    assert digest_due((9, 13, 17), "UTC", at(now), None if last is None else at(last)) == due


def test_yesterdays_last_digest_does_not_hold_back_todays_first() -> None:
    assert digest_due((9, 17), "UTC", NOON + DAY, NOON + 6 * HOUR)
    assert not digest_due((), "UTC", NOON, None)


def test_a_digest_is_in_the_owners_time_zone() -> None:
    assert digest_due((9,), "Asia/Tokyo", NOON - 12 * HOUR, None)  # 09:00 there, midnight in UTC
    assert not digest_due((9,), "America/New_York", NOON, None)  # 07:00 there


def test_a_digest_is_shown_once_over_processes_and_not_when_nothing_waits(tmp_path: Path) -> None:
    shown: list[tuple[str, str]] = []

    def notify(title: str, body: str) -> bool:
        shown.append((title, body))
        return True

    desks = [InterruptStore(tmp_path, Config(), notify=notify) for _ in range(2)]
    assert not desks[0].tick(NOON).digest
    desks[0].meter(_ask(), NOON)
    assert [store.tick(NOON).digest for store in (*desks, *desks)] == [True, False, False, False]
    assert len(shown) == 1
    assert "Which colour?" in shown[0][1]
    assert "1 ask waits" in shown[0][0]
    assert desks[1].tick(NOON + HOUR).digest, "13:00"


def test_a_digest_can_be_off_and_a_desktop_absent(tmp_path: Path) -> None:
    store = InterruptStore(
        tmp_path, Config(inbox=InboxConfig(notify=False)), notify=lambda title, body: pytest.fail("shown")
    )
    store.meter(_ask(), NOON)
    assert not store.tick(NOON).digest
    silent = InterruptStore(tmp_path, Config(), notify=lambda title, body: False)
    assert not silent.tick(NOON).digest
    assert not InterruptStore(tmp_path, Config()).tick(NOON).digest


@given(st.lists(st.text(max_size=200), max_size=12))
def test_a_digests_text_is_bounded(questions: list[str]) -> None:
    text = digest(
        [InboxEntry(_asked(number, question=question), "deferred", NOON) for number, question in enumerate(questions)]
    )
    assert len(text) <= DIGEST_CHARS
    assert text.count("\n") <= 4


# mute


def test_a_muted_source_is_excluded_until_its_time_or_its_unmute(store: InterruptStore, box: InboxStore) -> None:
    box.mute("agent", "busy", NOON + HOUR, NOON)
    box.mute("agent", "noise", None, NOON)
    assert store.meter(_ask(stakes=1), NOON).outcome == "excluded"
    box.unmute("agent", "noise", NOON)
    assert store.meter(_ask(stakes=1), NOON).outcome == "excluded"
    with pytest.raises(LimitError, match="not muted"):
        box.unmute("agent", "noise", NOON)
    assert store.meter(_ask(stakes=1), NOON + HOUR).admitted
    assert box.muted(NOON + HOUR) == []


# the fold


RECORDS = st.one_of(
    st.builds(
        lambda number, outcome: Queued(ask=_asked(number, outcome=outcome)),
        st.integers(1, 3),
        st.sampled_from(["admit", "defer"]),
    ),
    st.builds(
        Answered, number=st.integers(1, 4), ms=st.integers(1, 99), text=st.sampled_from(["red", "x"]), by=st.just("ann")
    ),
    st.builds(Dismissed, number=st.integers(1, 4), ms=st.integers(1, 99)),
    st.builds(Expired, number=st.integers(1, 4), ms=st.integers(1, 99), fallback=st.just("blue")),
    st.builds(InterruptClosed, number=st.integers(1, 4), ms=st.integers(1, 99), text=st.just("blue")),
    st.builds(Worth, number=st.integers(1, 4), ms=st.integers(1, 99), yes=st.booleans()),
    st.builds(AnswerTold, number=st.integers(1, 4), ms=st.integers(1, 99), session=st.sampled_from(["s1", "s2"])),
)


@given(st.lists(RECORDS, max_size=25))
def test_the_first_end_stands_but_for_a_late_answer(records: list[InboxRecord]) -> None:
    inbox = Inbox()
    ended: dict[int, str] = {}
    for record in records:
        inbox.apply(record)
        for number, entry in inbox.entries.items():
            if number in ended and ended[number] != "expired":
                assert entry.state == ended[number]
            if number in ended and ended[number] == "expired":
                assert entry.state == "expired" or (entry.state == "answered" and entry.late)
            if not entry.open:
                ended[number] = entry.state
    assert {entry.number for entry in inbox.waiting()} == {number for number in inbox.entries if number not in ended}


@pytest.mark.parametrize("said", ["3", "0", "-1", "²", "1" * 5000, "1,2", "red and blue", "7,8", "x", "?", "9."])
def test_what_is_no_option_and_no_free_text_is_refused(said: str) -> None:
    entry = InboxEntry(_asked(), "deferred", NOON)
    with pytest.raises(LimitError, match="#1"):
        chosen(entry, said)
    assert chosen(entry, said, free=True) == said
    assert chosen(InboxEntry(_asked(options=()), "deferred", NOON), said) == said


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("1,2", "red, blue"),
        ("2, 1, 2", "blue, red"),
        ("Red + blue", "red, blue"),
        ("2", "blue"),
        ("all of them", "all of them"),
    ],
)
def test_several_may_be_chosen_where_the_question_says_so(said: str, answered: str) -> None:
    entry = InboxEntry(_asked(multiple=True), "deferred", NOON)
    assert chosen(entry, said) == answered
    for wrong in ("1,3", "3", "red, 9"):
        with pytest.raises(LimitError):
            chosen(entry, wrong)


def test_a_mark_of_recommendation_need_not_be_typed() -> None:
    entry = InboxEntry(_asked(options=("Yes (Recommended)", "No")), "deferred", NOON)
    for said in ("yes", "1", "YES (recommended)"):
        assert chosen(entry, said) == "Yes (Recommended)"


ENDS: dict[str, InboxRecord] = {
    "answered": Answered(number=1, ms=1, text="red", by="ann"),
    "dismissed": Dismissed(number=1, ms=1),
    "expired": Expired(number=1, ms=1, fallback="blue"),
    "closed elsewhere": InterruptClosed(number=1, ms=1, text="red"),
}


@pytest.mark.parametrize("first", ENDS)
@pytest.mark.parametrize("then", ENDS)
def test_an_end_in_the_journal_is_not_overwritten_by_a_later_line(first: str, then: str) -> None:
    inbox = Inbox()
    for record in (
        Queued(ask=_asked()),
        ENDS[first],
        msgspec.structs.replace(ENDS[then], ms=2),
        Queued(ask=_asked(outcome="admit")),
    ):
        inbox.apply(record)
    late = (first, then) == ("expired", "answered")
    entry = inbox.entry(1)
    assert (entry.state, entry.ended_ms, entry.late) == (("answered", 2, True) if late else (first, 1, False))
    assert inbox.waiting() == []
