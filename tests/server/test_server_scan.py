"""The end of the first JSON container is found exactly, however the bytes are cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import ProtocolError
from borgd.server.json_scan import BOM, CUT, ESCAPE_BYTES, ContainerScanner
from borgd.server.request import RequestReader

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(['"', "\\", '\\"', "{", "}", "[", "]", "\\\\"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
containers = st.lists(values) | st.dictionaries(st.text(), values)


def feed(data: bytes, cuts: list[int]) -> tuple[int | None, int]:
    """(the end that was found, how many bytes had come by then)."""
    scanner, buffer = ContainerScanner(), bytearray()
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        buffer += data[begin:end]
        found = scanner.end(buffer)
        if found is not None:
            return found, len(buffer)
    return None, len(buffer)


@given(
    containers,
    st.booleans(),
    st.sampled_from([b"", BOM]),
    st.sampled_from([b"", b" \r\n\t"]),
    st.binary(max_size=9),
    st.data(),
)
def test_the_end_is_found_with_the_byte_that_completes_the_value(
    value: object, ascii_only: bool, bom: bytes, blank: bytes, rest: bytes, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    whole = bom + blank + text + rest
    expected = len(bom) + len(blank) + len(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    assert feed(whole, cuts)[0] == expected
    assert feed(whole, list(range(len(whole)))) == (expected, expected)
    assert feed(whole[: expected - 1], []) == (None, expected - 1)


@given(st.binary(max_size=64), st.data())
def test_any_bytes_give_the_same_end_in_one_piece_and_in_many(junk: bytes, data: st.DataObject) -> None:
    junk = data.draw(st.sampled_from([b"", b"{", b"[", b'{"'])) + junk
    assert feed(junk, [])[0] == feed(junk, list(range(len(junk))))[0]


@given(
    st.sampled_from(
        [b"borg/1 hook a b\n", b"borg/1 call x\n", b"borg/1 call x\r\n", b"borg/2 call x\n", b"\n", b"x" * 520, b""]
    ),
    st.binary(max_size=40) | containers.map(lambda value: json.dumps(value).encode()),
    st.data(),
)
def test_a_request_is_the_same_however_it_is_cut(header: bytes, body: bytes, data: st.DataObject) -> None:
    whole = header + body

    def read(cuts: list[int]) -> tuple[object, ...]:
        reader = RequestReader()
        try:
            for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
                request = reader.take(whole[begin:end]) if end > begin else None
                if request is not None:
                    return tuple(request)
            return tuple(reader.take(b"") or ())
        except ProtocolError as error:
            return (type(error), str(error))

    expected = read([])
    assert expected
    assert read(list(range(len(whole)))) == expected
    assert read(sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=9)))) == expected


@pytest.mark.parametrize("body", [b"", b" \r\n", BOM, BOM[:2], b"12", b'"text"', b"true", b"}", b"hello {"])
def test_what_is_no_container_has_no_end(body: bytes) -> None:
    assert feed(body, []) == (None, len(body))


@pytest.mark.parametrize("unit", [b"[", b"[]", b'"', b"\\", b'""', b'{"', b'[{"\\"": "]"}, '])
def test_a_megabyte_in_pieces_is_looked_at_once(unit: bytes) -> None:
    """The scanner's own position never goes back, which is what makes it linear."""
    data = b"[" + unit * ((1 << 20) // len(unit))
    scanner, buffer, last = ContainerScanner(), bytearray(), 0
    for begin in range(0, len(data), 1 << 16):
        buffer += data[begin : begin + (1 << 16)]
        assert scanner.end(buffer) is None
        assert scanner._position >= last
        assert len(buffer) - scanner._position <= 1
        last = scanner._position


long_texts = st.lists(st.sampled_from(["x", "é", "𝄞", '"', "\\", "\n", "\\u00e9", "}", "\x7f"]), max_size=150).map("".join)
trees = st.dictionaries(
    st.text(max_size=3), st.recursive(long_texts, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
)


def cut_alike(whole: object, cut: object, keep: int) -> bool:
    """Whether ``cut`` is ``whole`` with the middle taken out of its long strings, and nothing else."""
    if isinstance(whole, str) and isinstance(cut, str):
        head, mark, tail = cut.partition(CUT.decode())
        head = head.rstrip(" [")  # of a mark that was cut itself when more came
        return cut == whole or bool(mark and whole.startswith(head) and whole.endswith(tail) and len(cut) <= 2 * keep + 5)
    if isinstance(whole, list) and isinstance(cut, list):
        return len(whole) == len(cut) and all(cut_alike(a, b, keep) for a, b in zip(whole, cut, strict=True))
    if isinstance(whole, dict) and isinstance(cut, dict):
        return len(whole) == len(cut) and all(
            cut_alike(a, b, keep) for a, b in zip([*whole.values()], [*cut.values()], strict=True)
        )
    return whole == cut


@given(trees, st.booleans(), st.integers(2 * ESCAPE_BYTES, 30), st.integers(1, 99))
def test_long_strings_lose_their_middle_and_nothing_else_changes(
    value: dict[str, object], ascii_only: bool, keep: int, piece: int
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    scanner, buffer, found = ContainerScanner(), bytearray(), None
    for begin in range(0, len(data), piece):
        buffer += data[begin : begin + piece]
        found = scanner.end(buffer)
        if found is None:
            scanner.shorten(buffer, keep)
    assert found is not None
    assert cut_alike(value, json.loads(bytes(buffer[:found]).decode()), keep)


def test_a_hook_with_a_large_answer_of_a_tool_is_taken_and_its_last_fields_too() -> None:
    reader, words = RequestReader(), "line of an output\n" * (5 << 16)
    body = json.dumps({"session_id": "s", "tool_response": {"stdout": words}, "tool_use_id": "last"}).encode()
    request = reader.take(b"borg/1 hook claude-code PostToolUse\n")
    for begin in range(0, len(body), 1 << 16):
        assert request is None
        request = reader.take(body[begin : begin + (1 << 16)])
    assert request is not None
    said = json.loads(request.body)
    assert said["tool_use_id"] == "last"
    assert len(request.body) < 1 << 20
    assert words.startswith(said["tool_response"]["stdout"][:1000])
    assert words.endswith(said["tool_response"]["stdout"][-1000:])
