"""The desk on real journals: charged before shown, given back, joined, restated, observed, recovered, configured anew."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.config.schema import Config, ExclusionConfig, InterruptsConfig, ScopeConfig
from borgd.errors import ConfigError
from borgd.limits.audit import AuditEntry
from borgd.limits.interrupts.inbox_text import DEFERRAL_CHARS
from borgd.limits.interrupts.ledger import RESERVATION_MS, SAME_PROMPT_MS
from borgd.limits.interrupts.stakes import FORM
from borgd.limits.interrupts.verdict import Ask, AskOption, InterruptVerdict
from borgd.stores.inbox_store import InboxStore
from borgd.stores.interrupt_store import InterruptStore

NOON = 1_767_182_400_000
DAY = 86_400_000


def _config(**interrupts: Any) -> Config:
    return Config(interrupts=InterruptsConfig(**interrupts))


def _ask(question: str = "Which colour?", **fields: Any) -> Ask:
    known: dict[str, Any] = {
        "scope": "o/r",
        "source": "agent",
        "question": question,
        "options": (AskOption("red"), AskOption("blue")),
        "recommended": 1,
        "session": "s1",
        **fields,
    }
    return Ask(**known)


def _spent(store: InterruptStore, now: int = NOON, path: str = "__global__") -> int:
    rows = store.status(now)["scopes"]
    assert isinstance(rows, dict)
    return int(rows[path]["spent"]) if path in rows else 0


def _dialogs(store: InterruptStore, now: int = NOON) -> tuple[int, int]:
    """Dialogs that were seen, and those that are only possible."""
    status = store.status(now)
    return int(str(status["observed"])), int(str(status["possible"]))


def _shown(store: InterruptStore, ask: Ask, now: int = NOON) -> InterruptVerdict:
    verdict = store.meter(ask, now)
    if verdict.admitted:
        store.delivered(verdict, now)
    return verdict


@pytest.fixture
def store(tmp_path: Path) -> InterruptStore:
    return InterruptStore(tmp_path, Config())


def test_the_fourth_ordinary_ask_of_the_day_is_deferred_and_a_high_stakes_one_passes(store: InterruptStore) -> None:
    outcomes = [_shown(store, _ask(f"Question {number}?")).outcome for number in range(4)]
    assert outcomes == ["admit", "admit", "admit", "defer"]
    assert _shown(store, _ask("Question 5? [stakes 0.95]")).admitted
    assert _spent(store) == 4
    assert _shown(store, _ask("Question 6?"), NOON + DAY).admitted


def test_a_charge_is_durable_before_the_verdict_is_returned(tmp_path: Path, store: InterruptStore) -> None:
    verdict = store.meter(_ask(), NOON)
    lines = [json.loads(line) for line in (tmp_path / "interrupts.jsonl").read_text().splitlines()]
    assert [(line["kind"], line["id"]) for line in lines] == [("asked", verdict.id)]
    assert _spent(InterruptStore(tmp_path, Config())) == 1


def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    for number in range(3):
        _shown(InterruptStore(tmp_path, Config()), _ask(f"Question {number}?"))
    assert not _shown(InterruptStore(tmp_path, Config()), _ask("One more?")).admitted


def test_delivery_that_fails_gives_the_charge_back_and_the_ask_waits(store: InterruptStore) -> None:
    verdict = store.meter(_ask(), NOON)
    assert _spent(store) == 1
    store.failed(verdict, NOON)
    store.failed(verdict, NOON)
    assert _spent(store) == 0
    assert store.journals.inbox.entry(verdict.number).state == "deferred"


def test_a_charge_given_back_cannot_be_settled_again(tmp_path: Path, store: InterruptStore) -> None:
    verdict = store.meter(_ask(), NOON)
    store.failed(verdict, NOON)
    store.delivered(verdict, NOON)
    assert _spent(store) == 0
    other = store.meter(_ask("Another?"), NOON)
    store.delivered(other, NOON)
    store.failed(other, NOON)
    assert _spent(store) == 1
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "interrupts.jsonl").read_text().splitlines()]
    assert kinds == ["asked", "settled", "asked", "settled"], "settling twice writes nothing"


def test_an_ask_whose_delivery_failed_is_judged_anew_when_it_comes_again(store: InterruptStore) -> None:
    first = store.meter(_ask(), NOON)
    store.failed(first, NOON)
    again = store.meter(_ask(), NOON)
    assert again.admitted
    assert not again.joined
    assert again.number == first.number
    assert _spent(store) == 1


# the same ask again


def test_the_same_ask_again_joins_the_pending_one_uncharged(store: InterruptStore) -> None:
    first = _shown(store, _ask(confidence=0.95))
    for _ in range(7):
        again = _shown(store, _ask(confidence=0.95))
        assert (again.outcome, again.joined, again.number) == ("admit", first.id, first.number)
    assert _spent(store) == 1
    assert len(store.journals.inbox.entries) == 1


def test_the_same_ask_again_joins_the_deferred_one(store: InterruptStore) -> None:
    first = store.meter(_ask(confidence=0.1), NOON)
    again = store.meter(_ask(confidence=0.1), NOON + DAY)
    assert (again.outcome, again.joined, again.number) == ("defer", first.id, first.number)
    assert f"#{first.number}" in again.text


@pytest.mark.parametrize(
    "other", [{"session": "s2"}, {"scope": "o/other"}, {"source": "another"}, {"options": (AskOption("a"), AskOption("b"))}]
)
def test_another_session_scope_source_or_choice_is_another_ask(store: InterruptStore, other: dict[str, Any]) -> None:
    _shown(store, _ask())
    assert not _shown(store, _ask(**other)).joined


def test_a_key_makes_asks_the_same_whatever_their_words(store: InterruptStore) -> None:
    first = _shown(store, _ask("Ship it?", key="release", session="s1"))
    assert _shown(store, _ask("Shall we ship?", key="release", session="s2")).joined == first.id


def test_a_deferred_ask_with_other_numbers_is_judged_anew_under_its_number(store: InterruptStore) -> None:
    first = store.meter(_ask("Sure? [confidence 0.1]"), NOON)
    again = store.meter(_ask("Sure? [stakes 0.95]"), NOON)
    assert (first.outcome, again.outcome, again.joined) == ("defer", "admit", "")
    assert again.number == first.number
    assert store.journals.inbox.entry(first.number).state == "pending"
    assert _spent(store) == 1


def test_a_shown_ask_with_other_numbers_is_not_charged_again(store: InterruptStore) -> None:
    _shown(store, _ask("Sure?"))
    assert _shown(store, _ask("Sure? [stakes 0.95]")).joined
    assert _spent(store) == 1


def test_a_retry_after_a_timed_out_ask_waits_for_the_first_one_on(store: InterruptStore) -> None:
    first = _shown(store, _ask(wait_ms=60_000))
    assert store.tick(NOON + 60_000).expired == []
    assert InboxStore(store.journals).gave_up(first.number, NOON + 60_000).state == "deferred"
    again = _shown(store, _ask(wait_ms=60_000), NOON + 60_001)
    assert (again.outcome, again.number, again.joined) == ("admit", first.number, first.id)
    assert _spent(store) == 1


def test_an_ask_answered_in_its_session_is_closed_and_may_come_again(store: InterruptStore) -> None:
    first = _shown(store, _ask(tool_use_id="t1"))
    assert store.close_elsewhere("s1", "t1", "blue", NOON) == first.number
    assert store.close_elsewhere("s1", "t1", "blue", NOON) == 0
    assert store.close_elsewhere("s1", "unknown", "blue", NOON) == 0
    assert store.journals.inbox.entry(first.number).answer == "blue"
    assert not _shown(store, _ask(tool_use_id="t2")).joined


def test_a_joined_asks_tool_call_closes_the_first_ones_entry(store: InterruptStore) -> None:
    first = _shown(store, _ask(tool_use_id="t1"))
    _shown(store, _ask(tool_use_id="t2"))
    assert store.close_elsewhere("s1", "t2", "blue", NOON) == first.number


def test_the_same_scope_spelled_twice_is_the_same_ask(store: InterruptStore) -> None:
    first = _shown(store, _ask(scope="o/r"))
    assert _shown(store, _ask(scope="__global__/o/r")).joined == first.id


@pytest.mark.parametrize(
    "bad",
    [
        {"scope": None},
        {"scope": "a//b"},
        {"scope": 7},
        {"stakes": 10**5000},
        {"confidence": object()},
        {"stakes": "x" * 10**6},
    ],
)
def test_whatever_is_wrong_with_an_ask_it_waits_in_the_inbox_flagged(store: InterruptStore, bad: dict[str, Any]) -> None:
    verdict = store.meter(_ask(**bad), NOON)
    assert verdict.outcome == "defer"
    entry = store.journals.inbox.entry(verdict.number)
    assert (entry.state, entry.ask.flags) == ("deferred", tuple(bad))


@given(
    st.text(max_size=200),
    st.text(max_size=50),
    st.text(max_size=50),
    st.text(max_size=50),
    st.lists(st.text(max_size=20), max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_any_text_survives_the_journal(
    tmp_path_factory: pytest.TempPathFactory, question: str, session: str, key: str, tool: str, options: list[str]
) -> None:
    directory = tmp_path_factory.mktemp("desk")
    ask = _ask(
        question,
        session=session,
        key=key,
        tool_use_id=tool,
        options=tuple(AskOption(label) for label in options),
        recommended=None,
    )
    verdict = InterruptStore(directory, Config()).meter(ask, NOON)
    again = InterruptStore(directory, Config()).meter(ask, NOON)
    assert again.joined == verdict.id


# exclusions


def test_an_excluded_sources_ask_is_recorded_and_neither_shown_nor_queued(tmp_path: Path) -> None:
    store = InterruptStore(tmp_path, _config(exclusions=(ExclusionConfig(source="agent", cause="noise"),)))
    verdict = store.meter(_ask(stakes=1), NOON)
    assert (verdict.outcome, verdict.number) == ("excluded", 0)
    assert "blue" in verdict.text
    assert len(verdict.text) <= DEFERRAL_CHARS
    assert store.journals.inbox.entries == {}
    assert store.status(NOON)["verdicts"] == {"excluded": 1}
    assert len((tmp_path / "interrupts.jsonl").read_text().splitlines()) == 1


# what the agent is told


@pytest.mark.parametrize("length", [1, 100, 5000])
def test_the_deferral_text_teaches_within_its_bound(store: InterruptStore, length: int) -> None:
    ask = _ask(confidence=0.1, scope="s" * min(length, 128), fallback="f" * length)
    verdict = store.meter(ask, NOON)
    assert len(verdict.text) < 600
    for part in ("0.5", "0.1", "0 of 3", f"#{verdict.number}", "f" * min(length, 90), FORM):
        assert part in verdict.text


@given(st.text(max_size=700), st.text(max_size=300), st.text(max_size=40), st.sampled_from([0.1, "high", 7]))
@settings(max_examples=60, deadline=None)
def test_every_deferral_text_is_one_line_under_600_characters(
    tmp_path_factory: pytest.TempPathFactory, question: str, fallback: str, source: str, confidence: object
) -> None:
    store = InterruptStore(tmp_path_factory.mktemp("desk"), _config(daily_interrupt_budget=0))
    ask = Ask(question=question, fallback=fallback, source=source, confidence=confidence)
    text = store.meter(ask, NOON).text
    assert 0 < len(text) < 600
    assert not {unicodedata.category(letter) for letter in text} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


# observed


def test_a_permission_prompt_is_counted_once_with_the_tool_call_that_caused_it(store: InterruptStore) -> None:
    assert store.observe("permission", "s1", "t1", NOON, possible=True)
    assert not store.observe("permission", "s1", "t1", NOON, possible=True)
    assert _dialogs(store) == (0, 1)
    assert store.observe("notification permission_prompt", "s1", "", NOON + 6000)
    assert _dialogs(store) == (1, 0)
    assert not store.observe("notification permission_prompt", "s1", "", NOON + 7000)
    assert not store.observe("permission", "s1", "t1", NOON + 8000, possible=True)
    assert store.observe("permission", "s1", "t2", NOON + 9000, possible=True)
    assert _dialogs(store) == (1, 1)
    assert _spent(store) == 0


@given(st.lists(st.tuples(st.sampled_from(["permission", "notification"]), st.integers(0, 3)), max_size=12))
@settings(max_examples=40, deadline=None)
def test_a_dialog_is_possible_until_a_notification_says_that_it_was_seen(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    store = InterruptStore(tmp_path_factory.mktemp("desk"), Config())
    announced: dict[int, None] = {}
    seen: set[int] = set()
    for step, (what, call) in enumerate(steps):
        now = NOON + step * 1000
        if what == "permission":
            fresh = call not in announced and call not in seen
            assert store.observe("permission", "s1", f"t{call}", now, possible=True) == fresh
            announced |= {call: None} if fresh else {}
        elif announced:
            named = call if call in announced else next(reversed(announced))
            store.observe("notification permission_prompt", "s1", f"t{named}", now)
            del announced[named]
            seen.add(named)
        assert _dialogs(store, now) == (len(seen), len(announced))


def test_a_permission_prompt_for_the_agents_own_question_is_that_question(store: InterruptStore) -> None:
    _shown(store, _ask(tool_use_id="t1"))
    assert not store.observe("permission", "s1", "t1", NOON)
    assert not store.observe("permission", "s1", "", NOON + 1)
    assert not store.observe("notification", "s1", "", NOON + 1)
    assert store.observe("notification", "s1", "", NOON + SAME_PROMPT_MS)
    assert store.observe("permission", "s2", "", NOON)
    assert store.observe("permission", "s2", "", NOON), "two requests that name no call are two"


def test_observed_prompts_survive_a_restart_and_end_with_the_day(tmp_path: Path, store: InterruptStore) -> None:
    store.observe("permission", "s1", "t1", NOON)
    fresh = InterruptStore(tmp_path, Config())
    assert not fresh.observe("permission", "s1", "t1", NOON)
    assert fresh.status(NOON)["observed"] == 1
    assert fresh.status(NOON + DAY)["observed"] == 0


# crash and clock


def test_an_open_reservation_keeps_its_charge_and_is_settled_once(tmp_path: Path, store: InterruptStore) -> None:
    verdict = store.meter(_ask(), NOON)
    fresh = InterruptStore(tmp_path, Config())
    assert fresh.tick(NOON + RESERVATION_MS - 1).recovered == []
    assert fresh.tick(NOON + RESERVATION_MS).recovered == [verdict.number]
    assert fresh.tick(NOON + RESERVATION_MS).recovered == []
    assert store.tick(NOON + RESERVATION_MS).recovered == []
    assert _spent(fresh) == _spent(store) == 1


def test_an_ask_that_a_crash_kept_from_the_inbox_is_put_there_by_the_next_one(tmp_path: Path, store: InterruptStore) -> None:
    verdict = store.meter(_ask(confidence=0.1), NOON)
    (tmp_path / "inbox.jsonl").unlink()
    fresh = InterruptStore(tmp_path, Config())
    fresh.status(NOON)
    assert fresh.journals.inbox.entry(verdict.number).ask.question == "Which colour?"
    again = InterruptStore(tmp_path, Config())
    again.status(NOON)
    assert len((tmp_path / "inbox.jsonl").read_text().splitlines()) == 1


def test_a_clock_set_back_un_spends_nothing_over_a_restart(tmp_path: Path) -> None:
    for number in range(3):
        _shown(InterruptStore(tmp_path, Config()), _ask(f"Question {number}?"))
    for back in (1, DAY, 30 * DAY):
        assert not _shown(InterruptStore(tmp_path, Config()), _ask(f"After {back}?"), NOON - back).admitted
    assert not _shown(InterruptStore(tmp_path, Config()), _ask("And now?"), NOON + 1).admitted


# configuration


def test_config_changed_in_mid_window_spend_stays_and_new_ceilings_apply(store: InterruptStore) -> None:
    before = [_shown(store, _ask(f"Question {number}?")) for number in range(2)]
    store.configure(_config(daily_interrupt_budget=2))
    tight = _shown(store, _ask("Tight?"))
    assert (tight.admitted, tight.spent, tight.ceiling) == (False, 2, 2)
    store.configure(_config(daily_interrupt_budget=5))
    wide = _shown(store, _ask("Wide?"))
    assert (wide.admitted, wide.spent, wide.ceiling) == (True, 2, 5)
    assert len({before[0].policy, tight.policy, wide.policy}) == 3
    assert before[0].policy == before[1].policy


def test_a_new_scope_ceiling_counts_what_its_subtree_spent_before(store: InterruptStore) -> None:
    _shown(store, _ask(scope="o/r"))
    store.configure(_config(scopes={"o": ScopeConfig(ceiling=1)}))
    assert not _shown(store, _ask("More?", scope="o/other")).admitted


def test_a_changed_time_zone_un_spends_nothing_over_a_restart(tmp_path: Path) -> None:
    late = NOON + 3 * 3_600_000  # midnight in Tokyo
    for number in range(3):
        _shown(InterruptStore(tmp_path, _config(time_zone="UTC")), _ask(f"Question {number}?"), NOON)
    assert not _shown(InterruptStore(tmp_path, _config(time_zone="Asia/Tokyo")), _ask("In Tokyo?"), late).admitted
    assert _spent(InterruptStore(tmp_path, _config(time_zone="Asia/Tokyo")), late + 1) == 3
    assert _shown(InterruptStore(tmp_path, _config(time_zone="Asia/Tokyo")), _ask("Tomorrow?"), late + DAY).admitted


def test_a_config_that_cannot_be_used_leaves_the_one_before(store: InterruptStore) -> None:
    hashed = store.status(NOON)["policy"]
    for broken in (_config(base=Decimal(2)), _config(exclusions=(ExclusionConfig(source=""),))):
        with pytest.raises(ConfigError):
            store.configure(broken)
    with pytest.raises(ConfigError, match="time_zone"):
        store.configure(_config(time_zone="Mars/Olympus"))
    assert store.status(NOON)["policy"] == hashed
    assert _shown(store, _ask()).admitted


# audit and status


def test_every_verdict_gives_the_trail_its_facts(tmp_path: Path) -> None:
    trail: list[AuditEntry] = []
    store = InterruptStore(tmp_path, Config(), audit=trail.append)
    verdicts = [
        store.meter(_ask(f"Question {number}?", confidence=confidence), NOON)
        for number, confidence in enumerate([1, 0.1, "x"])
    ]
    assert [entry.verdict for entry in trail] == [verdict.outcome for verdict in verdicts]
    assert all(entry.policy and entry.reason and entry.session == "s1" for entry in trail)
    assert {"bar", "spent", "ceiling", "confidence", "stakes", "id", "number"} <= trail[0].facts.keys()
    assert msgspec.json.encode(trail)


def test_the_alarm_rings_when_bypasses_pass_a_ceiling(store: InterruptStore) -> None:
    for number in range(4):
        _shown(store, _ask(f"Question {number}?", stakes=1))
    alarms = store.status(NOON)["alarms"]
    assert isinstance(alarms, list)
    assert any("4 times" in str(alarm) for alarm in alarms)
    assert store.status(NOON + DAY)["alarms"] == []


def test_status_is_json(store: InterruptStore) -> None:
    _shown(store, _ask())
    store.meter(_ask("Two?", confidence=0), NOON)
    status = json.loads(msgspec.json.encode(store.status(NOON)))
    assert status["scopes"]["o/r"] == {"spent": 1, "ceiling": 3, "bypass": 0, "bar": 0.65, "configured": False}
    assert status["waiting"] == {"pending": 1, "deferred": 1}


def test_damaged_lines_are_counted_and_the_rest_holds(tmp_path: Path, store: InterruptStore) -> None:
    _shown(store, _ask())
    with (tmp_path / "interrupts.jsonl").open("ab") as file:
        file.write(b'\x00\x00garbage\n{"kind":"from a later version"}\n{"kind":"settled","id":7}\n')
    fresh = InterruptStore(tmp_path, Config())
    assert _spent(fresh) == 1
    assert int(str(fresh.status(NOON)["damaged"])) >= 3
    assert _shown(fresh, _ask("Two?")).admitted


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["meter", "delivered", "failed", "restart"]),
            st.integers(0, 3),
            st.sampled_from([0.1, 0.6, 0.9, 1]),
        ),
        max_size=14,
    )
)
@settings(max_examples=40, deadline=None)
def test_spend_is_what_was_admitted_and_not_given_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, float]]
) -> None:
    directory = tmp_path_factory.mktemp("desk")
    store, open_ones, kept = InterruptStore(directory, Config()), [], 0
    for step, (what, which, confidence) in enumerate(steps):
        if what == "meter":
            verdict = store.meter(_ask(f"Question {step}?", confidence=confidence), NOON + step)
            open_ones += [verdict] if verdict.charged else []
        elif what == "restart":
            store = InterruptStore(directory, Config())
        elif open_ones:
            verdict = open_ones.pop(which % len(open_ones))
            getattr(store, what)(verdict, NOON + step)
            kept += what == "delivered"
        assert _spent(store, NOON + step) == kept + len(open_ones)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["o/r", "o", "", "bad//scope"]),
            st.sampled_from([0, 0.5, 0.94, 1, "x", None]),
            st.sampled_from([0, 0.9, True]),
            st.sampled_from(["agent", "muted"]),
            st.integers(0, 3),
        ),
        max_size=10,
    )
)
@settings(max_examples=40, deadline=None)
def test_an_ask_is_never_dropped(
    tmp_path_factory: pytest.TempPathFactory, asks: list[tuple[str, object, object, str, int]]
) -> None:
    """Each is before the person or in the inbox; an excluded source's is recorded and told its fallback."""
    directory = tmp_path_factory.mktemp("desk")
    store = InterruptStore(directory, _config(exclusions=(ExclusionConfig(source="muted"),)))
    for scope, confidence, stakes, source, which in asks:
        verdict = store.meter(_ask(f"{which}?", scope=scope, confidence=confidence, stakes=stakes, source=source), NOON)
        if source == "muted":
            assert (verdict.outcome, verdict.number) == ("excluded", 0)
            assert verdict.text
        else:
            assert store.journals.inbox.entry(verdict.number).state == ("pending" if verdict.admitted else "deferred")
            assert verdict.admitted or verdict.text
    lines = (directory / "interrupts.jsonl").read_text().splitlines() if asks else []
    assert len(lines) == len(asks)
