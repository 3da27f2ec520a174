"""The replay as a whole, on records that recall itself wrote: invariances, brute force, truth, and taking up again."""

from __future__ import annotations

import json
import math

import msgspec
import numpy as np
import pytest

from borgd.errors import BorgError, UsageError
from borgd.memory.belief import BeliefRule
from borgd.memory.memory import MemoryRule
from borgd.memory.records import Decision, Outcome
from borgd.recall.policy import RecallPolicy
from borgd.replay import candidates, records, state
from borgd.replay.candidates import LOGGED, CandidatePolicy, parse, parse_named
from borgd.replay.engine import Replay
from borgd.replay.estimate import estimators
from borgd.replay.outcomes import BIT, CHANGED, UNDONE, Outcomes
from borgd.replay.result import result
from borgd.replay.rewards import Reward
from borgd.replay.simulate import KnownTruth, simulate
from tests.memory.support import fold_memory

NOW = 1_900_000_000_000
ALL: tuple[Reward, ...] = ("changed", "not_corrected", "avoided")


class Log:
    """A simulated log: records, their lines, and what is true of them."""

    def __init__(self, sessions: int, seed: int, lessons: int = 120, policy: RecallPolicy | None = None) -> None:
        self.decisions: list[Decision] = []
        self.outcomes: list[Outcome] = []
        self.truth: dict[tuple[str, str], KnownTruth] = {}
        for each in simulate(sessions, seed, lessons, policy):
            self.decisions += each.decisions
            self.outcomes += each.outcomes
            self.truth |= {(known.decision, known.lesson): known for known in each.known}
        self.lines = [msgspec.json.encode(decision) for decision in self.decisions]

    def known(self) -> Outcomes:
        found = Outcomes()
        found.add(msgspec.json.encode(outcome) for outcome in self.outcomes)
        return found.seal()


def replayed(
    log: Log, *named: CandidatePolicy, rewards: tuple[Reward, ...] = ALL, lines: list[bytes] | None = None, chunk: int = 2048
) -> Replay:
    replay = Replay(list(named), rewards, log.known(), NOW)
    lines = log.lines if lines is None else lines
    for start in range(0, len(lines), chunk):
        replay.feed(replay.read(lines[start : start + chunk]))
    return replay


@pytest.fixture(scope="module")
def rich() -> Log:
    """A log with contests for slots, so that propensities are not all 0.95."""
    return Log(400, 22, policy=RecallPolicy(holdout=0.05))


@pytest.fixture(scope="module")
def log() -> Log:
    """A log in which no session contests twice, so that every decision is used."""
    return Log(500, 21, lessons=70, policy=RecallPolicy(holdout=0.05))


@pytest.fixture(scope="module")
def bold() -> CandidatePolicy:
    return parse("bold", ["relative=0.8", "holdout=0.02"])


@pytest.fixture(scope="module")
def replay(log: Log, bold: CandidatePolicy) -> Replay:
    return replayed(
        log, bold, parse("forgiving", ["belief.ignored=0.1"]), parse("same", ["early_cap=5"]), parse("few", ["early_cap=2"])
    )


def test_the_logging_policy_has_weight_one_everywhere(replay: Replay, log: Log) -> None:
    shown = sum(entry.shown for decision in log.decisions for entry in decision.pool)
    for name in (LOGGED, "same"):
        account = replay.accounts[name, "changed"]
        assert account.sides[0].largest == 1.0
        assert account.sides[0].weight == shown == account.sides[0].squares
        low, high = account.sequences.intervals()
        assert low[-1] == high[-1] == 0.0, "no difference to itself"


