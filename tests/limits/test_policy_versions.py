"""The operator's floor, and how a policy comes to hold: nothing loosens, nothing broken decides."""

from __future__ import annotations

import random
import time
from collections import Counter

import msgspec
import pytest

from borgd.errors import LimitError
from borgd.limits.escalation.evaluate import MAX_STEPS, CompiledPolicy, compile_policy, digest, evaluate
from borgd.limits.escalation.floor import as_strict, looser_than
from borgd.limits.escalation.syntax import PolicyError
from borgd.limits.escalation.versions import (
    PolicyChange,
    PolicyHistory,
    check,
    diff,
    effective,
    fold,
    propose,
    ratify,
    rollback,
)
from tests.limits.escalation_support import HEAD, SHIPPED, bare, grid, mutated, random_facts, random_policy

FLOOR = SHIPPED.decode()


def changed(old: str, new: str) -> bytes:
    assert old in FLOOR
    return FLOOR.replace(old, new).encode()


STRICTER = changed("(< $iterations $min_local)", "(<= $iterations $min_local)")
STRICTEST = f'(= {HEAD} (deny "no specialists this week"))'.encode()
LOOSER = changed("(>= $spent $ceiling)", "(> $spent $ceiling)")
BODIES = (bare(SHIPPED), bare(SHIPPED), bare(STRICTER), SHIPPED)
BROKEN = FLOOR.replace("(if", "(when", 1).encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(< $iterations $min_local)", "(<= $iterations (- $min_local 1))"),
        ("(< $iterations $min_local)", "(not (>= $iterations $min_local))"),
        ("(< $iterations $min_local)", "(or (< $iterations $min_local) (< $iterations 3))"),
        ("(>= $spent $ceiling)", "(>= (+ $spent 10) $ceiling)"),
        ("(>= $spent $ceiling)", "(>= (* 2 $spent) (* 2 $ceiling))"),
        ("(< $spent $soft)", "(< (+ 1 $spent) (- $soft 0.5))"),
        ("(== $hard True)", "(and $hard (< (* $spent $iterations) 1000))"),
        ("(== $hard True)", "(if (< $iterations 9) $hard False)"),
    ],
)
def test_as_strict_or_stricter_is_shown_for_all_facts(old: str, new: str) -> None:
    assert looser_than(compile_policy(SHIPPED), compile_policy(changed(old, new))) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(< $iterations $min_local)", "(< $iterations (- $min_local 1))"),
        ("(< $iterations $min_local)", "False"),
        ("(>= $spent $ceiling)", "(> $spent $ceiling)"),
        ("(< $spent $soft)", "(<= $spent $soft)"),
        ("(== $hard True)", "(== $hard False)"),
        ("(== $hard True)", "True"),
        ("(>= $spent $ceiling)", "(and (>= $spent $ceiling) (not (== $spent 123457)))"),
    ],
)
def test_looser_is_refused_with_facts_that_show_it(old: str, new: str) -> None:
    floor, candidate = compile_policy(SHIPPED), compile_policy(changed(old, new))
    looser = looser_than(floor, candidate)
    assert looser is not None
    assert looser.facts is not None
    assert evaluate(candidate, looser.facts).allow
    assert not evaluate(floor, looser.facts).allow


def test_a_gap_hidden_from_any_sample_is_refused() -> None:
    hidden = changed("(>= $spent $ceiling)", "(and (>= $spent $ceiling) (not (== (* 3 (- $spent 5000)) 37035)))")
    looser = looser_than(compile_policy(SHIPPED), compile_policy(hidden))
    assert looser is not None


def test_what_is_too_intricate_to_show_is_refused_in_bounded_time() -> None:
    tower = '(deny "no")'
    for number in range(20):
        tower = (
            f'(if (or (< $spent {number}) (and (< (* $spent $soft) {number}) (< $iterations {number}))) (allow "y") {tower})'
        )
    policy = compile_policy(f"(= {HEAD} {tower})".encode())
    started = time.process_time()
    assert looser_than(compile_policy(SHIPPED), policy) is not None
    assert time.process_time() - started < 20


