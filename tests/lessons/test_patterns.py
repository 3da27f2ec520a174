"""Signs and handled patterns: Python's syntax, in linear time; every refusal in words, nothing raised at matching."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons import patterns
from borgd.lessons.lesson import Lesson
from borgd.lessons.pattern_syntax import parse
from borgd.lessons.patterns import PatternHits, PatternIndex, match, matches, prepare, problem, problems
from borgd.lessons.sanitize import PATTERN_CHARS, PATTERNS, clean_lesson, clean_patterns

LETTERS = "abc_9 ."
ATOMS = st.sampled_from(
    ["a", "b", "c", "ab", "_", "9", r"\.", r"\(", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\b", "[a-c9]", "ä", r"[\w.]"]
)
REPEATS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{1,3}", "{,2}", "{2,}", "*?"])


@st.composite
def sequences(draw: st.DrawFn, inner: st.SearchStrategy[str] = ATOMS) -> str:
    """Atoms and groups one after another, each perhaps repeated."""
    parts = draw(st.lists(st.tuples(inner, REPEATS), min_size=1, max_size=4))
    return "".join(
        atom if atom == r"\b" else f"(?:{atom}){repeat}" if len(atom) > 1 else atom + repeat for atom, repeat in parts
    )


GROUPS = st.lists(sequences(), min_size=1, max_size=3).map(lambda parts: f"({'|'.join(parts)})")
PATTERNS_MADE = st.lists(sequences(st.one_of(ATOMS, GROUPS)), min_size=1, max_size=3).map("|".join)


@given(PATTERNS_MADE, st.text(alphabet="aAbBcC_9 .(\näÄ", max_size=30))
def test_matches_what_python_matches(pattern: str, text: str) -> None:
    why = problem(pattern)
    if why:
        assert re.search("every text|multiply|at most", why), why
        return
    assert matches(pattern, prepare(text)) == (re.search(pattern, text, re.IGNORECASE | re.MULTILINE) is not None)


@given(PATTERNS_MADE, st.text(alphabet="aAbBcC_9 .(\n", max_size=30))
def test_what_is_required_is_in_every_match(pattern: str, text: str) -> None:
    found = re.search(pattern, text, re.IGNORECASE | re.MULTILINE)
    for literals in parse(pattern).required if found else ():
        assert any(literal in text.lower() for literal in literals)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\bsave_all\(self", {"save_all(self"}),
        (r"(cache|store)d? =", {"cache =", "cached =", "store =", "stored ="}),
        (r"find\w+Everywhere", {"everywhere"}),
        (r"\d+\s*ms", {"ms"}),
        ("colou?r", {"colour", "color"}),
    ],
)
def test_the_most_telling_literals_come_first(pattern: str, literals: set[str]) -> None:
    assert parse(pattern).required[0] == literals


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"timeout(?!=)", "look-ahead"),
        (r"(?<=self\.)retry", "look-behind"),
        (r"(['\"]).*\1", "referred back"),
        (r"(?P<q>x)(?P=q)", "referred back"),
        (r"(?>a+)b", "atomic"),
        (r"a++b", "possessive"),
        (r"(x)?(?(1)y|z)", "conditions"),
        (r"open(", "not closed"),
        (r"close)", "closes nothing"),
        (r"[abc", "not closed"),
        (r"*start", "repeats nothing"),
        (r"a{5,2}", "counts down"),
        (r"a{1,2000}", "counts further"),
        (r"(.{0,900}){0,900}x", "multiply"),
        (r"[z-a]", "backwards"),
        ("end\\", "escapes nothing"),
        (r"\q", "known escape"),
        (r"\x4", "hexadecimal"),
        (r"(?x) a b", "flags"),
        (r"a*", "every text"),
        ("  ", "empty"),
        ("x" * (PATTERN_CHARS + 1), "at most"),
        ("(" * 60 + "a" + ")" * 60, "inside each other"),
        ("|".join(f"(?:w{n}.{{0,300}})" for n in range(9)), "multiply"),
    ],
)
def test_what_cannot_be_used_says_why_and_is_skipped(pattern: str, said: str) -> None:
    assert said in problem(pattern)
    assert not matches(pattern, prepare("a b x start end timeout retry"))
    index = PatternIndex()
    index.put("L1", [pattern, "start"], [])
    assert index.match("a fresh start") == {"L1": PatternHits(2, 0)}
    assert [said in line for line in problems([pattern], ["fine"])] == [True]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\w+_total", "größe_total"),
        (r"\bÜbergabe\b", "die übergabe."),
        ("関数.{0,5}名", "この関数の名前"),
        (r"gr\xf6\u00dfe", "GRÖßE"),
        ("^import os$", "x = 1\nimport os\ny"),
        (r"a{,2}b", "b"),
        (r"\{[^}]*\}", "f{x}"),
        (r"[[\]]", "]"),
        (r"(?#why)end\Z", "the end"),
        ("\\.get\\([^@]{0,600}Depends\\(\\s*get_db\\b", "r.get('/')\n" + "x\n" * 100 + "Depends( get_db)"),
    ],
)
def test_syntax_that_python_has_and_the_engine_writes_otherwise(pattern: str, text: str) -> None:
    assert problem(pattern) == ""
    assert matches(pattern, prepare(text))


NASTY = [
    r"(a+)+$",
    r"(a|a)*b",
    r"(x+x+)+y",
    r"([a-z]+)*\d{3}!",
    r"(.*)(.*)(.*)(.*)(.*)(.*)~",
    r"[ab]*a[ab]{200}~",
    r"(?:a?){300}a{300}c",
    "|".join(f"a{chr(97 + n)}+" for n in range(26)) + "|~",
]


@pytest.mark.parametrize("pattern", NASTY)
@pytest.mark.parametrize("text", ["a" * 300_000, "ab" * 100_000, "x" * 90_000 + "é"], ids=["a", "ab", "wide"])
def test_one_pattern_costs_a_bounded_amount(pattern: str, text: str) -> None:
    """Instructions × characters is the worst that RE2 can do with a pattern, whatever the text says."""
    compiled = patterns._compiled(pattern)
    if isinstance(compiled, str):
        assert "multiply" in compiled or "every text" in compiled
        return
    matches(pattern, prepare(text))
    assert len(prepare(text).narrow) <= patterns.TEXT_CHARS
    assert max(compiled.span, compiled.limit) <= patterns.WORK


def test_a_high_count_still_means_what_it_says() -> None:
    """A text is sought with high counts unbounded first; what lies further apart is no match all the same."""
    pattern = r"open\([^@]{0,300}\bcommit\b"
    near, far = "open(x)" + " y" * 100 + " commit", "open(x)" + " y" * 200 + " commit"
    assert matches(pattern, prepare(near))
    assert not matches(pattern, prepare(far))
    assert matches(pattern, prepare(far + "\n" + near))
    assert not matches(pattern, prepare("commit\n" * 50 + "open("))
    assert matches(r"[^@]{0,500}key", prepare("key"))


def test_an_index_finds_what_each_lesson_alone_finds() -> None:
    lessons = {
        "L1": ([r"retry\(", "sleep"], ["backoff"]),
        "L2": (["sleep", r"\d{4}"], []),
        "L3": ([], [r"with_timeout|deadline"]),
        "L4": (["(?=x)", "if"], ["if"]),
    }
    index = PatternIndex()
    for key, (signs, handled) in lessons.items():
        index.put(key, signs, handled)
    for text in (
        "retry(3); sleep(1)",
        "2024 and a Deadline",
        "nothing",
        "if backoff",
        "",
        "x" * 50,
        "sleep with_timeout 1999",
    ):
        alone = {key: match(signs, handled, text) for key, (signs, handled) in lessons.items()}
        expected = {key: one for key, one in alone.items() if one != PatternHits(0, 0)}
        assert index.match(text) == expected
        assert index.match(text, among={"L1", "L4"}) == {key: one for key, one in expected.items() if key in ("L1", "L4")}


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.lists(st.sampled_from(["foo", "bar+", "ba", "o{2}"]), max_size=3))))
def test_an_index_that_changed_is_one_that_was_made_anew(steps: list[tuple[str, list[str]]]) -> None:
    changed, last = PatternIndex(), dict[str, list[str]]()
    for key, signs in steps:
        if signs:
            changed.put(key, signs, [])
            last[key] = signs
        else:
            changed.drop(key)
            last.pop(key, None)
        changed.match("foo")
    anew = PatternIndex()
    for key, signs in last.items():
        anew.put(key, signs, [])
    for text in ("foo bar", "ba", "barr", "x"):
        assert changed.match(text) == anew.match(text)


def test_a_call_stops_near_its_time_and_a_slow_pattern_is_skipped_from_then_on() -> None:
    index = PatternIndex()
    for number in range(5):
        index.put(f"L{number}", [f"word|w{number}"], [])
    ticks = iter(range(100))
    found = index.match("a word", clock=lambda: next(ticks) * 0.006)
    assert list(found) == ["L0", "L1"]
    assert index.slow == set()
    ticks = iter(range(100))
    assert list(index.match("a word", clock=lambda: next(ticks) * 0.015)) == ["L0"]
    assert index.slow == {"word|w0"}
    assert list(index.match("a word")) == ["L1", "L2", "L3", "L4"]


def test_new_patterns_are_read_a_few_at_a_time_where_a_hook_waits() -> None:
    index = PatternIndex()
    for number in range(2 * patterns.READ_AT_ONCE):
        index.put(f"L{number}", [f"word|w{number}"], [])
    assert len(index.match("a word", clock=lambda: 0.0)) == patterns.READ_AT_ONCE
    assert not index.read(patterns.READ_AT_ONCE)
    assert len(index.match("a word", clock=lambda: 0.0)) == 2 * patterns.READ_AT_ONCE


def test_what_two_texts_matched_joins() -> None:
    one = match(["alpha", "beta"], ["gamma"], "alpha")
    other = match(["alpha", "beta"], ["gamma"], "alpha, gamma")
    assert ((one | other).signs, (one | other).handled) == (1, 1)


@given(st.lists(st.text(max_size=PATTERN_CHARS + 3), max_size=PATTERNS + 3))
def test_cleaning_patterns_is_bounded_and_done_once(texts: list[str]) -> None:
    cleaned = clean_patterns(texts)
    assert len(cleaned) <= PATTERNS
    assert all(one.strip() and len(one) <= PATTERN_CHARS and "\n" not in one and "\u202e" not in one for one in cleaned)
    assert clean_patterns(cleaned) == cleaned


def test_white_space_in_a_pattern_stays_and_too_long_ones_are_not_cut() -> None:
    lesson = Lesson(id="L1", question="q?", consequence="c.", signs=("a  b\n", "x" * 300), handled=("a\u202eb",))
    assert clean_lesson(lesson).signs == (r"a  b\n",)
    assert clean_lesson(lesson).handled == ("ab",)


def test_old_lessons_have_no_patterns() -> None:
    old = msgspec.convert({"id": "L1", "question": "q?", "consequence": "c."}, Lesson)
    assert (old.signs, old.handled) == ((), ())