def test_ips_and_snips_by_brute_force(replay: Replay, log: Log, bold: CandidatePolicy) -> None:
    """Record by record in plain Python, with the slot rule written out for pools that fit."""
    changed = {(o.decision, o.lesson) for o in log.outcomes if o.kind == "changed"}
    total = weights = mass = 0.0
    used = 0
    for decision in log.decisions:
        best = max(entry.base * (0.5 + entry.alpha / (entry.alpha + entry.beta)) for entry in decision.pool)
        live = [e for e in decision.pool if decision.channel != "early" or e.base * (0.5 + e.mean) >= 0.8 * best]
        if len(decision.pool) > decision.slots or decision.channel != "early":
            continue
        used += 1
        for entry in live:
            kept = 0.98 if entry.holdout else 1.0
            mass += kept
            if entry.shown:
                weights += kept / entry.p
                total += kept / entry.p * ((decision.id, entry.id) in changed)
    fitting = [
        line for line, d in zip(log.lines, log.decisions, strict=True) if d.channel == "early" and len(d.pool) <= d.slots
    ]
    points = replayed(log, bold, rewards=("changed",), lines=fitting).accounts["bold", "changed"].points()
    assert used == len(fitting) > 300
    assert points["IPS"] == pytest.approx(total / used, abs=1e-9)
    assert points["SNIPS"] == pytest.approx(total / weights * mass / used, abs=1e-9)
    assert points["IIPS"] == points["IPS"]


def test_avoided_by_brute_force(log: Log) -> None:
    """Held out against shown, weighed by hand: the logging policy's own value, and of one that shows half as many."""
    corrected = {(o.decision, o.lesson) for o in log.outcomes if o.kind == "corrected"}
    total = 0.0
    for decision in log.decisions:
        for entry in decision.pool:
            if not entry.holdout:  # no coin was thrown: nothing to compare
                continue
            held_p = entry.p * entry.holdout / (1 - entry.holdout)
            again = (decision.id, entry.id) in corrected
            total += again * (entry.held * entry.p / held_p - entry.shown)
    replay = replayed(log, parse("half", ["holdout=0.525"]), rewards=("avoided",))
    mean = total / len(log.decisions)
    assert replay.accounts[LOGGED, "avoided"].points()["IPS"] == pytest.approx(mean, abs=1e-9)
    assert replay.accounts["half", "avoided"].points()["IPS"] == pytest.approx(mean / 2, abs=1e-9)


@pytest.mark.parametrize(
    "pairs", [["relative=0.8"], ["early_cap=2", "holdout=0.1"], ["explore=false"], ["belief.changed=3"]]
)
def test_running_sums_are_the_estimators_on_the_whole_log(rich: Log, pairs: list[str]) -> None:
    """Sixteen decisions share one state of the model (a half everywhere), so the whole log can be written down as arrays."""
    candidate = parse("x", pairs)
    replay = Replay([candidate], ("changed",), rich.known(), NOW)
    ready = replay.read([line for line, d in zip(rich.lines, rich.decisions, strict=True) if d.channel == "early"][200:216])
    found, given, filled = ready.found, ready.given["x"], ready.filled["x"]
    replay.feed(ready)
    assert replay.used == found.count == 16
    seen = np.flatnonzero(found.shown)
    mass = np.bincount(found.decision, given.shown, minlength=16).astype(float)
    changed = ((replay.outcomes.kinds(found.arm_key) & (CHANGED | UNDONE)) == BIT["changed"]).astype(float)
    bandit = estimators.Bandit(
        weight=given.shown[seen] / found.p[seen],
        reward=changed[seen],
        predicted=np.full(len(seen), 0.5),
        baseline=mass / 2,
        mass=mass,
    )
    points = replay.accounts["x", "changed"].points()
    for name, estimator in estimators.BANDIT.items():
        assert points[name] == pytest.approx(estimator(bandit), abs=1e-9), name
    assert filled is not None
    nothing = np.zeros(len(filled.row))
    slates = estimators.Slates(
        slate=found.decision[filled.row],
        marginal=(given.shown / found.p)[filled.row],
        prefix=filled.prefix,
        before=filled.before,
        reward=np.where(found.shown, changed, 0.0)[filled.row],
        predicted=nothing,
        baseline=nothing,
        slates=16,
    )
    for name, of_slates in estimators.SLATE.items():
        assert points[name] == pytest.approx(of_slates(slates), abs=1e-9), name


