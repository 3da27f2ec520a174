"""S-expressions of a policy file, with positions: text in, one tree a top-level form out.

Promises to end on any bytes within the bounds below, with trees or with a PolicyError that names line and column.
Knows nothing of what the words mean. Must not recurse: the depth of the input is the writer's choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category

from borgd.errors import LimitError

MAX_POLICY_BYTES = 16_384
"""guard: a policy of five rules with its comments takes two thousand."""

MAX_DEPTH = 64
"""guard: nested parentheses; five rules nest eight deep. Keeps every walk over a tree far from the stack's end."""

MAX_NODES = 512
"""guard: words and lists of the whole file; five rules take sixty."""

MAX_TEXT_CHARS = 200
"""guard: a reason is one sentence, shown to the agent and kept in the trail."""

_TOKEN = re.compile(
    r"(?:[ \t\r\n]++|;[^\n]*+)*+"
    r'(?:(?P<open>\()|(?P<close>\))|"(?P<text>(?:[^"\\\n]|\\.)*+)"|(?P<word>[^\s()";]++)|(?P<end>\Z))'
)
_BLANK = re.compile(r"(?:[ \t\r\n]++|;[^\n]*+)*+")
_ESCAPE = re.compile(r"\\(.)")


class PolicyError(LimitError):
    """A policy file, or the facts given to it, cannot be used; ``problem`` is the sentence without the position.

    :param line: 1-based; 0 where the position is the whole file.
    :param column: 1-based, in characters; 0 where the position is the whole file.
    """

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {problem}" if line else problem)
        self.problem = problem
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class SyntaxWord:
    """A bare word: an operator, a number, a variable."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A quoted text, its escapes resolved."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Form:
    """A parenthesised list."""

    items: tuple[Tree, ...]
    at: int


Tree = SyntaxWord | StringLiteral | Form


@dataclass(frozen=True, slots=True)
class SourceText:
    """The file's text, to turn offsets into positions."""

    text: str

    def error(self, problem: str, at: int) -> PolicyError:
        """The error for ``problem`` at offset ``at``."""
        before = self.text[:at]
        return PolicyError(problem, before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)


def decode(data: bytes) -> SourceText:
    """The text in ``data``.

    :raises PolicyError: too long, or not UTF-8.
    """
    if len(data) > MAX_POLICY_BYTES:
        raise PolicyError(f"the file has {len(data)} bytes; at most {MAX_POLICY_BYTES} are read")
    try:
        return SourceText(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PolicyError("expected UTF-8 text", line, error.start - data.rfind(b"\n", 0, error.start)) from None


def parse(source: SourceText) -> list[Tree]:
    """The top-level trees of ``source``, in order.

    :raises PolicyError: unbalanced, too deep, too many words, or a character that has no place in a policy.
    """
    done: list[Tree] = []
    open_forms: list[tuple[int, list[Tree]]] = []
    at, nodes, text = 0, 0, source.text
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            blank = _BLANK.match(text, at)
            at = blank.end() if blank else at
            raise source.error("a text that does not end on its line" if text[at] == '"' else "an unexpected character", at)
        kind = match.lastgroup or ""
        here = match.start(kind) - (kind == "text")
        at = match.end()
        if kind == "close":
            if not open_forms:
                raise source.error("a closing parenthesis without an opening one", here)
            opened, items = open_forms.pop()
            (open_forms[-1][1] if open_forms else done).append(Form(tuple(items), opened))
            continue
        if kind == "end":
            break
        nodes += 1
        if nodes > MAX_NODES:
            raise source.error(f"more than {MAX_NODES} words and lists", here)
        if kind == "open":
            open_forms.append((here, []))
            if len(open_forms) > MAX_DEPTH:
                raise source.error(f"nested deeper than {MAX_DEPTH}", here)
            continue
        into = open_forms[-1][1] if open_forms else done
        into.append(
            SyntaxWord(match[kind], here) if kind == "word" else StringLiteral(_unescape(match[kind], source, here), here)
        )
    if open_forms:
        raise source.error("this parenthesis is never closed", open_forms[-1][0])
    return done


def _unescape(raw: str, source: SourceText, at: int) -> str:
    bad = next((escape for escape in _ESCAPE.findall(raw) if escape not in '"\\'), None)
    if bad is not None:
        raise source.error(f'only \\" and \\\\ can be escaped in a text, not \\{bad}', at)
    text = _ESCAPE.sub(r"\1", raw)
    if len(text) > MAX_TEXT_CHARS:
        raise source.error(f"a text of {len(text)} characters; at most {MAX_TEXT_CHARS}", at)
    if not text.isprintable() and any(category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for character in text):
        raise source.error("a control or invisible character in a text", at)
    return text
