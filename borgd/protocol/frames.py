"""The frames on the socket: a header line, a body; a status line, out and err. Knows nothing of what travels.

request = header LF body             header = ``borg/1 hook <agent> <event> [word.value …]`` or ``borg/1 call <method>``
reply   = ``borg/1 <status> <length of out> <length of err>`` LF out err
"""

from __future__ import annotations

from typing import NamedTuple

from borgd.errors import ProtocolError

VERSION = 1
MAX_HEADER = 512
"""guard: bytes before the first LF."""
MAX_REQUEST = 1 << 20
"""guard: bytes of a whole request."""

MAX_WORD = 64
"""guard: characters of an agent's, an event's or a method's name."""
_AS_LETTERS = {ord(mark): "a" for mark in "._-"}


class Header(NamedTuple):
    """``kind`` is ``hook`` (words: agent, event, what the client says of the agent's host) or ``call`` (words: method)."""

    kind: str
    words: tuple[str, ...]


class ReplyFrame(NamedTuple):
    """One reply: the exit code for the caller, its standard output and standard error."""

    status: int = 0
    out: bytes = b""
    err: bytes = b""


def is_word(text: str) -> bool:
    """Whether ``text`` can be a word of a header: ASCII letters and digits, after the first also dot, dash, underscore."""
    return text.isascii() and text[:1].isalnum() and len(text) <= MAX_WORD and text.translate(_AS_LETTERS).isalnum()


def parse_header(line: bytes) -> Header:
    """The header in ``line`` (without LF).

    :raises ProtocolError: not a header of ours, or of a version we do not speak.
    """
    try:
        words = line.decode("ascii").rstrip("\r").split(" ")
    except UnicodeDecodeError:
        raise ProtocolError("the request does not start with a borg/1 header line") from None
    if words[0] != f"borg/{VERSION}":
        if words[0].startswith("borg/"):
            raise ProtocolError(
                f"this daemon speaks borg/{VERSION}, the client {words[0]}; restart the daemon (borg stop, borg start)"
            )
        raise ProtocolError("the request does not start with a borg/1 header line")
    kind, rest = (words[1] if len(words) > 1 else ""), tuple(words[2:])
    needed = {"hook": 2, "call": 1}.get(kind, 0)
    few = not needed or len(rest) < needed or (kind == "call" and len(rest) > needed)
    if few or not all(is_word(word) for word in rest[:needed]):
        raise ProtocolError("a header is 'borg/1 hook <agent> <event>' or 'borg/1 call <method>'")
    return Header(kind, (*rest[:needed], *(word for word in rest[needed:] if is_word(word))))


def request(kind: str, *words: str) -> bytes:
    """The header line, LF included."""
    return f"borg/{VERSION} {kind} {' '.join(words)}\n".encode("ascii")


def pack(answer: ReplyFrame) -> bytes:
    """``answer`` as bytes on the wire."""
    return b"borg/%d %d %d %d\n%s%s" % (
        VERSION,
        answer.status,
        len(answer.out),
        len(answer.err),
        answer.out,
        answer.err,
    )


def unpack(data: bytes) -> ReplyFrame:
    """A whole reply back into its parts.

    :raises ProtocolError: cut short, too long, or not a reply.
    """
    line, separator, rest = data.partition(b"\n")
    words = line.split(b" ")
    if not separator or len(words) != 4 or words[0] != b"borg/%d" % VERSION:
        raise ProtocolError("the daemon's reply is not a borg/1 reply")
    try:
        status, out, err = (int(word) for word in words[1:])
    except ValueError:
        raise ProtocolError("the daemon's reply has a damaged status line") from None
    if out < 0 or err < 0 or len(rest) != out + err:
        raise ProtocolError("the daemon's reply was cut short")
    return ReplyFrame(status, rest[:out], rest[out:])