def test_duplicates_and_chunks_change_nothing(log: Log, bold: CandidatePolicy) -> None:
    once = replayed(log, bold)
    twice = replayed(log, bold, lines=[*log.lines, *log.lines[:100]])
    assert twice.skipped[records.REPEATED] == 100
    for key, account in once.accounts.items():
        assert twice.accounts[key].points() == pytest.approx(account.points(), nan_ok=True)
        np.testing.assert_array_equal(twice.accounts[key].sequences.sums, account.sequences.sums)
    pieces = replayed(log, bold, chunk=97)
    for key, account in once.accounts.items():
        for name in ("IPS", "SNIPS", "RIPS"):
            assert pieces.accounts[key].points()[name] == pytest.approx(account.points()[name], nan_ok=True, abs=1e-9)


def test_the_order_of_decisions_moves_no_weighted_sum(log: Log, bold: CandidatePolicy) -> None:
    fitting = [line for line, d in zip(log.lines, log.decisions, strict=True) if len(d.pool) <= d.slots]
    straight, backwards = (replayed(log, bold, lines=lines) for lines in (fitting, fitting[::-1]))
    for key in straight.accounts:
        ours, theirs = straight.accounts[key].points(), backwards.accounts[key].points()
        assert all(
            ours[name] == pytest.approx(theirs[name], nan_ok=True, abs=1e-9) for name in ("IPS", "SNIPS", "IIPS", "RIPS")
        )


def truth_of(log: Log, replay: Replay, candidate: CandidatePolicy) -> dict[str, float]:
    """The true value per recall of a candidate in the moments that were logged."""
    found = records.pack([records._DECODER.decode(line) for line in log.lines])
    given = candidates.masses(
        found, candidate, replay._beliefs.get(candidate.name), candidates.chances(found, candidates.logged_rule(found))
    )
    entries = [log.truth[decision.id, entry.id] for decision in log.decisions for entry in decision.pool]
    exact = candidates.chances(found, candidates.logged_rule(found))
    free = Replay([], ALL, log.known(), NOW)._not_drawn_before(found, exact)
    used = free[found.decision]  # a second contest on one draw is left out
    thrown = used & (found.coin > 0.0)
    per = {
        "changed": [known.changed for known in entries],
        "not_corrected": [1 - known.corrected_shown for known in entries],
        "avoided": [known.corrected_held - known.corrected_shown for known in entries],
    }
    rows = {"changed": used, "not_corrected": used, "avoided": thrown}
    return {name: float(given.shown[rows[name]] @ np.array(values)[rows[name]]) / free.sum() for name, values in per.items()}


@pytest.mark.slow
def test_every_interval_holds_the_truth(rich: Log, bold: CandidatePolicy) -> None:
    others = [parse("forgiving", ["belief.ignored=0.1"]), parse("few", ["early_cap=2"]), parse("sure", ["explore=false"])]
    replay = replayed(rich, bold, *others)
    log = rich
    base = truth_of(log, replay, replay.candidates[0])
    for candidate in replay.candidates:
        truth = truth_of(log, replay, candidate)
        for found in (each for each in result(replay).candidates if each.name == candidate.name):
            for estimate in found.estimates:
                if estimate.low is not None and estimate.high is not None:
                    assert estimate.low <= truth[found.reward] <= estimate.high, (found.name, found.reward, estimate)
            if found.difference is not None and found.difference.low is not None and found.difference.high is not None:
                moved = truth[found.reward] - base[found.reward]
                assert found.difference.low - 1e-9 <= moved <= found.difference.high + 1e-9