def test_shown_means_that_no_facts_differ() -> None:
    floor, draw, shown = compile_policy(SHIPPED), random.Random(4), 0
    facts = [*grid(), *(random_facts(draw) for _ in range(300))]
    denied = [told for told in facts if not evaluate(floor, told).allow]
    for _ in range(150):
        policy = compile_policy(random_policy(draw, 3))
        if looser_than(floor, policy) is None:
            shown += 1
            assert not any(evaluate(policy, told).allow for told in denied), policy
    assert shown > 15


def history(*changes: PolicyChange) -> PolicyHistory:
    return fold(PolicyHistory(), [msgspec.to_builtins(change) for change in changes])


def proposed(data: bytes, ms: int = 1) -> PolicyChange:
    return propose(PolicyHistory(), data, FLOOR, "agent", ms)


def pinned(*texts: bytes) -> list[PolicyChange]:
    changes: list[PolicyChange] = []
    for ms, text in enumerate(texts):
        change = proposed(text, ms)
        changes += [change, ratify(history(change), change.hash, FLOOR, "ada", ms)]
    return changes


def test_the_shipped_policy_holds_until_another_is_ratified() -> None:
    now = effective(PolicyHistory(), FLOOR, FLOOR)
    assert (now.source, now.policy.hash, now.problems) == ("shipped", digest(SHIPPED), ())
    waiting = history(proposed(STRICTER))
    assert effective(waiting, FLOOR, FLOOR).policy.hash == digest(SHIPPED)
    after = history(*pinned(STRICTER))
    assert after.waiting is None
    assert (effective(after, FLOOR, FLOOR).source, after.pinned) == ("pinned", digest(STRICTER))


@pytest.mark.parametrize(
    ("data", "says"), [(BROKEN, "not in the policy language"), (LOOSER, "allows what the floor denies"), (b"\xff", "UTF-8")]
)
def test_a_broken_or_looser_proposal_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        propose(PolicyHistory(), data, FLOOR, "agent", 1)


def test_the_operator_may_set_another_floor() -> None:
    assert propose(PolicyHistory(), LOOSER, LOOSER.decode(), "ada", 1).hash == digest(LOOSER)
    with pytest.raises(PolicyError, match="allows what the floor denies"):
        propose(PolicyHistory(), SHIPPED, STRICTER.decode(), "ada", 1)


def test_what_is_ratified_is_what_was_read() -> None:
    change = proposed(STRICTER)
    waiting = history(change)
    for prefix in ("", change.hash[:7], digest(STRICTEST)):
        with pytest.raises(LimitError, match="borg policy diff"):
            ratify(waiting, prefix, FLOOR, "ada", 2)
    assert ratify(waiting, change.hash[:8], FLOOR, "ada", 2).hash == change.hash
    with pytest.raises(LimitError, match="no policy is waiting"):
        ratify(PolicyHistory(), change.hash, FLOOR, "ada", 2)
    with pytest.raises(PolicyError, match="allows what the floor denies"):
        ratify(waiting, change.hash, STRICTEST.decode(), "ada", 2)
    with pytest.raises(PolicyError, match="holds already"):
        propose(history(*pinned(STRICTER)), STRICTER, FLOOR, "agent", 3)


def test_rollback_goes_back_step_by_step_to_the_shipped_policy() -> None:
    changes = pinned(STRICTER, STRICTEST)
    for expected in (STRICTER, SHIPPED):
        changes.append(rollback(history(*changes), FLOOR, "ada", 9))
        assert effective(history(*changes), FLOOR, FLOOR).policy.hash == digest(expected)
    with pytest.raises(LimitError, match="nothing to go back to"):
        rollback(history(*changes), FLOOR, "ada", 9)
    changes += pinned(STRICTEST)
    changes.append(rollback(history(*changes), FLOOR, "ada", 9))
    assert effective(history(*changes), FLOOR, FLOOR).policy.hash == digest(SHIPPED)


@pytest.mark.parametrize(
    ("on_disk", "says"), [(BROKEN, "broken and changes nothing"), (LOOSER, "not the pinned policy"), (b"", "broken")]
)
def test_a_broken_or_unpinned_file_changes_nothing_and_is_reported(on_disk: bytes, says: str) -> None:
    after = history(*pinned(STRICTER))
    now = effective(after, FLOOR, FLOOR, on_disk)
    assert now.policy.hash == digest(STRICTER)
    assert says in now.problems[0]
    assert effective(after, FLOOR, FLOOR, STRICTER).problems == ()


