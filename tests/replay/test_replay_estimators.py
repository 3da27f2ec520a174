"""Point estimates: by hand, by invariance, by exact enumeration, and against the Open Bandit Pipeline where it is there."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from fractions import Fraction as F
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from borgd.replay.estimate import estimators as e
from tests.replay.support import golden

HAND = {
    # weights 2, 1/2, 12; rewards 1, 0, 1; predictions 1/2, 1/4, 3/4; baselines 0.6, 0.3, 0.5
    "IPS": F(14, 3),  # (2·1 + ½·0 + 12·1) / 3
    "SNIPS": F(14) / F(29, 2),  # over Σw = 14½
    "DM": F(14, 30),  # (0.6 + 0.3 + 0.5) / 3
    "DR": F(14, 30) + F(31, 24),  # + (2·½ − ½·¼ + 12·¼) / 3 = 3.875 / 3
    "SNDR": F(14, 30) + F(31, 8) / F(29, 2),
    "SWITCH-DR": F(14, 30) + F(7, 24),  # without the weight of 12: 0.875 / 3
    # 100 w / (w² + 100): 200/104, 50/100.25, 1200/244
    "DRos": F(14, 30) + (F(200, 104) / 2 - F(200, 401) / 4 + F(1200, 244) / 4) / 3,
}


@pytest.mark.parametrize("name", HAND)
def test_three_rounds_by_hand(name: str) -> None:
    assert e.BANDIT[name](golden()) == pytest.approx(float(HAND[name]), abs=1e-15)


def slates() -> e.Slates:
    """Three slates: two places, one place, none that paid."""
    return e.Slates(
        slate=np.array([0, 0, 1, 2]),
        marginal=np.array([2.0, 0.5, 1.0, 3.0]),
        prefix=np.array([2.0, 4.0, 0.5, 1.0]),
        before=np.array([1.0, 2.0, 1.0, 1.0]),
        reward=np.array([1.0, 1.0, 1.0, 0.0]),
        predicted=np.array([0.5, 0.25, 0.5, 0.5]),
        baseline=np.array([0.75, 0.5, 0.25, 0.5]),
        slates=3,
    )


def test_three_slates_by_hand() -> None:
    log = slates()
    assert e.independent_ips(log) == pytest.approx((2 + 0.5 + 1 + 0) / 3)
    assert e.interaction_ips(log) == pytest.approx((2 + 4 + 0.5 + 0) / 3)
    # 2(1 − ½) + ¾; 4(1 − ¼) + 2·½; ½(1 − ½) + ¼; 1(0 − ½) + ½
    assert e.cascade_dr(log) == pytest.approx((1.75 + 4.0 + 0.5 + 0.0) / 3)


unit = st.floats(0.0, 1.0)


@st.composite
def logs(draw: st.DrawFn, least: int = 1) -> e.Bandit:
    count = draw(st.integers(least, 12))

    def column(values: st.SearchStrategy[float]) -> NDArray[np.float64]:
        return np.array(draw(st.lists(values, min_size=count, max_size=count)))

    return e.Bandit(
        weight=column(st.floats(0.0, 20.0)),
        reward=column(unit),
        predicted=column(unit),
        baseline=column(unit),
        mass=np.ones(count),
    )


@given(logs(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_order_changes_nothing(log: e.Bandit, random: Random) -> None:
    order = list(range(log.rounds))
    random.shuffle(order)
    other = e.Bandit(*(getattr(log, name)[order] for name in ("weight", "reward", "predicted", "baseline", "mass")))
    for estimator in e.BANDIT.values():
        np.testing.assert_allclose(estimator(other), estimator(log), rtol=1e-12, atol=1e-12)


@given(logs(), unit)
@settings(max_examples=60, deadline=None)
def test_a_constant_reward_makes_snips_exact(log: e.Bandit, constant: float) -> None:
    if log.weight.sum() > 1e-6:
        same = e.Bandit(log.weight, np.full(log.rounds, constant), log.predicted, log.baseline, log.mass)
        assert e.snips(same) == pytest.approx(constant, abs=1e-12)


@given(logs())
@settings(max_examples=60, deadline=None)
def test_the_logging_policy_is_worth_what_it_earned(log: e.Bandit) -> None:
    own = e.Bandit(np.ones(log.rounds), log.reward, log.predicted, log.predicted, log.mass)
    for name in ("IPS", "SNIPS", "DR", "SNDR", "SWITCH-DR"):
        assert e.BANDIT[name](own) == pytest.approx(float(log.reward.mean()), abs=1e-12)
    assert e.effective_sample_size(own.weight) == pytest.approx(log.rounds)


@given(logs())
@settings(max_examples=60, deadline=None)
def test_a_perfect_model_needs_no_weights(log: e.Bandit) -> None:
    perfect = e.Bandit(log.weight, log.predicted, log.predicted, log.baseline, log.mass)
    for name in ("DR", "SWITCH-DR", "DRos"):
        assert e.BANDIT[name](perfect) == pytest.approx(e.dm(log), abs=1e-12)


def test_nothing_is_not_a_number_rather_than_zero() -> None:
    empty = e.Bandit(*(np.empty(0) for _ in range(5)))
    assert all(np.isnan(estimator(empty)) for estimator in e.BANDIT.values())
    assert e.effective_sample_size(np.zeros(3)) == 0.0


# A second derivation: policies and rewards as exact fractions, every log that could have been written, textbook sums.

ACTIONS = range(3)
LOGGER = [[F(1, 2), F(1, 3), F(1, 6)], [F(1, 5), F(2, 5), F(2, 5)]]
TARGET = [[F(1, 10), F(3, 10), F(6, 10)], [F(1, 2), F(1, 2), F(0)]]
PAYS = [[F(9, 10), F(1, 2), F(1, 5)], [F(1, 3), F(2, 3), F(1, 7)]]
MODEL = [[F(1, 2), F(1, 2), F(1, 4)], [F(1, 4), F(3, 4), F(1, 8)]]


def test_ips_and_dr_are_unbiased_over_every_possible_log() -> None:
    truth = sum(TARGET[x][a] * PAYS[x][a] for x in range(2) for a in ACTIONS) / 2
    expected = {"IPS": F(0), "DR": F(0)}
    for actions in itertools.product(ACTIONS, repeat=2):
        for rewards in itertools.product((0, 1), repeat=2):
            chance = F(1)
            for x in range(2):
                pay = PAYS[x][actions[x]]
                chance *= LOGGER[x][actions[x]] * (pay if rewards[x] else 1 - pay)
            log = e.Bandit(
                weight=np.array([float(TARGET[x][actions[x]] / LOGGER[x][actions[x]]) for x in range(2)]),
                reward=np.array(rewards, dtype=float),
                predicted=np.array([float(MODEL[x][actions[x]]) for x in range(2)]),
                baseline=np.array([float(sum(TARGET[x][a] * MODEL[x][a] for a in ACTIONS)) for x in range(2)]),
                mass=np.ones(2),
            )
            for name in expected:
                expected[name] += chance * F(e.BANDIT[name](log))
    for name, value in expected.items():
        assert float(value) == pytest.approx(float(truth), abs=1e-9), name


def test_slate_forms_are_unbiased_over_every_possible_slate() -> None:
    """Two places from three lessons without repetition; the second place pays less after lesson 0."""
    strength, other = [F(3), F(2), F(1)], [F(1), F(2), F(4)]

    def chance(weights: list[F], slate: tuple[int, ...]) -> F:
        left, result = sum(weights), F(1)
        for lesson in slate:
            result *= weights[lesson] / left
            left -= weights[lesson]
        return result

    def pay(slate: tuple[int, ...], place: int) -> F:
        base = [F(4, 5), F(1, 2), F(1, 3)][slate[place]]
        return base / 2 if place and slate[0] == 0 else base

    def model(slate: tuple[int, ...], place: int) -> F:
        return [F(1, 2), F(1, 4), F(1, 5)][slate[place]] + F(1 - place, 3)

    every = list(itertools.permutations(range(3), 2))
    truth = sum(chance(other, slate) * (pay(slate, 0) + pay(slate, 1)) for slate in every)
    expected = {"RIPS": F(0), "cascade DR": F(0)}
    for slate in every:
        for rewards in itertools.product((0, 1), repeat=2):
            luck = F(1)
            for place, reward in enumerate(rewards):
                luck *= pay(slate, place) if reward else 1 - pay(slate, place)
            prefix = [chance(other, slate[: k + 1]) / chance(strength, slate[: k + 1]) for k in range(2)]
            before = [F(1), prefix[0]]
            after = [lesson for lesson in range(3) if lesson != slate[0]]
            baseline = [
                sum(chance(other, (lesson,)) * model((lesson, slate[0]), 0) for lesson in range(3)),
                sum(chance(other, (slate[0], l)) / chance(other, slate[:1]) * model((slate[0], l), 1) for l in after),  # noqa: E741
            ]
            log = e.Slates(
                slate=np.zeros(2, dtype=np.int64),
                marginal=np.array([float(value) for value in prefix]),
                prefix=np.array([float(value) for value in prefix]),
                before=np.array([float(value) for value in before]),
                reward=np.array(rewards, dtype=float),
                predicted=np.array([float(model(slate, k)) for k in range(2)]),
                baseline=np.array([float(value) for value in baseline]),
                slates=1,
            )
            for name in expected:
                expected[name] += chance(strength, slate) * luck * F(e.SLATE[name](log))
    for name, value in expected.items():
        assert float(value) == pytest.approx(float(truth), abs=1e-9), name


# The Open Bandit Pipeline in an environment of its own: set BORGD_OBP_PYTHON to a Python that has `obp` and scikit-learn.

OBP = r"""
import importlib, importlib.util, json, pathlib, sys, types
import numpy as np
root = pathlib.Path(importlib.util.find_spec("obp").submodule_search_locations[0])
for name, path in (("obp", root), ("obp.ope", root / "ope")):
    module = types.ModuleType(name); module.__path__ = [str(path)]; sys.modules[name] = module