def test_beliefs_are_rebuilt_from_before_the_decision_only(log: Log) -> None:
    for rule in (BeliefRule(), BeliefRule(ignored=1.0, prior_alpha=2.0)):
        timeline = log.known().beliefs(rule)
        for decision in log.decisions[:: len(log.decisions) // 12]:
            memory = fold_memory({}, log.outcomes, rule=MemoryRule(belief=rule), before_ms=decision.ms)
            for entry in decision.pool:
                key = np.array([records.hash64(entry.id)], dtype=np.uint64)
                alpha, beta = timeline.before(key, np.array([decision.ms]))
                belief = memory.belief(entry.id)
                assert (alpha[0], beta[0]) == pytest.approx((belief.alpha, belief.beta))


def test_outcomes_in_any_order_and_twice_over_fold_the_same(log: Log) -> None:
    lines = [msgspec.json.encode(outcome) for outcome in log.outcomes]
    other = Outcomes()
    other.add([*lines[::-1], *lines])
    other.seal()
    keys = np.array(sorted({records.hash64(o.decision, o.lesson) for o in log.outcomes}), dtype=np.uint64)
    np.testing.assert_array_equal(other.kinds(keys), log.known().kinds(keys))
    lessons = np.array(sorted({records.hash64(o.lesson) for o in log.outcomes}), dtype=np.uint64)
    when = np.full(len(lessons), NOW)
    for ours, theirs in zip(
        other.beliefs(BeliefRule()).before(lessons, when),
        log.known().beliefs(BeliefRule()).before(lessons, when),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs)


def test_logged_beliefs_are_those_rebuilt(log: Log) -> None:
    """The simulated memory learns with the same rule, so a candidate's rebuilt beliefs start from the right place."""
    timeline = log.known().beliefs(BeliefRule())
    found = records.pack([records._DECODER.decode(line) for line in log.lines])
    alpha, beta = timeline.before(found.lesson, found.ms[found.decision])
    agree = (np.abs(alpha - found.alpha) < 1e-6) & (np.abs(beta - found.beta) < 1e-6)
    early = (found.channel == records.CHANNELS.index("early"))[found.decision]  # a simulated session learns at its start
    assert agree[early].mean() > 0.99


def test_taken_up_again_it_is_the_same(log: Log, bold: CandidatePolicy) -> None:
    half = 256
    whole = Replay([bold], ALL, log.known(), NOW, bootstrap=3)
    first = Replay([bold], ALL, log.known(), NOW, bootstrap=3)
    for part in (log.lines[:half], log.lines[half:]):
        whole.feed(whole.read(part))
    first.feed(first.read(log.lines[:half]))
    saved = msgspec.msgpack.encode(state.freeze(first.state()))
    second = Replay([bold], ALL, log.known(), NOW, bootstrap=3)
    second.restore(state.thaw(msgspec.msgpack.decode(saved)))
    second.feed(second.read(log.lines[half:]))
    assert json.loads(msgspec.json.encode(result(second))) == json.loads(msgspec.json.encode(result(whole)))


@pytest.mark.parametrize(
    "data",
    [{"!": "os", "v": {}}, {"!": "array", "dtype": "object", "shape": [1], "v": b"x"}, {"v": 1}, {"!": "dict", "v": 3}],
)
def test_a_doctored_state_is_refused(data: object) -> None:
    with pytest.raises(BorgError, match="start again"):
        state.thaw(data)


def before(log: Log) -> list[Decision]:
    """The decisions of a log as they were written before a coin was thrown once a session and lesson."""
    return [
        msgspec.structs.replace(
            decision, horizon_ms=0, pool=tuple(msgspec.structs.replace(entry, holdout=0.0) for entry in decision.pool)
        )
        for decision in log.decisions
        if all(entry.holdout for entry in decision.pool)
    ]


def judged(log: Log) -> list[Outcome]:
    """Its outcomes, with an end for every lesson."""
    told = {(one.decision, one.lesson) for one in log.outcomes}
    ends = [
        Outcome(
            id=f"{d.id}-{e.id}-end", ms=d.ms, lesson=e.id, kind="not_corrected", evidence="-", decision=d.id, held=e.held
        )
        for d in log.decisions
        for e in d.pool
        if (e.shown or e.held) and (d.id, e.id) not in told
    ]
    return [*log.outcomes, *ends]


def test_several_loggers_are_said_and_mixed(log: Log) -> None:
    other = Log(200, 5, lessons=70, policy=RecallPolicy(holdout=0.2))
    theirs = [msgspec.structs.replace(d, id=f"o-{d.id}", session=f"o-{d.session}", machine="other") for d in before(other)]
    lines = [
        *(msgspec.json.encode(decision) for decision in before(log)),
        *(msgspec.json.encode(decision) for decision in theirs),
    ]
    outcomes = Outcomes()
    outcomes.add(msgspec.json.encode(o) for o in judged(log))
    outcomes.add(msgspec.json.encode(msgspec.structs.replace(o, decision=f"o-{o.decision}")) for o in judged(other))
    both = Replay([], ("changed",), outcomes.seal(), NOW)
    both.feed(both.read(lines))
    assert both.skipped[records.NO_OUTCOME] == 0
    assert both.used == len(lines) - both.skipped[records.NO_OUTCOME]
    found = result(both)
    assert len(found.coverage.loggers) == 2
    assert "2 loggers" in found.coverage.combined
    names = [estimate.name for estimate in found.candidates[0].estimates]
    assert names[-2:] == ["DR, loggers weighted", "IPS, loggers balanced"]


def test_balanced_weights_are_those_against_the_mixture(log: Log) -> None:
    """By hand: every weight is π / Σ share × p, with the other logger's p on the same pool."""
    other = Log(200, 21, lessons=70, policy=RecallPolicy(holdout=0.2))
    outcomes = Outcomes()
    renamed = [msgspec.structs.replace(d, id=f"o-{d.id}", machine="other") for d in before(other)]
    outcomes.add(msgspec.json.encode(o) for o in judged(log))
    outcomes.add(msgspec.json.encode(msgspec.structs.replace(o, decision=f"o-{o.decision}")) for o in judged(other))
    decisions = [d for d in [*before(log), *renamed] if len(d.pool) <= d.slots and d.channel == "early"]
    replay = Replay([], ("changed",), outcomes.seal(), NOW, slates=False)
    replay.feed(replay.read([msgspec.json.encode(d) for d in decisions]))
    changed = {(o.decision, o.lesson) for o in log.outcomes if o.kind == "changed"}
    changed |= {(f"o-{o.decision}", o.lesson) for o in other.outcomes if o.kind == "changed"}
    share = sum(d.machine == "other" for d in decisions) / len(decisions)
    mixed = share * 0.8 + (1 - share) * 0.95
    total = sum(e.p / mixed * ((d.id, e.id) in changed) for d in decisions for e in d.pool if e.shown)
    found = {estimate.name: estimate.value for estimate in result(replay).candidates[0].estimates}
    assert found["IPS, loggers balanced"] == pytest.approx(total / len(decisions), rel=1e-9)


def test_a_second_contest_on_one_draw_is_left_out() -> None:
    log = Log(60, 3, lessons=400)
    contest = next(d for d in log.decisions if len(d.pool) > d.slots and d.channel == "early")
    again = msgspec.structs.replace(contest, id="again", ms=contest.ms + 1)
    replay = replayed(log, lines=[msgspec.json.encode(contest), msgspec.json.encode(again)])
    assert replay.skipped["draw used before"] == 1


def test_young_decisions_have_no_outcome_yet(log: Log) -> None:
    replay = Replay([], ALL, log.known(), log.decisions[-1].ms)
    replay.feed(replay.read(log.lines))
    young = sum(d.ms > log.decisions[-1].ms - 24 * 3600 * 1000 for d in log.decisions)
    assert replay.reasons() == {records.YOUNG: young}
    assert replay.used == len(log.decisions) - young > 0


def test_a_lost_ending_counts_as_not_corrected(log: Log) -> None:
    """Whatever ends are lost, the numbers are those of a log that has them all; neither group is favoured."""
    rows = [(each.shown, each.held, each.low, each.high) for each in result(replayed(log)).headline.lessons]
    outcomes = Outcomes()
    outcomes.add(msgspec.json.encode(o) for o in log.outcomes if o.kind == "corrected")
    replay = Replay([], ALL, outcomes.seal(), NOW)
    replay.feed(replay.read(log.lines))
    assert replay.reasons() == {}
    assert [(each.shown, each.held, each.low, each.high) for each in result(replay).headline.lessons] == rows


def test_decisions_of_before_the_rule_are_passed_over_where_not_judged_and_left_out_of_the_headline(log: Log) -> None:
    old = before(log)
    lost = next((d.id, e.id) for d in old for e in d.pool if e.shown)
    outcomes = Outcomes()
    outcomes.add(msgspec.json.encode(o) for o in judged(log) if (o.decision, o.lesson) != lost)
    replay = Replay([], ALL, outcomes.seal(), NOW)
    replay.feed(replay.read([msgspec.json.encode(decision) for decision in old]))
    assert replay.reasons() == {records.NO_OUTCOME: 1}
    head = result(replay).headline
    assert head.overall is None
    assert head.old == sum(e.shown or e.held for d in old for e in d.pool)


def test_the_headline_counts_what_it_says(replay: Replay, log: Log) -> None:
    corrected = {(o.decision, o.lesson) for o in log.outcomes if o.kind == "corrected"}
    shown = [(d.id, e.id) for d in log.decisions for e in d.pool if e.shown and e.holdout]
    held = [(d.id, e.id) for d in log.decisions for e in d.pool if e.held]
    rate = result(replay).headline.overall
    assert rate is not None
    assert (rate.shown, rate.held) == (len(shown), len(held))
    assert rate.shown_rate == pytest.approx(np.mean([pair in corrected for pair in shown]))
    assert rate.held_rate == pytest.approx(np.mean([pair in corrected for pair in held]))
    prevented = np.mean([log.truth[pair].corrected_held - log.truth[pair].corrected_shown for pair in [*shown, *held]])
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low <= prevented <= rate.high
    head = result(replay).headline
    assert sum(each.shown for each in head.weeks) == sum(each.shown for each in head.scopes) == rate.shown
    assert sum(each.shown for each in head.strata) == rate.shown
    assert head.recalls == len(log.decisions)
    assert head.characters_per_recall == pytest.approx(np.mean([d.chars for d in log.decisions]))


def test_calibration_is_of_every_pool_entry(replay: Replay, log: Log) -> None:
    found = result(replay).calibration
    assert sum(each.entries for each in found) == sum(len(d.pool) for d in log.decisions)
    for each in found:
        assert abs(each.logged - each.observed) < 5 * 0.5 / math.sqrt(each.entries)


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        (["nonsense"], "CONSTANT=VALUE"),
        (["hope=1"], "not a constant"),
        (["relative=NaN"], "relative=NaN"),
        (["relative=1.5"], "relative=1.5"),
        (["holdout=1"], "below 1"),
        (["cap=-1"], "cap=-1"),
        (["belief.prior_alpha=0"], "prior_alpha=0"),
        (["host_chars=500"], "cannot be replayed"),
        (["activation.decay=0.3"], "cannot be replayed"),
        (["strong=0.5"], "cannot be replayed"),
        (["relative="], "CONSTANT=VALUE"),
    ],
)
def test_what_cannot_be_replayed_is_refused_with_its_reason(pairs: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse("x", pairs)


def test_names_of_candidates() -> None:
    assert parse_named("a b:RELATIVE=0.7,belief.ignored=1").settings == {"relative": 0.7, "belief.ignored": 1.0}
    for bad in ("no colon", ":relative=0.7", "<b>:relative=0.7"):
        with pytest.raises(UsageError, match="NAME:"):
            parse_named(bad)


def test_a_bar_below_the_logged_one_is_said(log: Log) -> None:
    found = result(replayed(log, parse("wide", ["relative=0.2"]), rewards=("changed",)))
    assert any("under the old bar" in note for note in found.candidates[1].notes)
    assert found.candidates[1].verdict == "same"


def test_nothing_at_all_is_an_answer() -> None:
    empty = Replay([parse("x", ["relative=0.7"])], ALL, Outcomes().seal(), NOW)
    found = result(empty)
    assert found.headline.sentence.startswith("Not enough data")
    assert {each.verdict for each in found.candidates} == {"not enough data"}
    assert json.loads(msgspec.json.encode(found))["coverage"]["used"] == 0
