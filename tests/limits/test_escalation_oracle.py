"""Our evaluator beside a MeTTa interpreter: the same verdict and reason, on the whole grid and for random policies."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from borgd.limits.escalation.evaluate import compile_policy, evaluate
from borgd.limits.escalation.facts import Facts
from tests.limits.escalation_support import SHIPPED, grid, random_facts, random_policy

pytestmark = pytest.mark.skipif(find_spec("hyperon") is None, reason="hyperon is not installed: pip install 'borgd[test]'")

ORACLE = Path(__file__).with_name("hyperon_oracle.py")


def as_metta(facts: Facts) -> list[str]:
    soft = str(facts.soft) if facts.soft.denominator == 1 else str(float(facts.soft))
    values = [str(value) for value in facts.values()]
    return [*values[:2], soft, *values[3:]]


def ask(cases: list[tuple[bytes, list[Facts]]]) -> list[list[list[str]]]:
    request = [{"policy": policy.decode(), "facts": [as_metta(facts) for facts in told]} for policy, told in cases]
    done = subprocess.run(
        [sys.executable, str(ORACLE)], input=json.dumps(request), capture_output=True, text=True, timeout=240, check=True
    )
    answers: list[list[list[str]]] = json.loads(done.stdout)
    return answers


def ours(policy: bytes, facts: Facts) -> list[str]:
    verdict = evaluate(compile_policy(policy), facts)
    return [f'({verdict.word} "{verdict.reason}")']


def test_the_shipped_policy_agrees_on_the_whole_grid() -> None:
    cases = list(grid())
    assert len(cases) > 500
    assert {facts.soft.denominator for facts in cases} == {1, 2}
    (answers,) = ask([(SHIPPED, cases)])
    differ = [(facts, answer) for facts, answer in zip(cases, answers, strict=True) if answer != ours(SHIPPED, facts)]
    assert differ == []
    assert len({answer[0] for answer in answers}) == 5


@pytest.mark.slow
def test_random_policies_agree() -> None:
    draw = random.Random(9)
    cases = [(random_policy(draw, 3), [random_facts(draw) for _ in range(8)]) for _ in range(150)]
    answers = ask(cases)
    compared = 0
    for (policy, told), answer in zip(cases, answers, strict=True):
        for facts, results in zip(told, answer, strict=True):
            assert results == ours(policy, facts), (policy, facts)
            compared += 1
    assert compared == 1200