class Stub(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return type(name, (), {})
try: import torch
except ImportError: sys.modules["torch"] = Stub("torch")
e = importlib.import_module("obp.ope.estimators"); s = importlib.import_module("obp.ope.estimators_slate")
d = {k: np.array(v) for k, v in json.load(sys.stdin).items()}
common = dict(reward=d["reward"], action=d["action"], pscore=d["pscore"], action_dist=d["target"][:, :, None])
model = dict(estimated_rewards_by_reg_model=d["model"][:, :, None])
out = {
    "IPS": e.InverseProbabilityWeighting().estimate_policy_value(**common),
    "SNIPS": e.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**common),
    "DM": e.DirectMethod().estimate_policy_value(action_dist=common["action_dist"], **model),
    "DR": e.DoublyRobust().estimate_policy_value(**common, **model),
    "SNDR": e.SelfNormalizedDoublyRobust().estimate_policy_value(**common, **model),
}
kind = getattr(e, "SwitchDoublyRobust", None) or e.SwitchDoublyRobust
def build(kind, value):
    for name in ("tau", "lambda_"):
        try: return kind(**{name: value})
        except TypeError: pass
out["SWITCH-DR"] = build(kind, 10.0).estimate_policy_value(**common, **model)
out["DRos"] = build(e.DoublyRobustWithShrinkage, 100.0).estimate_policy_value(**common, **model)
places = dict(slate_id=d["slate"], reward=d["gain"], position=d["place"])
out["IIPS"] = s.SlateIndependentIPS(len_list=2).estimate_policy_value(
    **places, pscore_item_position=d["p_item"], evaluation_policy_pscore_item_position=d["t_item"])
