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
    items = candidates(FILE, "CLAUDE.md")
    assert [one.why_not for one in items if one.why_not not in ("", "description", "heading")] == ["html", "code", "table"]
    found = [(one.line, one.rule, one.is_rule) for one in items if one.why_not in ("", "description")]
    assert found == [
        (7, "This is the shop backend.", False),
        (7, "It is written in Go.", False),
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
        ("No default exports in this package", "Are there no default exports in this package?"),
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
    assert [one for one in candidates(text, "x") if one.is_rule] == []


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    assert candidates("\ufeff" + FILE.replace("\n", "\r\n"), "CLAUDE.md") == candidates(FILE, "CLAUDE.md")


@given(st.text(st.sampled_from("-*# \n\tNeveralwys`|<>1.:[]()日。"), max_size=120))
def test_any_text_gives_one_line_candidates_on_lines_that_exist(text: str) -> None:
    for one in candidates(text, "x"):
        assert 1 <= one.line <= text.count("\n") + 1
        assert "\n" not in one.rule + one.question + one.consequence
        assert one.question
        assert one.consequence


def rules(text: str) -> list[str]:
    """The rules of a file, without their marks."""
    return [one.rule for one in candidates(text, "CLAUDE.md") if one.is_rule]


def why_not(text: str) -> dict[str, str]:
    return {one.rule: one.why_not for one in candidates(text, "CLAUDE.md") if one.why_not}


@pytest.mark.parametrize(
    "rule",
    [
        "Keep `__main__.py` thin.",
        "Never shadow `**options` or `*paths` in a handler.",
        "Name fixtures `make_*_user`, never `mk_user`.",
        "Use snake_case names such as read_all_rows in SQL.",
        "Never touch `a_b_c` and d_e_f in one commit.",
        "Always match `^[a-z]_\\d*$` in full.",
        "Do not put `<!-- generated -->` by hand.",
    ],
)
def test_code_spans_and_underscores_stay_as_they_are(rule: str) -> None:
    assert rules(f"# Names\n\n- {rule}\n") == [rule]


@pytest.mark.parametrize(
    "code",
    [
        "```\nnever(1)\n```python\n- never(2)\n```\n",
        "- ```sh\n  always --never\n  ```\n",
        "1. ~~~\n   - never\n   ~~~\n",
        "````\n```\n- never this\n```\n````\n",
        "    - never indented\n",
        "> ```\n> - never quoted\n> ```\n",
    ],
    ids=["info string", "behind a list mark", "behind a number", "longer fence", "indented", "in a quote"],
)
def test_code_is_no_rule_and_rules_after_it_are_there(code: str) -> None:
    text = f"Intro.\n\n{code}\n\n- Never skip the audit trail.\n- Always seed the clock.\n"
    assert rules(text) == ["Never skip the audit trail.", "Always seed the clock."]
    assert "code" in why_not(text).values()


def test_tables_html_and_comments_are_named_and_no_rules() -> None:
    text = (
        "| Do | Why |\n|---|---|\n| Never inline SQL | safe |\n\n<div>\nNever style by id.\n</div>\n\n<!-- Always x. -->\n"
    )
    assert rules(text) == []
    assert sorted(why_not(text).values()) == ["html", "html", "table", "table"]


def test_tags_of_ones_own_glue_nothing() -> None:
    text = "<house_rules>\n<must>\n- Never block the loop.\n</must>\nAlways close the pool.\n</house_rules>\n"
    assert rules(text) == ["Never block the loop.", "Always close the pool."]


def test_a_heading_by_underline_takes_one_line_only() -> None:
    text = "Never store naive datetimes.\nClocks\n======\nYou must pass the clock in.\n\nAlways use UTC\n---\n- Never nap.\n"
    assert rules(text) == ["Never store naive datetimes.", "You must pass the clock in."]
    assert why_not(text) == {"Always use UTC": "heading", "Never nap.": "short"}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("✅ Use the outbox for events", "Use the outbox for events"),
        ("❌ Use raw threads", "Never use raw threads"),
        ("- 🚫 Never log tokens", "Never log tokens"),
        ("• Prefer composition over inheritance", "Prefer composition over inheritance"),
        ("⚠️ Always check the return code", "Always check the return code"),
        ("- [x] Must bump the schema version", "Must bump the schema version"),
    ],
)
def test_marks_that_stand_for_bullets(line: str, rule: str) -> None:
    assert rules(f"Notes on style:\n{line}\n✅ Keep the log short please\n")[0] == rule


