"""Settings text of other programs, edited in place: JSON, and JSON with comments and trailing commas.

Promises that every byte which is not part of what is put in or taken out stays as it is: indentation, line ends, escapes,
order of keys, comments, a byte order mark, a missing last line end. What is put in follows the style around it.
Pure: text in, text out. Must not know any agent or what its settings mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from borgd.errors import InputError

KeyPath = tuple[str, ...]
"""Keys from the outermost object to a value."""

DEPTH = 200
"""guard: containers inside each other; no settings file has as many, and the reader below calls itself."""
UNIT = "  "
"""design: one step of indentation where the text shows none."""
BOM = "\ufeff"
"""host: some editors put this byte order mark before the text."""

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_BLANK = re.compile(r"[ \t\r\n]*")
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\n|\r")


class JsonNode(NamedTuple):
    """One value of the text. ``text[start:end]`` is it; ``value`` is what it says."""

    start: int
    end: int
    value: Any
    items: tuple[tuple[str, int, JsonNode], ...] = ()
    """What a container holds: (key or "", where the key or the element starts, the value)."""
    commas: tuple[int, ...] = ()
    """Where the commas between and behind them are."""

    def member(self, key: str) -> JsonNode | None:
        """The value of ``key``, the last one where it is there twice, as readers take it."""
        return next((node for name, _, node in reversed(self.items) if name == key), None)


class _Reader:
    """Reads one text. ``comments``: whether comments and trailing commas are part of the language."""

    def __init__(self, text: str, source: str, *, comments: bool) -> None:
        self._text = text
        self._source = source
        self._comments = comments
        self._between = _TRIVIA if comments else _BLANK

    def fail(self, expected: str, at: int) -> InputError:
        line = len(_LINE_END.findall(self._text, 0, at)) + 1
        return InputError(self._source, f"expected JSON: {expected}", line=line)

    def skip(self, at: int) -> int:
        found = self._between.match(self._text, at)
        assert found is not None
        return found.end()

    def document(self) -> JsonNode | None:
        start = self.skip(1 if self._text.startswith(BOM) else 0)
        if start == len(self._text):
            return None
        node = self.value(start, 0)
        end = self.skip(node.end)
        if end != len(self._text):
            raise self.fail("nothing more after the first value", end)
        return node

    def value(self, at: int, depth: int) -> JsonNode:
        letter = self._text[at : at + 1]
        if letter in ("{", "["):
            if depth >= DEPTH:
                raise self.fail(f"at most {DEPTH} levels of brackets", at)
            return self.container(at, depth, "}" if letter == "{" else "]")
        if letter == '"':
            return self.string(at)
        plain = _PLAIN.match(self._text, at)
        if plain is None:
            raise self.fail("a value", at)
        try:
            return JsonNode(at, plain.end(), json.loads(plain[0]))
        except ValueError:  # more digits than Python reads
            return JsonNode(at, plain.end(), float("-inf" if plain[0][0] == "-" else "inf"))

    def string(self, at: int) -> JsonNode:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self.fail('a string between two "', at)
        try:
            return JsonNode(at, found.end(), json.loads(found[0]))
        except json.JSONDecodeError:
            raise self.fail("a string with escapes that JSON has", at) from None

    def container(self, at: int, depth: int, close: str) -> JsonNode:
        items: list[tuple[str, int, JsonNode]] = []
        commas: list[int] = []
        where = self.skip(at + 1)
        while self._text[where : where + 1] != close:
            if len(commas) < len(items):
                raise self.fail(f"a comma or {close}", where)
            begin, key = where, ""
            if close == "}":
                name = self.string(where)
                key, where = name.value, self.skip(name.end)
                if self._text[where : where + 1] != ":":
                    raise self.fail("a colon after the key", where)
                where = self.skip(where + 1)
            node = self.value(where, depth + 1)
            items.append((key, begin, node))
            where = self.skip(node.end)
            if self._text[where : where + 1] == ",":
                commas.append(where)
                where = self.skip(where + 1)
                if self._text[where : where + 1] == close and not self._comments:
                    raise self.fail("a value after the comma", where)
        value = {key: node.value for key, _, node in items} if close == "}" else [node.value for _, _, node in items]
        return JsonNode(at, where + 1, value, tuple(items), tuple(commas))


def read(text: str, source: str = "settings", *, comments: bool = False) -> JsonNode | None:
    """The outermost value in ``text``; None where there is none (nothing but white space and comments).

    :raises InputError: not JSON; names ``source``, the line and what was expected.
    """
    return _Reader(text, source, comments=comments).document()


def value_of(text: str, source: str = "settings", *, comments: bool = False) -> dict[str, Any]:
    """What ``text`` says as an object; empty where it says nothing.

    :raises InputError: not JSON, or not an object.
    """
    node = read(text, source, comments=comments)
    if node is not None and not isinstance(node.value, dict):
        raise InputError(source, "expected a JSON object")
    return {} if node is None else node.value


class _Style(NamedTuple):
    """How the text is laid out. ``line``: its line end, empty where everything is on one line."""

    line: str
    unit: str
    colon: str
    comma: str


def _style(text: str, root: JsonNode | None) -> _Style:
    ends = _LINE_END.findall(text)
    line = max(ends, key=ends.count) if ends else "\n"
    if root is None or not root.items:
        return _Style(line, UNIT, ": ", ", ")
    lead = text[root.start + 1 : root.items[0][1]]
    if not _LINE_END.search(lead):
        first = text[root.items[0][1] : root.items[0][2].start]
        colon = ": " if first[-1:] in " \t" else ":"
        return _Style("", UNIT, colon, ", " if colon == ": " else ",")
    margin = _after_line_end(text[: root.start] + "x")
    return _Style(line, _after_line_end(lead).removeprefix(margin), ": ", ", ")


def _after_line_end(text: str) -> str:
    """The white space that the last line of ``text`` starts with."""
    last = _LINE_END.split(text)[-1]
    return last[: len(last) - len(last.lstrip(" \t"))]


def _rendered(value: Any, style: _Style, indent: str, *, inline: bool) -> str:
    if inline or not style.line:
        return json.dumps(value, ensure_ascii=False, separators=(style.comma, style.colon))
    text = json.dumps(value, ensure_ascii=False, indent=style.unit)
    return text.replace("\n", style.line + indent)


def _splice(text: str, *edits: tuple[int, int, str]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _add(text: str, box: JsonNode, key: str | None, value: Any, style: _Style) -> str:
    """``text`` with one more element (``key`` None) or member at the end of ``box``."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    if not box.items:
        return _fill(text, box, name, value, style)
    _, begin, last = box.items[-1]
    lead = text[_behind_comma(box, len(box.items) - 1) : begin]
    broken = _LINE_END.search(lead)
    if broken:
        indent = _after_line_end(lead)
        gap = (_LINE_END.findall(lead)[-1]) + indent
    else:
        indent = _after_line_end(text[: box.start])
        gap = " " if style.comma == ", " else ""
    new = gap + name + _rendered(value, style, indent, inline=not broken)
    if len(box.commas) == len(box.items):  # a comma trails already, and goes on trailing
        at = _end_of_comments(text, box.commas[-1] + 1, box.end - 1)
        return _splice(text, (at, at, _behind(text, box.commas[-1] + 1, at, new, style) + ","))
    at = _end_of_comments(text, last.end, box.end - 1)
    if at == last.end:
        return _splice(text, (at, at, "," + new))
    return _splice(text, (last.end, last.end, ","), (at, at, _behind(text, last.end, at, new, style)))