def test_a_tampered_journal_falls_back_to_the_last_policy_that_qualifies() -> None:
    good, bad = pinned(STRICTER), PolicyChange(kind="ratified", hash=digest(LOOSER), ms=5, by="agent")
    unknown = effective(history(*good, bad), FLOOR, FLOOR)
    assert (unknown.source, unknown.policy.hash) == ("earlier pin", digest(STRICTER))
    assert "not in the policy journal" in unknown.problems[0]
    text = PolicyChange(kind="proposed", hash=digest(LOOSER), text=LOOSER.decode(), ms=5, by="agent")
    looser = effective(history(*good, text, bad), FLOOR, FLOOR)
    assert looser.policy.hash == digest(STRICTER)
    assert "allows what the floor denies" in looser.problems[0]
    lying = msgspec.structs.replace(text, hash=digest(STRICTEST))
    assert history(lying).waiting is None
    assert fold(PolicyHistory(), [{"kind": "proposed"}, {}, {"kind": "other", "hash": 1}]) == PolicyHistory()


def test_a_floor_that_became_stricter_than_everything_pinned_decides_itself() -> None:
    now = effective(history(*pinned(STRICTER)), FLOOR, STRICTEST.decode())
    assert (now.source, now.policy.hash, len(now.problems)) == ("floor", digest(STRICTEST), 2)


def test_a_diff_shows_the_line_that_changed() -> None:
    lines = diff(FLOOR, STRICTER.decode()).splitlines()
    assert "+   (if (<= $iterations $min_local)" in lines
    assert diff(FLOOR, FLOOR) == ""


def fuzz(count: int, seed: int) -> Counter[str]:
    """Fuzzed files against the pinned policy: each ends in an error or a verdict, none takes long, none loosens."""
    draw = random.Random(seed)
    floor = compile_policy(SHIPPED)
    held = history(*pinned(STRICTER))
    facts = [random_facts(draw) for _ in range(60)]
    denied = [told for told in facts if not evaluate(floor, told).allow]
    judged: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for number in range(count):
        data = fuzzed(draw, number)
        if number % 100 == 0:
            assert effective(held, FLOOR, FLOOR, data).policy.hash == digest(STRICTER)
        outcome = "broken"
        policy, error = tried(data)
        if policy is None:
            assert error is not None
            assert error.problem
            assert error.line == error.column == 0 or min(error.line, error.column) > 0
        else:
            for told in facts[number % 50 :][:2]:
                assert 0 < evaluate(policy, told).steps <= MAX_STEPS
            body = repr(policy.body)
            if body not in judged:
                judged[body] = "accepted" if as_strict(floor, policy) else "refused"
                assert judged[body] == "refused" or not any(evaluate(policy, told).allow for told in denied), data
            outcome = judged[body]
        seen[outcome] += 1
    return seen


def fuzzed(draw: random.Random, number: int) -> bytes:
    if number % 50 == 7:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(40)))
    if number % 40 == 0:
        return random_policy(draw, 3)
    return mutated(draw, draw.choice(BODIES))


def tried(data: bytes) -> tuple[CompiledPolicy | None, PolicyError | None]:
    try:
        return compile_policy(data), None
    except PolicyError as error:
        return None, error


def test_what_is_not_shown_as_strict_is_not_accepted() -> None:
    draw = random.Random(8)
    floor, seen = compile_policy(SHIPPED), Counter[bool]()
    for number in range(300):
        data = fuzzed(draw, number)
        policy, _ = tried(data)
        if policy is None:
            continue
        shown = as_strict(floor, policy)
        seen[bool(shown)] += 1
        if shown:
            assert check(data, FLOOR).hash == policy.hash
        else:
            with pytest.raises(PolicyError):
                check(data, FLOOR)
    assert min(seen.values()) > 5


def test_fuzzed_files_never_loosen() -> None:
    seen = fuzz(2_000, 1)
    assert min(seen["broken"], seen["refused"], seen["accepted"]) > 20


@pytest.mark.slow
def test_a_hundred_thousand_fuzzed_files_never_loosen() -> None:
    seen = fuzz(100_000, 2)
    assert sum(seen.values()) == 100_000
    assert min(seen["broken"], seen["refused"], seen["accepted"]) > 1_000
