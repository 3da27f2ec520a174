"""The end of the first JSON container is found exactly, however the bytes are cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import ProtocolError
from borgd.server.json_scan import BOM, ContainerScanner
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
