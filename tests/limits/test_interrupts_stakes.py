"""Where confidence and stakes come from: stated, ruled, default; and which tool calls are asks."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.limits.interrupts.stakes import DEFAULT_CONFIDENCE, DEFAULT_STAKES, FORM, RULES, judge, stated, without_tag
from borgd.limits.interrupts.threshold import fullest, threshold_at, unspent
from borgd.limits.interrupts.tools import PLAN_FALLBACK, ask_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Which one? {FORM}", {"stakes": "0.8", "confidence": "0.7"}),
        ("[confidence 0.7 stakes 0.8] Which one?", {"stakes": "0.8", "confidence": "0.7"}),
        ("[Stakes: 0.8, Confidence=1]", {"stakes": "0.8", "confidence": "1"}),
        ("[stakes .5]", {"stakes": ".5"}),
        ("[stakes 0.1] and [stakes 0.9]", {"stakes": "0.9"}),
        ("stakes 0.8 confidence 0.7", {}),
        ("[the stakes are 0.8]", {}),
        ("[sweepstakes 0.8]", {}),
        ("[x] stakes", {}),
        ("", {}),
    ],
)
def test_a_tag_states_them(text: str, expected: dict[str, str]) -> None:
    assert stated(text) == expected


def test_the_taught_form_is_understood() -> None:
    confidence, stakes = judge(f"Go? {FORM}", None, None)
    assert (stakes.value, confidence.value) == (Fraction(4, 5), Fraction(7, 10))
    assert stakes.origin == confidence.origin == "stated"


@pytest.mark.parametrize("said", ["high", "7", "-0.1", "nan", "1e3", "0.5.5", "", "½", "1/2", "9" * 30])
def test_a_stated_number_that_is_none_is_no_number_and_never_a_default(said: str) -> None:
    _, stakes = judge(f"Go? [stakes {said}]", None, None)
    assert stakes.value is None
    assert stakes.origin == "stated"


def test_what_the_program_states_goes_before_the_tag() -> None:
    confidence, stakes = judge("[stakes 0.2 confidence 0.2]", 0.9, None)
    assert (confidence.value, stakes.value) == (Fraction(9, 10), Fraction(1, 5))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("This cannot be undone. Go on?", "irreversible"),
        ("Force-push over main?", "irreversible"),
        ("Should I drop the orders table?", "loses shared data"),
        ("Delete all customer records older than a year?", "loses shared data"),
        ("Deploy this to production now?", "production"),
        ("Rotate the API key?", "secrets"),
        ("Commit the .env with the passwords?", "secrets"),
        ("Refund the customer?", "money"),
        ("Pay the invoice of $40?", "money"),
        ("This is a breaking change. Keep the old name?", "public interface"),
        ("Which schema for orders?", "schema"),
        ("Publish the package to the registry?", "external mutation"),
        ("Which variable name: total or sum?", "reversible and local"),
        ("Tabs or spaces?", "reversible and local"),
    ],
)
def test_a_rule_speaks_for_the_words(text: str, rule: str) -> None:
    confidence, stakes = judge(text, None, None)
    assert (stakes.origin, confidence.origin) == (f"rule {rule}", "default")


@pytest.mark.parametrize(
    "text",
    [
        "Which colour should the button have?",
        "Delete the unused import?",
        "Should the payload of the accounts page be smaller?",
        "Log in with a password field or a link?",
        "Remove the user menu from the header?",
        "Postgres or SQLite?",
        "",
    ],
)
def test_ordinary_words_get_the_default(text: str) -> None:
    confidence, stakes = judge(text, None, None)
    assert (confidence.value, stakes.value) == (DEFAULT_CONFIDENCE, DEFAULT_STAKES)
    assert confidence.origin == stakes.origin == "default"


def test_reversible_and_local_is_low_and_everything_else_is_not() -> None:
    low = {entry.name for entry in RULES if entry.stakes < DEFAULT_STAKES}
    assert low == {"reversible and local"}
    assert [entry.stakes for entry in RULES] == sorted((entry.stakes for entry in RULES), reverse=True)


def test_the_default_clears_the_default_budget_three_times_and_not_a_fourth() -> None:
    bars = [Fraction(1, 2) + Fraction(9, 20) * Fraction(spent, 3) for spent in range(4)]
    assert [bar <= DEFAULT_CONFIDENCE for bar in bars] == [True, True, True, False]


@given(st.integers(1, 12), st.integers(0, 14), st.integers(0, 20), st.integers(0, 20), st.sampled_from(["linear", "timed"]))
def test_an_ask_that_states_no_confidence_clears_exactly_while_its_account_is_unspent(
    ceiling: int, spent: int, base: int, more: int, kind: Literal["linear", "timed"]
) -> None:
    low, high, elapsed = Fraction(base, 20), Fraction(min(20, base + more), 20), Fraction(1, 3)
    full = fullest([spent], [ceiling])
    bar = threshold_at(kind, low, high, full.ratio, elapsed)
    unspent_yet = unspent(kind, low, high, full, elapsed) >= bar
    assert unspent_yet == (spent < ceiling) or high == 0


def test_two_asks_that_differ_in_their_tag_only_are_the_same_words() -> None:
    assert without_tag("Go? [stakes 0.9]") == without_tag("[confidence 0.2] Go?") == "Go?"


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    for number in judge(text, None, None):
        assert number.value is None or 0 <= number.value <= 1
        assert number.origin


@pytest.mark.parametrize(
    "text", ["[stakes" + " " * 50_000, "[stakes " * 9000, "delete " * 9000, "delete " + "a" * 50_000, "publish to" * 6000]
)
@pytest.mark.timeout(60)
def test_no_text_makes_the_rules_backtrack_for_minutes(text: str) -> None:
    assert judge(text, None, None)[0].origin


# tool calls


def test_a_question_tool_is_an_ask_with_its_marked_option() -> None:
    ask = ask_of(
        "AskUserQuestion",
        {
            "questions": [
                {
                    "question": "Which database? [stakes 0.3]",
                    "header": "Database",
                    "options": [
                        {"label": "SQLite", "description": "one file"},
                        {"label": "Postgres (Recommended)", "description": "a server"},
                    ],
                    "multiSelect": False,
                }
            ]
        },
    )
    assert ask is not None
    assert (ask.question, ask.recommended) == ("Which database? [stakes 0.3]", 1)
    assert ask.goes_on_with == "Postgres (Recommended)"


def test_without_a_mark_nothing_is_recommended() -> None:
    ask = ask_of("AskUserQuestion", {"questions": [{"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]})
    assert ask is not None
    assert (ask.recommended, ask.goes_on_with) == (None, "")


def test_several_questions_in_one_call_are_one_interruption() -> None:
    questions = [{"question": f"{name}?", "options": [{"label": f"{name}1"}, {"label": f"{name}2"}]} for name in "abcdef"]
    ask = ask_of("AskUserQuestion", {"questions": questions})
    assert ask is not None
    assert [one.question for one in ask.parts] == ["a?", "b?", "c?", "d?"]
    assert [[option.label for option in one.options] for one in ask.parts] == [[f"{n}1", f"{n}2"] for n in "abcd"]


def test_a_plan_that_nobody_approves_is_not_carried_out() -> None:
    ask = ask_of("ExitPlanMode", {"plan": "1. drop the orders table"})
    assert ask is not None
    assert ask.goes_on_with == PLAN_FALLBACK
    assert (ask.kind, ask.body) == ("plan", "1. drop the orders table")


def test_other_tools_ask_nobody() -> None:
    assert ask_of("Bash", {"command": "ls"}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["question", "options", "label", "questions"]), inner)
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(["AskUserQuestion", "ExitPlanMode"]),
    st.dictionaries(st.sampled_from(["questions", "question", "options", "plan"]), JSON),
)
def test_any_tool_input_is_an_ask(name: str, tool_input: dict[str, object]) -> None:
    ask = ask_of(name, tool_input)
    assert ask is not None
    assert isinstance(ask.goes_on_with, str)
