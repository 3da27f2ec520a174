"""When a name counts as named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.recall.text.scope import named_scopes, places
from borgd.recall.text.words import segments

NAMES = ["Answer Guard", "Orion", "PgRouter", "SR3", "Kite UI", "Helios Scheduler", "V"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the answer guard is slow", ["Answer Guard"]),
        ("class AnswerGuard:", ["Answer Guard"]),
        ("answer_guard/stream/sse.py", ["Answer Guard"]),
        ("import answerguard", ["Answer Guard"]),
        ("ANSWER-GUARD", ["Answer Guard"]),
        ("wrapped answer\nguard", ["Answer Guard"]),
        ("the answer to the guard", []),
        ("the output of the guard", []),
        ("they give an answer. Guard against it", []),
        ("answer, guard", []),
        ("an answer\n\nguard", []),
        ("guard answer", []),
        ("answers guarded", []),
        ("orion-text/ and OrionConfig", ["Orion"]),
        ("histori on", []),
        ("orionis", []),
        ("sr3 and sr31 and xsr3", ["SR3"]),
        ("pg_router", ["PgRouter"]),
        ("pgrouter", ["PgRouter"]),
        ("pg and router", []),
        ("kite-ui", ["Kite UI"]),
        ("a kite, built by hand", []),
        ("kite", []),
        ("vitamin V", ["V"]),
        ("", []),
    ],
)
def test_a_name_is_named_as_a_contiguous_run_of_its_parts(text: str, named: list[str]) -> None:
    assert named_scopes(NAMES, text) == named


def test_names_come_in_the_order_given_and_once() -> None:
    assert named_scopes(["Orion", "SR3", "Orion"], "SR3 beside Orion") == ["Orion", "SR3"]


@pytest.mark.parametrize("name", ["", " ", "--"])
def test_a_name_without_parts_is_never_named(name: str) -> None:
    assert named_scopes([name], "anything -- at all") == []


@pytest.mark.parametrize(
    ("cwd", "remote", "found"),
    [
        ("~/src/orion-api", "", ["Orion"]),
        ("~/src/helios", "", ["Helios Scheduler"]),
        ("~/src/helios/worker", "", []),
        ("~/src/helios-api", "", ["Helios Scheduler"]),
        ("~/src/helios-web-client", "", ["Helios Scheduler"]),
        ("~/src/helios-poems", "", []),
        ("~/src/api", "", []),
        ("/home/u/answer-guard/sub/dir", "", ["Answer Guard"]),
        ("/tmp/x", "acme/pgrouter.git", ["PgRouter"]),
        ("/tmp/x", "git@host:acme/helios.git", ["Helios Scheduler"]),
        ("~/src/answer", "", ["Answer Guard"]),
        ("~/src/kit", "", []),
        ("C:\\work\\SR3", "", ["SR3"]),
        ("", "", []),
    ],
)
def test_where_a_session_works_names_a_scope(cwd: str, remote: str, found: list[str]) -> None:
    assert places(NAMES, cwd, remote) == found


def test_the_beginning_of_two_names_is_the_place_of_neither() -> None:
    assert places(["Helios Scheduler", "Helios Console"], "~/src/helios") == []


@given(
    st.lists(st.sampled_from(["ab", "c", "d1", "efg"]), min_size=1, max_size=4), st.text(max_size=30), st.text(max_size=30)
)
def test_a_name_is_found_wherever_it_stands_between_spaces(parts: list[str], before: str, after: str) -> None:
    name = " ".join(parts)
    assert named_scopes([name], f"{before} {name} {after}") == [name]


@given(st.text(max_size=60), st.text(max_size=12))
def test_what_is_named_has_its_parts_in_the_text(text: str, name: str) -> None:
    if named_scopes([name], text):
        joined = "".join(segments(text))
        assert "".join(segments(name)) in joined
