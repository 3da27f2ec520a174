"""The items of a Markdown file that a rule could stand in: list items, sentences, lines with a mark of their own. Pure.

Read as CommonMark says (markdown-it-py), with what rules files do beside it: tags on lines of their own that are no HTML,
emoji as bullets, a rule per line without any bullet, text over a ``---`` that makes it a heading. Nothing is left out in
silence: what is code, a table, HTML or a heading comes out as such, with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

WRAPPED_CHARS = 60
"""design: a line shorter than this was not wrapped at the margin, so that the next one begins something new."""
PARAGRAPH_CHARS = 4096
"""guard: of a longer paragraph no links and emphasis are read, for which brackets that never close cost their square."""
NESTING = 40
"""guard: containers inside each other that are followed."""

_TAG_LINE = re.compile(r"[ \t]{0,12}(?:</?(?P<name>[A-Za-z][\w.:-]*)(?:\s[^<>]*)?/?>[ \t]*)+$")
_TAG = re.compile(r"</?(?P<name>[A-Za-z][\w.:-]*)[^<>]*>")
_HTML = frozenset(
    re.findall(
        r"\w+",
        """a abbr address article aside audio b blockquote body br button canvas caption center code col
    colgroup dd del details dialog div dl dt em fieldset figcaption figure footer form frame h1 h2 h3 h4
    h5 h6 head header hr html i iframe img input ins kbd legend li link main mark menu meta nav object
    ol optgroup option p param picture pre q s samp script search section select small source span
    strike strong style sub summary sup svg table tbody td textarea tfoot th thead title tr track u ul
    var video wbr""",
    )
)
_FENCE = re.compile(r"[ \t]*(?:[-*+>]|\d{1,9}[.)])?[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_FRONT = re.compile(r"\A---[ \t]*\n(?:.*?\n)??(?:---|\.\.\.)[ \t]*(?=\n|\Z)", re.S)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜÉÀ¡¿「`\"'(])|(?<=[。！？])\s*")
_ENDED = re.compile(r"[.!?:;。！？：；…]['\")\]」』）]*\Z")
BULLET = re.compile(
    r"(?:[•‣◦▪▫▸►·●○■□◆◇★☆]|[\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff]\ufe0f?|[\U0001f000-\U0001faff]\ufe0f?(?:\u200d[\U0001f000-\U0001faff]\ufe0f?)*)"
    r"(?:\s+|(?=[\w`*\u3040-\u9fff\uac00-\ud7af]))"
)
"""A mark at a line's start that stands for a bullet."""
_TASK = re.compile(r"\[[ xX]\]\s+")
_CODE_SPAN = re.compile(r"`[^`]+`")


def _inline(state: StateCore) -> None:
    """Links, code and emphasis of each paragraph; one that is too long for a rule stays as it is written."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if len(token.content) > PARAGRAPH_CHARS:
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


_reader = MarkdownIt("commonmark").enable("table")
_reader.core.ruler.at("inline", _inline)


class MarkdownItem(NamedTuple):
    """``kind``: item, sentence, or what it is that no rule is read from: code, table, html, heading.

    ``lead``: the list item above that ends with a colon; ``headings``: from the outermost; ``code``: the spans of it.
    """

    kind: str
    text: str
    line: int
    headings: tuple[str, ...] = ()
    lead: str = ""
    code: tuple[str, ...] = ()


def items(text: str) -> Iterator[MarkdownItem]:
    """Everything in the Markdown ``text``, in order; lines count from 1."""
    tokens = _reader.parse(_prepared(text))
    headings: dict[int, str] = {}
    leads: list[str] = []
    is_first = False
    place = 0
    while place < len(tokens):
        token = tokens[place]
        above = tuple(headings[level] for level in sorted(headings))
        line = (token.map or [0])[0] + 1
        if token.type == "heading_open":
            level = int(token.tag[1])
            title, before = _heading(token, tokens[place + 1])
            yield from _paragraph(before, line, above, "")
            headings = {key: value for key, value in headings.items() if key < level} | {level: title}
            yield MarkdownItem("heading", title, (token.map or [0, 1])[1], above)
            place += 2
        elif token.type == "list_item_open" and len(leads) < NESTING:
            leads.append("")
            is_first = True
        elif token.type == "list_item_close" and leads:
            leads.pop()
        elif token.type == "table_open":
            end = next(n for n in range(place, len(tokens)) if tokens[n].type == "table_close")
            yield from _table(tokens[place:end], above)
            place = end
        elif token.type in ("fence", "code_block"):
            yield MarkdownItem("code", token.content, line, above)
        elif token.type == "html_block":
            yield MarkdownItem("html", _TAG.sub(" ", token.content).strip(), line, above)
        elif token.type == "inline":
            lead = next((one for one in reversed(leads[:-1]) if one), "")
            lines = _lines(token.children or [])
            if leads and is_first:
                is_first = False
                found, leads[-1] = _item(lines, line, above, lead)
                yield from found
            else:
                yield from _paragraph(lines, line, above, leads[-1] if leads else "")
        place += 1


def _prepared(text: str) -> str:
    """``text`` without front matter, and with lines of tags that are no HTML made blank, outside of code."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _FRONT.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines, fence = [], ""
    for line in text.split("\n"):
        kept = line
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark and "`" not in mark["info"]:
            fence = mark["mark"]
        elif _TAG_LINE.match(line) and not any(tag["name"].lower() in _HTML for tag in _TAG.finditer(line)):
            kept = ""
        lines.append(kept)
    return "\n".join(lines)


