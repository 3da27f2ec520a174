"""Specialists: what is gated, which facts decide, by which policy, and what a restart or a stray file does."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.config.schema import EscalationConfig, load
from borgd.errors import ConfigError, LimitError
from borgd.limits.escalation.evaluate import digest
from borgd.limits.escalation.facts import Facts
from borgd.limits.escalation.versions import PolicyChange
from borgd.limits.investigation.ledger import InvestigationLedger, MessageUsage
from borgd.paths import user_paths
from borgd.stores.escalations import EscalationStore, PolicyStore, shipped_policy
from tests.limits.escalation_support import HEAD

STRICTER = shipped_policy().replace("(< $iterations $min_local)", "(<= $iterations $min_local)")
DENY_ALL = f'(= {HEAD} (deny "not this week"))'


def config(text: str = "") -> EscalationConfig:
    return load(f'[escalation]\nspecialists = ["opus*", "security-*"]\n{text}'.encode()).escalation


def spawn(**given: object) -> Event:
    tool = ToolCall(name="Task", id="t1", input=given)
    return Event(agent="claude-code", name="PreToolUse", moment=Moment.BEFORE_TOOL, session="s1", tool=tool)


def ledger(turns: int = 3, tokens: int = 100, *, specialist: bool = False) -> InvestigationLedger:
    found = InvestigationLedger()
    for number in range(turns):
        found.apply(MessageUsage(id=f"m{number}", context=tokens if number == 0 else 0, specialist=specialist, ms=1))
    return found


@pytest.fixture
def gate(home: Path) -> EscalationStore:
    return EscalationStore(user_paths(), config("token_ceiling = 1000"))


def test_only_what_is_configured_is_gated(gate: EscalationStore) -> None:
    assert gate.specialist(spawn(subagent_type="Explore", model="haiku")) == ""
    assert gate.specialist(spawn(subagent_type="Explore", model="Opus-4")) == "Opus-4"
    assert gate.specialist(spawn(subagent_type="security-review")) == "security-review"
    assert gate.specialist(spawn(model=7, subagent_type=None)) == ""
    assert gate.before_tool(spawn(model="haiku"), ledger(), 1) is None
    read = Event(
        agent="x", name="y", moment=Moment.BEFORE_TOOL, session="s", tool=ToolCall(name="Read", input={"model": "opus"})
    )
    assert gate.specialist(read) == ""
    assert EscalationStore(user_paths(), EscalationConfig()).specialist(spawn(model="opus")) == ""


@pytest.mark.parametrize(
    ("turns", "tokens", "given", "word", "reason"),
    [
        (1, 0, {}, "deny", "locally"),
        (2, 1000, {"prompt": "[hard] x"}, "deny", "ceiling"),
        (2, 499, {}, "allow", "soft"),
        (2, 500, {}, "deny", "hard"),
        (2, 500, {"description": "prove it [hard]"}, "allow", "hard"),
        (2, 999, {"prompt": "[hard]"}, "allow", "hard"),
    ],
)
def test_the_meters_decide(
    gate: EscalationStore, turns: int, tokens: int, given: dict[str, str], word: str, reason: str
) -> None:
    judged = gate.before_tool(spawn(model="opus", **given), ledger(turns, tokens), 7)
    assert judged is not None
    assert (judged.verdict.word, reason in judged.verdict.reason) == (word, True)
    assert bool(judged.deny_reason) == (word == "deny")
    assert ("[hard]" in judged.deny_reason) == (word == "deny" and not given)
    line = json.loads(user_paths().journal("escalations").read_text().splitlines()[-1])
    assert (line["allowed"], line["policy"], line["session"]) == (word == "allow", digest(shipped_policy().encode()), "s1")
    assert line["facts"] == {
        "spent": tokens, "ceiling": 1000, "soft": 500, "min_local": 2, "iterations": turns, "hard": bool(given),
    }  # fmt: skip
    assert (judged.audit.limit, judged.audit.evaluator, judged.audit.policy) == (
        "escalation",
        "borgd-policy/1",
        line["policy"],
    )


def test_turns_of_specialists_are_no_local_turns(gate: EscalationStore) -> None:
    judged = gate.before_tool(spawn(model="opus"), ledger(5, specialist=True), 1)
    assert judged is not None
    assert "locally" in judged.verdict.reason


def test_the_soft_threshold_is_exact(home: Path) -> None:
    for fraction, ceiling, soft in ((0.29, 100, Fraction(29)), (0.5, 3, Fraction(3, 2)), (0.1, 3, Fraction(3, 10))):
        gate = EscalationStore(user_paths(), config(f"soft_fraction = {fraction}\ntoken_ceiling = {ceiling}"))
        assert gate.facts(ledger(), hard=False).soft == soft


@pytest.mark.parametrize(
    "text",
    [
        "soft_fraction = nan",
        "soft_fraction = inf",
        "soft_fraction = -0.5",
        "token_ceiling = -1",
        "token_ceiling = 1.5",
        "token_ceiling = true",
    ],
)
def test_settings_that_are_no_numbers_are_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match=text.partition(" ")[0]):
        config(text)


def test_a_model_switch_is_gated_like_a_spawn(gate: EscalationStore) -> None:
    event = Event(agent="claude-code", name="PreModelSwitch", moment=Moment.OTHER, session="s1")
    assert gate.before_switch(event, "haiku", ledger(), 1) is None
    judged = gate.before_switch(event, "opus-4", ledger(1), 1)
    assert judged is not None
    assert judged.verdict.word == "deny"
    always_hard = EscalationStore(user_paths(), config('hard = ["opus*"]\ntoken_ceiling = 100'))
    judged = always_hard.before_switch(event, "opus-4", ledger(2, 60), 1)
    assert judged is not None
    assert judged.verdict.allow


def test_a_meter_below_zero_is_no_refund(gate: EscalationStore) -> None:
    facts = Facts(spent=-5, ceiling=10, soft=Fraction(5), min_local=0, iterations=0, hard=False)
    with pytest.raises(LimitError, match="spent is below 0"):
        gate.judge(facts, "opus", 1)


@pytest.fixture
def store(home: Path) -> PolicyStore:
    return PolicyStore(user_paths(), EscalationConfig())


def test_a_ratified_policy_holds_in_every_process_and_after_a_restart(store: PolicyStore) -> None:
    change = store.propose(STRICTER.encode(), "agent", 1)
    other = PolicyStore(user_paths(), EscalationConfig())
    assert other.effective().source == "shipped"
    store.ratify(change.hash, "ada", 2)
    assert other.effective().policy.hash == change.hash
    assert PolicyStore(user_paths(), EscalationConfig()).effective().policy.hash == change.hash
    assert store.working_copy.read_text() == STRICTER
    assert store.rollback("ada", 3).hash == digest(shipped_policy().encode())
    assert other.effective().source == "shipped"
    assert other.effective().problems == ()


def test_two_terminals_ratify_once(store: PolicyStore) -> None:
    change = store.propose(STRICTER.encode(), "agent", 1)
    stores = [PolicyStore(user_paths(), EscalationConfig()) for _ in range(6)]

    def ratify(one: PolicyStore) -> PolicyChange | None:
        try:
            return one.ratify(change.hash, "ada", 2)
        except LimitError:
            return None

    with ThreadPoolExecutor(6) as pool:
        done = [found for found in pool.map(ratify, stores) if found is not None]
    assert len(done) == 1
    assert len(store.history().pins) == 1


@pytest.mark.parametrize(
    "stray", [b"(", b"", b"\xff" * 50_000, shipped_policy().replace(">=", ">").encode(), DENY_ALL.encode()]
)
def test_a_stray_file_on_disk_changes_nothing_and_is_reported(store: PolicyStore, stray: bytes) -> None:
    store.ratify(store.propose(STRICTER.encode(), "agent", 1).hash, "ada", 2)
    store.working_copy.write_bytes(stray)
    now = PolicyStore(user_paths(), EscalationConfig()).effective()
    assert now.policy.hash == digest(STRICTER.encode())
    assert len(now.problems) == 1
    assert "changes nothing" in now.problems[0]


def test_links_and_pipes_in_its_place_change_nothing(store: PolicyStore, tmp_path: Path) -> None:
    store.ratify(store.propose(STRICTER.encode(), "agent", 1).hash, "ada", 2)
    target = tmp_path / "x"
    target.write_text(shipped_policy())
    store.working_copy.unlink()
    store.working_copy.symlink_to(target)
    assert "changes nothing" in store.effective().problems[0]
    store.working_copy.unlink()
    assert store.effective().problems == ()


def test_the_operators_floor_binds_what_is_pinned_and_what_is_proposed(home: Path, tmp_path: Path) -> None:
    floor = tmp_path / "floor.metta"
    floor.write_text(DENY_ALL)
    store = PolicyStore(user_paths(), config(f'floor = "{floor}"'))
    now = store.effective()
    assert (now.source, now.policy.hash) == ("floor", digest(DENY_ALL.encode()))
    assert "the shipped policy is not used" in now.problems[0]
    with pytest.raises(LimitError, match="allows what the floor denies"):
        store.propose(STRICTER.encode(), "agent", 1)
    floor.write_text("(")
    store.configure(config(f'floor = "{floor}"'))
    assert store.effective().source == "shipped"
    assert "the shipped policy is the floor" in store.effective().problems[0]
    store.configure(config('floor = "/does/not/exist"'))
    assert "cannot be read" in store.effective().problems[0]
