"""Rules files: what is a rule is found where it stands, turned into a question, and never loses its wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.rules_file import candidates

FILE = """\
---
title: x
note: Never in front matter
---
# Project rules

This is the shop backend. It is written in Go. Never commit directly to main.

<!-- - Always hidden in a comment -->
## Tests
- **Always** run `make test` before committing.
- Never edit files in `gen/`, because the next build overwrites them.
- Tests live next to the code
- Don't use sleep in tests - use fake clocks
1. No new dependencies without asking.
   Not even small ones.
2. Errors:
   - must be wrapped with context
* See [docs](http://x/y) for more

```bash
- never run this
```
| Never | a table |

## 日本語
- コミットの前に必ずテストを実行する。
"""


def test_a_file_as_people_write_it() -> None:
    found = [(one.line, one.rule, one.is_rule) for one in candidates(FILE, "CLAUDE.md")]
    assert found == [
        (7, "Never commit directly to main.", True),
        (11, "Always run `make test` before committing.", True),
        (12, "Never edit files in `gen/`, because the next build overwrites them.", True),
        (13, "Tests live next to the code", False),
        (14, "Don't use sleep in tests - use fake clocks", True),
        (15, "No new dependencies without asking. Not even small ones.", True),
        (18, "Errors: must be wrapped with context", True),
        (19, "See docs for more", False),
        (27, "コミットの前に必ずテストを実行する。", True),
    ]


@pytest.mark.parametrize(
    ("rule", "question"),
    [
        ("Always run the tests before a commit.", "Did I run the tests before a commit?"),
        ("Never log personal data", "Did I make sure not to log personal data?"),
        ("Do not touch vendor/ by hand!", "Did I make sure not to touch vendor/ by hand?"),
        ("Avoid global state in modules", "Did I avoid global state in modules?"),
        ("No default exports in this package", "Is there no default exports in this package?"),
        ("Please make sure that every route has a test", "Did I make sure that every route has a test?"),
        ("Use HTTP clients from lib/net only", "Did I use HTTP clients from lib/net only?"),
        ("Functions must be short; files too", "Does this hold here: Functions must be short; files too?"),
        ("Beträge immer in Cent speichern.", "Does this hold here: Beträge immer in Cent speichern?"),
    ],
)
def test_the_forms_of_a_question(rule: str, question: str) -> None:
    (one,) = candidates(f"- {rule}\n", "AGENTS.md")
    assert one.question == question
    assert rule.rstrip(".!") in one.consequence


def test_a_reason_becomes_the_consequence() -> None:
    (one,) = candidates("- Pin every action, otherwise a stranger's push runs with our key.", "x.md")
    assert one.question == "Did I pin every action?"
    assert one.consequence == "A stranger's push runs with our key."


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "- ", "#", "```\n- never closed fence", "---\n- no end", "<!-- open", "- x\r\n- y\r\n"]
)
def test_nothing_there_is_nothing_found(text: str) -> None:
    assert candidates(text, "x") == []


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    assert candidates("\ufeff" + FILE.replace("\n", "\r\n"), "CLAUDE.md") == candidates(FILE, "CLAUDE.md")


@given(st.text(st.sampled_from("-*# \n\tNeveralwys`|<>1.:[]()日。"), max_size=120))
def test_any_text_gives_one_line_candidates_on_lines_that_exist(text: str) -> None:
    for one in candidates(text, "x"):
        assert 1 <= one.line <= text.count("\n") + 1
        assert "\n" not in one.rule + one.question + one.consequence
        assert one.question
        assert one.consequence
