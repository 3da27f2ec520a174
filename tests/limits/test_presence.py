"""Who is there: what the host says, when its person last wrote, what a prompt invites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.limits.interrupts.presence import HEADLESS, asks_to_be_asked, presence

NOW = 1_767_182_400_000
EDITORS = ["claude-vscode", "claude-desktop", "sdk-ts", "sdk-py", "local-agent"]
ages = st.none() | st.integers(0, 86_400)


def _attended(host: bool | None, entry: str, age_s: int | None, attended_s: float = 600) -> bool:
    wrote = None if age_s is None else NOW - age_s * 1000
    return presence(host, entry, wrote, NOW, attended_s).attended


@given(st.sampled_from(["", "cli", *EDITORS]), ages)
def test_where_the_host_says_that_somebody_is_there_somebody_is(entry: str, age_s: int | None) -> None:
    assert _attended(True, entry, age_s)


@given(st.sampled_from(sorted(HEADLESS)), ages)
def test_a_headless_run_has_nobody_however_fresh_its_prompt(entry: str, age_s: int | None) -> None:
    assert not _attended(False, entry, age_s)


@given(st.sampled_from([None, False]), st.sampled_from(EDITORS), ages, st.integers(0, 3600))
def test_in_an_editor_the_last_prompt_decides(host: bool | None, entry: str, age_s: int | None, attended_s: int) -> None:
    assert _attended(host, entry, age_s, attended_s) == (age_s is not None and age_s <= attended_s)


@given(ages, st.integers(0, 3600))
def test_where_no_host_speaks_the_last_prompt_decides(age_s: int | None, attended_s: int) -> None:
    assert _attended(None, "", age_s, attended_s) == (age_s is not None and age_s <= attended_s)


def test_a_clock_set_back_does_not_send_anybody_away() -> None:
    assert presence(None, "", NOW + 5000, NOW, 600).attended


@pytest.mark.parametrize(
    "prompt",
    [
        "Interview me, ask me one by one, I am here",
        "interview me about the design first",
        "Before you start, ask me whatever you need to know.",
        "We need a cache. Please ask me questions until it is clear.",
        "Build the importer. Feel free to ask any questions.",
        "Plan the migration and ask me before every step",
        "Could you quiz me on what the client wants?",
        "Design the API; check with me on each endpoint.",
        "You can ask me anything, I’m at the desk.",
        "Ask as many clarifying questions as you like.",
        "Let me decide where there is more than one way.",
        "Frag mich der Reihe nach, bevor du anfängst.",
        "Bau das um. Stell mir dazu bitte Fragen.",
        "Pose-moi toutes les questions nécessaires.",
        "Hazme todas las preguntas que quieras",
        "Intervistami sul progetto",
        "実装の前に質問してください",
        "先采访我,一个一个问题来",
        "Задавай мне вопросы по одному",
    ],
)
def test_a_prompt_that_asks_to_be_asked(prompt: str) -> None:
    assert asks_to_be_asked(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "fix the bug",
        "Don't ask me anything, just do it.",
        "Do it without asking me questions.",
        "No questions please, decide yourself. Interview me next week.",
        "Never interview me again",
        'The dialog says "ask me later"; rename that button.',
        "Write a `ask me anything` page",
        "```\nask me one by one\n```\nwhat does this do?",
        "The form asks me for my name twice, fix it.",
        "Ask me what you need.",
        "Build it, and ask me if the tests fail.",
        "Users ask me why the export is slow",
        "Add an interview scheduler",
        "What would a reviewer ask me about this?",
        "Make the installer ask the user before it overwrites",
        "Frag mich nicht, mach einfach.",
        "不要问我,直接做",
        "質問せずに進めて",
        "> interview me\nplease translate the line above",
    ],
)
def test_a_prompt_that_does_not(prompt: str) -> None:
    assert not asks_to_be_asked(prompt)


@given(st.text(max_size=300))
def test_any_prompt_is_read(prompt: str) -> None:
    assert asks_to_be_asked(prompt) in (True, False)
    assert not asks_to_be_asked(f"{prompt[:50]}. Do not ask me anything.")