@pytest.mark.parametrize(
    ("rule", "question"),
    [
        ("本番のデータベースを直接変更しないこと", "次を守ったか：本番のデータベースを直接変更しないこと？"),
        ("型定義は `types/` に置く。", "次を守ったか：型定義は `types/` に置く？"),
        ("レビュー前に必ず整形してください", "次を守ったか：レビュー前に必ず整形してください？"),
        ("所有接口都必须校验输入", "是否遵守了：所有接口都必须校验输入？"),
        ("请勿提交日志", "是否遵守了：请勿提交日志？"),
        ("避免嵌套", "是否遵守了：避免嵌套？"),
        ("嚴禁寫死密碼", "是否遵守了：嚴禁寫死密碼？"),
        ("비밀 키를 커밋하지 마세요", "다음을 지켰는가: 비밀 키를 커밋하지 마세요?"),
        ("모든 함수에 테스트를 작성해야 한다", "다음을 지켰는가: 모든 함수에 테스트를 작성해야 한다?"),
        ("반드시 린트를 통과할 것", "다음을 지켰는가: 반드시 린트를 통과할 것?"),
        ("You should batch writes to the queue", "Did I batch writes to the queue?"),
        ("When a job fails, record the attempt", "When a job fails: did I record the attempt?"),
        ("No magic number in a query", "Is there no magic number in a query?"),
        ("Important: never reuse a nonce", "Did I make sure not to reuse a nonce?"),
        ("Queues: Always set a dead letter", "Queues: did I set a dead letter?"),
        ("Explicitly type public functions", "Does this hold here: Explicitly type public functions?"),
    ],
)
def test_imperatives_of_other_scripts_and_the_grammar_of_the_question(rule: str, question: str) -> None:
    (one,) = candidates(f"- {rule}\n", "AGENTS.md")
    assert (one.is_rule, one.question) == (True, question)


@pytest.mark.parametrize(
    "text",
    [
        "Tests are in the folder beside the code",
        "Build: `make all`",
        "Run the server: `make serve`",
        "`npm start`",
        "Release notes live in the wiki",
        "React 19 with TypeScript",
        "テストの場所",
        "前端技术栈",
        "기술 스택 개요 문서",
    ],
)
def test_descriptions_are_no_rules_and_say_so(text: str) -> None:
    (one,) = candidates(f"- {text}\n", "AGENTS.md")
    assert not one.is_rule
    assert one.why_not in ("description", "short")


def test_situations_come_from_heading_words_code_and_paths() -> None:
    text = "# Rules\n\n## Database migrations\n\n- Never edit `versions/0001_init.py` or db/schema.sql by hand.\n"
    (one,) = [one for one in candidates(text, "CLAUDE.md") if one.is_rule]
    assert one.situations == (
        "Database migrations",
        "Never edit versions/0001_init.py or db/schema.sql by hand",
        "work with versions/0001_init.py, db/schema.sql",
    )


def test_a_list_under_a_sentence_and_a_rule_said_twice() -> None:
    text = "- Errors:\n  - must carry the request id\n- Always lint before a commit.\n- Always lint before a commit.\n"
    assert rules(text) == ["Errors: must carry the request id", "Always lint before a commit."]
    assert why_not(text) == {"Always lint before a commit.": "repeated"}


def test_lines_without_bullets_are_rules_of_their_own() -> None:
    assert rules("You are an engineer\nAlways name the owner\nNever guess a unit\n") == [
        "Always name the owner",
        "Never guess a unit",
    ]
    wrapped = "Always write the reason for a change of behaviour in the commit's body, since nobody\nReads the diff twice.\n"
    assert len(rules(wrapped)) == 1


WORDS = st.lists(
    st.sampled_from(["alpha", "beta_gamma", "`x_y*`", "never", "use", "日本", "**bold**"]), min_size=1, max_size=6
)
BLOCKS = st.sampled_from(["- {}", "1. {}", "> {}", "## {}", "{}", "  - {}", "| {} |", "✅ {}"])


@given(st.lists(st.tuples(BLOCKS, WORDS), max_size=8))
def test_no_word_of_a_list_item_is_lost(blocks: list[tuple[str, list[str]]]) -> None:
    """Every word that stands outside code and headings is in an item, whatever stands around it."""
    text = "\n\n".join(form.format(" ".join(words)) for form, words in blocks)
    said = " ".join(one.rule for one in candidates(text, "x"))
    for form, words in blocks:
        if "#" not in form and "|" not in form:
            assert all(word.replace("**", "") in said for word in words)


@pytest.mark.parametrize("piece", ["[", "![![![](", "*[", "[a][", "`", "<!--", "**a _b "])
def test_a_paragraph_that_is_no_rule_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    """Brackets that never close cost their square where links are looked for: this would take many minutes."""
    text = f"# Rules\n\n- Always {piece * (400_000 // len(piece))}\n\n- Always raise the cap of the pump.\n"
    assert [one.rule for one in candidates(text, "CLAUDE.md")][-1] == "Always raise the cap of the pump."


@pytest.mark.parametrize("heading", ["9" * 4000 + "x", "Rules -- " * 300 + "x", "do" * 2000, "- " * 2000 + "the x"])
def test_a_heading_of_words_that_say_nothing_is_told_in_time_that_grows_with_its_length(heading: str) -> None:
    """Words and what is between them, each as often as one likes, could be split in more ways than can be tried."""
    text = f"# {heading}\n\n- Always raise the cap of the pump.\n"
    assert [one.rule for one in candidates(text, "CLAUDE.md")][-1] == "Always raise the cap of the pump."