def _behind(text: str, start: int, at: int, new: str, style: _Style) -> str:
    """``new`` as it follows the comments in ``text[start:at]``: never on the line of one that runs to the line's end."""
    if "//" in _LINE_END.split(text[start:at])[-1] and not _LINE_END.match(new):
        return (style.line or "\n") + new
    return new


def _end_of_comments(text: str, start: int, stop: int) -> int:
    """Where the last comment of ``text[start:stop]`` ends; ``start`` where there is none."""
    stripped = text[start:stop].rstrip(" \t\r\n")
    return start + len(stripped)


def _fill(text: str, box: JsonNode, name: str, value: Any, style: _Style) -> str:
    """``text`` with the first element or member in ``box``."""
    inside = text[box.start + 1 : box.end - 1]
    outer = _after_line_end(text[: box.start] + "x") if _LINE_END.search(text[: box.start]) else ""
    line = style.line
    if not line:
        new = name + _rendered(value, style, "", inline=True)
        if inside.strip():
            return _splice(text, (box.end - 1, box.end - 1, ("\n" if "//" in inside else "") + new + " "))
        return _splice(text, (box.start + 1, box.end - 1, new))
    indent = outer + style.unit
    new = line + indent + name + _rendered(value, style, indent, inline=False)
    at = _end_of_comments(text, box.start + 1, box.end - 1)
    return _splice(text, (at, box.end - 1, new + line + outer))