out["RIPS"] = s.SlateRewardInteractionIPS(len_list=2).estimate_policy_value(
    **places, pscore_cascade=d["p_prefix"], evaluation_policy_pscore_cascade=d["t_prefix"])
print(json.dumps({k: float(v) for k, v in out.items()}))
"""


@pytest.mark.skipif(not os.environ.get("BORGD_OBP_PYTHON"), reason="BORGD_OBP_PYTHON names no Python with the package obp")
@pytest.mark.parametrize("seed", range(4))
def test_equal_to_the_open_bandit_pipeline(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    rounds, many = 500, 5
    logger, target = random.dirichlet(np.ones(many), rounds) * 0.9 + 0.02, random.dirichlet(np.ones(many), rounds)
    logger /= logger.sum(axis=1, keepdims=True)
    action = np.array([random.choice(many, p=row) for row in logger])
    model, pscore = random.random((rounds, many)), logger[np.arange(rounds), action]
    reward = (random.random(rounds) < 0.4).astype(float)
    p_item, t_item = random.uniform(0.1, 1, rounds), random.uniform(0.1, 1, rounds)
    slate, place = np.repeat(np.arange(rounds // 2), 2), np.tile([0, 1], rounds // 2)
    p_prefix, t_prefix = (np.where(place == 0, p, p * np.roll(p, 1)) for p in (p_item, t_item))
    data = {
        "reward": reward, "action": action, "pscore": pscore, "target": target, "model": model, "slate": slate,
        "place": place, "gain": reward, "p_item": p_item, "t_item": t_item, "p_prefix": p_prefix, "t_prefix": t_prefix,
    }  # fmt: skip
    done = subprocess.run(
        [os.environ["BORGD_OBP_PYTHON"], "-W", "ignore", "-c", OBP],
        input=json.dumps({name: column.tolist() for name, column in data.items()}),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = json.loads(done.stdout)
    log = e.Bandit(
        weight=target[np.arange(rounds), action] / pscore,
        reward=reward,
        predicted=model[np.arange(rounds), action],
        baseline=(target * model).sum(axis=1),
        mass=np.ones(rounds),
    )
    zero = np.zeros(rounds)
    slates = e.Slates(slate, t_item / p_item, t_prefix / p_prefix, zero, reward, zero, zero, rounds // 2)
    ours = {name: estimator(log) for name, estimator in e.BANDIT.items()}
    ours |= {"IIPS": e.independent_ips(slates), "RIPS": e.interaction_ips(slates)}
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=1e-9), name
    assert len(theirs) == 9