def _heading(token: Token, inline: Token) -> tuple[str, list[str]]:
    """(title, lines that stood over it). Under a line of = or - only the last line is the title."""
    lines = _lines(inline.children or [])
    if token.markup in ("=", "-") and len(lines) > 1:
        return lines[-1], lines[:-1]
    return " ".join(lines), []


def _table(tokens: Sequence[Token], above: tuple[str, ...]) -> Iterator[MarkdownItem]:
    cells: list[str] = []
    line = 0
    for token in tokens:
        if token.type == "tr_open":
            cells, line = [], (token.map or [line])[0] + 1
        elif token.type == "inline":
            cells.append(" ".join(_lines(token.children or [])))
        elif token.type == "tr_close" and any(cells):
            yield MarkdownItem("table", ": ".join(cell for cell in cells if cell), line, above)


def _lines(children: Sequence[Token]) -> list[str]:
    """The visible text of an inline token, a line each; code spans keep their backticks and all that is in them."""
    text = ""
    for child in children:
        if child.type == "code_inline":
            text += f"`{child.content}`"
        elif child.type in ("text", "text_special"):
            text += child.content
        elif child.type in ("softbreak", "hardbreak") or (
            child.type == "html_inline" and child.content.lower().startswith("<br")
        ):
            text += "\n"
        elif child.type == "image" and not text.strip():
            text += child.content
    return [line.strip() for line in text.split("\n") if line.strip()]


def _item(lines: list[str], line: int, above: tuple[str, ...], lead: str) -> tuple[list[MarkdownItem], str]:
    """(the items of a list item's first paragraph; what it leads where it ends with a colon)."""
    found: list[MarkdownItem] = []
    parts = _parts(lines, only_bullets=True)
    for offset, part in parts:
        text = _TASK.sub("", part)
        if not text.endswith((":", "：")) or len(parts) > 1:
            found.append(MarkdownItem("item", text, line + offset, above, lead, _spans(text)))
    return found, parts[-1][1] if parts and parts[-1][1].endswith((":", "：")) else ""


def _paragraph(lines: list[str], line: int, above: tuple[str, ...], lead: str) -> Iterator[MarkdownItem]:
    """The sentences of a paragraph; a line with a bullet of its own is an item."""
    for offset, part in _parts(lines):
        if part.startswith("|") and part.endswith("|") and len(part) > 1:
            yield MarkdownItem(
                "table", ": ".join(cell.strip() for cell in part.split("|") if cell.strip()), line + offset, above
            )
            continue
        if BULLET.match(part):
            yield MarkdownItem("item", part, line + offset, above, lead, _spans(part))
            continue
        for sentence in _sentences(part):
            yield MarkdownItem("sentence", sentence, line + offset, above, lead, _spans(sentence))


def _parts(lines: list[str], *, only_bullets: bool = False) -> list[tuple[int, str]]:
    """(offset in lines, text) of what belongs together: wrapped lines joined, lines of their own apart.

    :param only_bullets: a line is its own by a bullet alone, as in a list item.
    """
    parts: list[tuple[int, str]] = []
    for offset, text in enumerate(lines):
        before = lines[offset - 1] if offset else ""
        own = not offset or BULLET.match(text)
        if (
            own
            or (not only_bullets and _ENDED.search(before))
            or (not only_bullets and (len(before) < WRAPPED_CHARS and not text[:1].islower()))
        ):
            parts.append((offset, text))
        else:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]} {text}")
    return parts


def _sentences(text: str) -> list[str]:
    """``text`` cut where a sentence ends, never inside a code span."""
    spans = [match.span() for match in _CODE_SPAN.finditer(text)]
    found, start = [], 0
    for match in _SENTENCE.finditer(text):
        if not any(low < match.start() < high for low, high in spans):
            found.append(text[start : match.start()].strip())
            start = match.end()
    return [sentence for sentence in (*found, text[start:].strip()) if sentence]


def _spans(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(span.strip("`") for span in _CODE_SPAN.findall(text)))
