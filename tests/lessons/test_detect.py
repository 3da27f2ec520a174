"""Push-backs are found in five languages, new tasks are left alone, and machine-made text teaches nothing.

push_backs.jsonl is labelled by hand and invented for this purpose. The rules were written on its ``dev`` part, which grew by
lists that were first measured unseen. What to expect of a new person's prompts is what those showed: of 36 corrections in
``holdout`` the rules as they were then found 24 (precision 0.96); of 40 that say only implicitly that something is wrong
("use Decimal, floats lose cents") 12 (precision 1.00). Rules added since find more of both, seen.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import ConfigError
from borgd.lessons.corrections.detect import (
    LONG,
    Correction,
    detect,
    from_answer,
    from_rejection,
    own_rules,
    rejection_words,
)
from borgd.lessons.corrections.languages import LANGUAGES, language

ROWS = [json.loads(line) for line in (Path(__file__).parent / "push_backs.jsonl").read_text("utf-8").strip().split("\n")]
PROPOSAL = "I have changed the code as described and the tests pass."


def counts(part: str, code: str = "") -> Counter[str]:
    tally: Counter[str] = Counter()
    for row in ROWS:
        if row["part"] == part and code in ("", row["language"]):
            found = detect(row["prompt"], PROPOSAL) is not None
            tally[
                {(True, True): "hit", (True, False): "missed", (False, True): "false", (False, False): "quiet"}[
                    row["push_back"], found
                ]
            ] += 1
    return tally


def precision(tally: Counter[str]) -> float:
    return tally["hit"] / max(1, tally["hit"] + tally["false"])


def recall(tally: Counter[str]) -> float:
    return tally["hit"] / max(1, tally["hit"] + tally["missed"])


def test_there_is_enough_to_measure() -> None:
    assert len(ROWS) >= 300
    assert {row["language"] for row in ROWS} == set(LANGUAGES)
    assert len({row["prompt"] for row in ROWS}) == len(ROWS)


def test_precision_and_recall() -> None:
    for part in ("dev", "holdout"):
        for code in ("", *LANGUAGES):
            tally = counts(part, code)
            print(f"{part:8} {code or 'all':4} precision {precision(tally):.3f} recall {recall(tally):.3f} {dict(tally)}")
    assert precision(counts("dev")) >= 0.98
    assert recall(counts("dev")) >= 0.98
    assert precision(counts("holdout")) >= 0.97
    assert recall(counts("holdout")) >= 0.94


@pytest.mark.parametrize("row", ROWS[::7], ids=lambda row: row["prompt"][:30])
def test_without_a_proposal_nothing_is_a_correction(row: dict[str, str]) -> None:
    assert detect(row["prompt"], "") is None
    assert detect(row["prompt"], " \n") is None


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_rule_says_why(code: str) -> None:
    rules, _ = language(code)
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.reason
        assert rule.name.startswith(f"{code}-")
        assert 0 < rule.strength <= 1
        assert rule.where in ("opening", "first", "early")


def test_a_correction_keeps_the_persons_words_and_the_reason() -> None:
    found = detect("  No, don't mock the DB.", PROPOSAL)
    assert found == Correction(
        text="No, don't mock the DB.", rule="en-no", reason="starts with a no to what was proposed", strength=0.9
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "<system-reminder>\nNo, that is wrong. Never use mocks here.\n</system-reminder>",
        "<task-notification>That's wrong, revert it.</task-notification>",
        "<borg-lessons>\nNo, don't do that. You forgot the tests.\n</borg-lessons>\nadd a flag",
        "<borg-lessons>\nNo, don't do that. You forgot the tests.",
        "Labc123: applies - no, that's wrong, you forgot the tests",
        "- **Labc123**: skip - that's wrong here",
        "[borg] For the work on Orion:\n- Labc: No, is that wrong? Otherwise: You forgot the tests.",
        "[borg] Before you finish:\n--- peer data 1f: x ---\n- La (from bo): That's wrong?\n  Otherwise: no.\n\n- Lb: No?",
        "add a flag please\n[borg] You were just corrected (E1). That's wrong, don't do that.",
        "look at this:\n> No, that's wrong\n> you forgot the tests",
        "why does it print this?\n```\nno, that's wrong. you forgot the tests\n```",
        "Stop hook feedback: that's wrong, you forgot the tests",
        "[Request interrupted by user]",
        "This session is being continued from a previous conversation. The user said that's wrong.",
        "borg no, that's wrong here",
        "no",
        "wrong.",
        "違う",
        "",
        "🙂🙂",
    ],
)
def test_machine_made_quoted_and_empty_text_teaches_nothing(prompt: str) -> None:
    assert detect(prompt, PROPOSAL) is None


def test_of_a_long_specification_only_the_opening_counts() -> None:
    specification = "Build the export. " + "The file is written in UTF-8 and that's wrong to change. " * 40
    assert len(specification) > LONG
    assert detect(specification, PROPOSAL) is None
    assert detect("No, not like that. " + specification, PROPOSAL) is not None


def test_own_patterns() -> None:
    own = own_rules((r"\bnyet\b", r"^arr+"))
    assert detect("Nyet comrade, the other way", PROPOSAL) is None
    found = detect("Nyet comrade, the other way", PROPOSAL, own)
    assert found is not None
    assert found.rule == "own-0"
    with pytest.raises(ConfigError, match=r"capture.patterns\[1\]"):
        own_rules(("fine", "(broken"))


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)


def test_words_beside_a_rejected_call() -> None:
    found = from_rejection(
        REJECTED + "Use the migration tool, not raw SQL\n\nNote: The user's next message may contain a correction."
    )
    assert found is not None
    assert found.text == "Use the migration tool, not raw SQL"
    assert from_rejection("The user doesn't want to proceed with this tool use. The tool use was rejected.") is None
    assert from_rejection(REJECTED + "no") is None
    assert rejection_words("total 4\n-rw-r--r-- the user said: hello you") == ""
    assert from_rejection("exit code 1") is None


def test_answers_that_state_a_rule() -> None:
    options = ("Use Postgres", "Always use SQLite")
    assert from_answer("Which database?", "Use Postgres", options) is None
    assert from_answer("Which database?", "always use sqlite", options) is None
    assert from_answer("Which database?", "the second one please", options) is None
    found = from_answer("Which database?", "Postgres. We never use SQLite for anything shared", options)
    assert found is not None
    assert found.rule == "answer-rule"
    assert from_answer("", "We never use SQLite", options) is None
    assert from_answer("どのDB?", "必ずPostgresを使ってください") is not None


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["no", ", ", "but ", "that's ", "wrong", "\n", "<borg>", "```", "nein", "違う", "。"])).map(
        "".join
    )
)
def test_anything_may_be_typed(prompt: str) -> None:
    found = detect(prompt, PROPOSAL)
    assert found is None or 0.5 <= found.strength <= 1
    from_rejection(prompt)
    from_answer(prompt, prompt)


@pytest.mark.parametrize("unit", ["no, ", "<borg>", "```", "> ", "but ", "ok ", "a", "that ", "ne a ", "\n", "もどして"])
def test_a_megabyte_is_no_trouble(unit: str) -> None:
    start = time.process_time()
    detect((unit * 1_000_000)[:1_000_000], PROPOSAL)
    assert time.process_time() - start < 20.0, "a rule that is not linear takes hours here"
