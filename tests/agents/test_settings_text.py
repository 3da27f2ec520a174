"""Random settings files of every layout: put in and take out, and the same text is back; nothing of others moves."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from borgd.agents.settings_text import empty_below, with_entries, without_entries
from borgd.config.json_text import value_of, with_element
from borgd.errors import InputError

EVENTS = ("SessionStart", "PreToolUse", "Stop")
WANTED: dict[tuple[str, ...], list[dict[str, Any]]] = {
    ("hooks", event): [{"matcher": "*", "hooks": [{"type": "command", "command": "/home/ä/our-client", "args": [event]}]}]
    for event in EVENTS
}


def is_ours(entry: Any) -> bool:
    return "our-client" in json.dumps(entry)


class Layout(NamedTuple):
    """How a settings file is written."""

    unit: str = "  "
    line: str = "\n"
    colon: str = ": "
    escapes: bool = False
    final: str = "\n"
    mark: str = ""
    comments: bool = False
    trailing: bool = False
    wide: bool = False
    """Containers from the second level on are on one line each."""


LAYOUTS = st.builds(
    Layout,
    unit=st.sampled_from(["  ", "    ", "\t", "", " "]),
    line=st.sampled_from(["\n", "\r\n", ""]),
    colon=st.sampled_from([": ", ":", " : "]),
    escapes=st.booleans(),
    final=st.sampled_from(["\n", "", "\r\n", "\n\n", " "]),
    mark=st.sampled_from(["", "\ufeff"]),
    comments=st.booleans(),
    trailing=st.booleans(),
    wide=st.booleans(),
)

KEYS = st.sampled_from(["model", "env", 'a"b', "ключ", "permissions", "x/y", "", "hooks "]) | st.text(max_size=5)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
VALUES: st.SearchStrategy[Any] = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
GROUPS = st.lists(st.builds(lambda name: {"hooks": [{"type": "command", "command": name}]}, st.text(max_size=9)), max_size=3)
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), GROUPS, max_size=3)
Case = tuple[str, dict[str, Any], bool]


@st.composite
def files(draw: st.DrawFn) -> Case:
    """(text, what it says, whether it has comments)."""
    value = draw(st.dictionaries(KEYS.filter(lambda key: key != "hooks"), VALUES, max_size=4))
    if draw(st.booleans()):
        pairs: list[tuple[str, Any]] = list(value.items())
        pairs.insert(draw(st.integers(0, len(pairs))), ("hooks", draw(HOOKS)))
        value = dict(pairs)
    layout = draw(LAYOUTS)
    return layout.mark + written(value, layout, 0) + layout.final, value, layout.comments


def written(value: Any, layout: Layout, depth: int) -> str:
    """``value`` as text: the writer that the editor is checked against."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=layout.escapes)
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    items = [written(one, layout, depth + 1) for one in (value.values() if isinstance(value, dict) else value)]
    if isinstance(value, dict):
        names = [json.dumps(key, ensure_ascii=layout.escapes) + layout.colon for key in value]
        items = [name + item for name, item in zip(names, items, strict=True)]
    note = "/* n */" if layout.comments and depth % 2 else ""
    if not items:
        return opening + closing
    flat = not layout.line or (layout.wide and depth >= 2)
    space = "" if layout.colon == ":" else " "
    lead, between = (space, "," + space) if flat else ("", "")
    end = space
    if not flat:
        lead = layout.line + layout.unit * (depth + 1)
        between, end = "," + lead, layout.line + layout.unit * depth
    last = "," if layout.trailing and layout.comments else ""
    tail = " // t" if layout.comments and not flat and depth % 2 == 0 else ""
    return opening + note + lead + between.join(items) + last + tail + end + closing


@settings(max_examples=60, deadline=None)
@given(files())
@example(("{}", {}, False))
@example(('{"hooks": {}}\n', {"hooks": {}}, False))
def test_putting_in_and_taking_out_gives_the_same_text_back(case: Case) -> None:
    put_in_and_take_out(*case)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(files())