def _object_of(text: str, source: str, *, comments: bool) -> tuple[str, JsonNode]:
    """``text`` with at least ``{}`` in it, and that object."""
    node = read(text, source, comments=comments)
    if node is None:
        mark = BOM if text.startswith(BOM) else ""
        rest = text[len(mark) :]
        text = f"{mark}{rest}\n{{}}" if rest.strip() else f"{mark}{{}}{rest or chr(10)}"
        node = read(text, source, comments=comments)
    assert node is not None
    if not isinstance(node.value, dict):
        raise InputError(source, "expected a JSON object")
    return text, node


def with_element(text: str, path: KeyPath, value: Any, source: str = "settings", *, comments: bool = False) -> str:
    """``text`` with ``value`` as the last element of the list at ``path``; what is missing on the way is made.

    :raises InputError: not JSON, or something else than objects and a list is at ``path``.
    """
    text, node = _object_of(text, source, comments=comments)
    style = _style(text, node)
    for depth, name in enumerate(path):
        below = node.member(name)
        if below is None:
            built: Any = [value]
            for missing in reversed(path[depth + 1 :]):
                built = {missing: built}
            return _add(text, node, name, built, style)
        last = depth == len(path) - 1
        if not isinstance(below.value, list if last else dict):
            expected = "a list" if last else "an object"
            raise InputError(source, f"expected {expected}", field=".".join(path[: depth + 1]))
        node = below
    return _add(text, node, None, value, style)


def _at(node: JsonNode, path: KeyPath) -> JsonNode | None:
    found: JsonNode | None = node
    for name in path:
        found = found.member(name) if found is not None and isinstance(found.value, dict) else None
    return found


def _behind_comma(box: JsonNode, index: int) -> int:
    """Where the text between the item at ``index`` and what comes before it starts."""
    return box.commas[index - 1] + 1 if index else box.start + 1


def _drop(text: str, box: JsonNode, index: int) -> str:
    """``text`` without the element or member at ``index`` of ``box``, and without the comma that it needed."""
    _, begin, node = box.items[index]
    floor = _behind_comma(box, index)
    start = floor + len(text[floor:begin].rstrip(" \t\r\n"))
    if len(box.items) == 1:
        end = box.commas[0] + 1 if box.commas else node.end
        text = _splice(text, (start, end, ""))
        inside = box.end - 1 - (end - start)
        blank = not text[box.start + 1 : inside].strip()
        return _splice(text, (box.start + 1, inside, "")) if blank else text
    if index == len(box.items) - 1:
        if index < len(box.commas):  # the comma that trails now is the one before
            return _splice(text, (start, node.end, ""), (box.commas[index], box.commas[index] + 1, ""))
        return _splice(text, (box.commas[index - 1], box.commas[index - 1] + 1, ""), (start, node.end, ""))
    comma, follows = box.commas[index], box.items[index + 1][1]
    if index == 0 and not text[comma + 1 : follows].strip():
        return _splice(text, (begin, node.end, ""), (comma, follows, ""))
    return _splice(text, (start, node.end, ""), (comma, comma + 1, ""))


def without(
    text: str,
    path: KeyPath,
    is_ours: Callable[[Any], bool],
    source: str = "settings",
    *,
    comments: bool = False,
    keep: Collection[KeyPath] = (),
) -> str:
    """``text`` without the elements of the list at ``path`` that ``is_ours`` picks.

    A list or object that this leaves empty goes too, outwards, unless it is named in ``keep``; the outermost object stays.

    :raises InputError: not JSON.
    """
    while True:
        root = read(text, source, comments=comments)
        box = root and _at(root, path)
        if not root or not box or not isinstance(box.value, list):
            return text
        picked = [index for index, (_, _, node) in enumerate(box.items) if is_ours(node.value)]
        if not picked:
            return text
        text = _drop(text, box, picked[-1])
        if len(box.items) == 1:
            return _without_empty(text, path, source, comments, keep)


def _without_empty(text: str, path: KeyPath, source: str, comments: bool, keep: Collection[KeyPath]) -> str:
    """``text`` without the container at ``path``, which has become empty, and what that leaves empty around it."""
    while path and path not in keep:
        root = read(text, source, comments=comments)
        assert root is not None
        around, box = _at(root, path[:-1]), _at(root, path)
        if around is None or box is None or text[box.start + 1 : box.end - 1].strip():
            return text  # a comment of the person's lives in it
        text = _drop(text, around, max(index for index, (name, _, _) in enumerate(around.items) if name == path[-1]))
        if len(around.items) > 1:
            return text
        path = path[:-1]
    return text