def test_two_thousand_files_get_the_same_text_back(case: Case) -> None:
    put_in_and_take_out(*case)


def put_in_and_take_out(text: str, value: dict[str, Any], comments: bool) -> None:
    assert value_of(text, comments=comments) == value, "the writer of this test and the reader agree"
    put = with_entries(text, WANTED, is_ours, "settings", comments=comments)
    said = value_of(put, comments=comments)
    for (_, event), entries in WANTED.items():
        assert said["hooks"][event] == [*value.get("hooks", {}).get(event, []), *entries]
    kept = {key: one for key, one in said.items() if key != "hooks"}
    assert list(kept.items()) == [pair for pair in value.items() if pair[0] != "hooks"], "values and their order"
    again = put
    for _ in range(4):
        again = with_entries(again, WANTED, is_ours, "settings", comments=comments)
    assert again == put, "five times is once"
    back = without_entries(put, is_ours, "settings", comments=comments, like=text)
    assert back == text


@settings(max_examples=50, deadline=None)
@given(files(), st.integers(0, 2))
def test_what_was_written_in_between_stays(case: Case, place: int) -> None:
    text, value, comments = case
    put = with_entries(text, WANTED, is_ours, "settings", comments=comments)
    theirs = {"hooks": [{"command": "theirs"}]}
    changed = with_element(put, ("added later",), {"x": place}, comments=comments)
    changed = with_element(changed, ("hooks", EVENTS[place]), theirs, comments=comments)
    back = value_of(without_entries(changed, is_ours, "settings", comments=comments, like=text), comments=comments)
    expected = json.loads(json.dumps(value))
    expected["added later"] = [{"x": place}]
    expected.setdefault("hooks", {}).setdefault(EVENTS[place], []).append(theirs)
    assert back == expected


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ('{"a": 1,}', 1, "a value after the comma"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, "a comma"),
        ('{"a" 1}', 1, "a colon"),
        ('{\r\n"a": nope}', 2, "a value"),
        ("{} x", 1, "nothing more"),
        ("[" * 500, 1, "levels"),
        ('{"a": "\\q"}', 1, "string"),
        ("// a note\n{}", 1, "a value"),
    ],
)
def test_what_is_no_json_is_named_by_its_line(text: str, line: int, expected: str) -> None:
    with pytest.raises(InputError, match=expected) as raised:
        with_entries(text, WANTED, is_ours, "here.json")
    assert raised.value.line == line


@pytest.mark.parametrize("text", ["[]", "3", '"x"'])
def test_settings_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="object"):
        with_entries(text, WANTED, is_ours, "here.json")


@pytest.mark.parametrize("text", ['{"hooks": 3}', '{"hooks": {"Stop": {}}}', '{"hooks": []}'])
def test_hooks_of_another_shape_are_refused_and_named(text: str) -> None:
    with pytest.raises(InputError, match="hooks"):
        with_entries(text, WANTED, is_ours, "here.json")


def test_a_note_in_empty_brackets_stays() -> None:
    text = '{\n  "hooks": {\n    // none yet\n  }\n}\n'
    put = with_entries(text, WANTED, is_ours, "settings", comments=True)
    assert "// none yet" in put
    assert without_entries(put, is_ours, "settings", comments=True, like=text) == text


def test_empty_brackets_are_found_through_objects() -> None:
    assert empty_below({"a": {}, "b": {"c": [], "d": [{}]}, "e": 1}) == [("a",), ("b", "c")]


def test_a_text_of_nothing_but_a_note_gets_its_object_below_it() -> None:
    put = with_entries('  // c{  "', WANTED, is_ours, "settings", comments=True)
    assert put.startswith('  // c{  "\n{')
    assert with_entries(put, WANTED, is_ours, "settings", comments=True) == put
