"""What all sections of the page are put together from: numbers, tables, keys of colours, dates. Escapes text."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from borgd.replay.page.plots import clean


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")


def share(value: float | None) -> str:
    """A percentage for a table."""
    return "–" if value is None else f"{value * 100:.1f} %".replace("-", "−")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, *, folded: bool = True) -> str:
    """A table whose cells are already escaped; folded away unless it is the main thing."""
    top = "".join(f'<th scope="col">{clean(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    inner = f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    return f"<details><summary>{clean(caption)}</summary>{inner}</details>" if folded else inner


def section(title: str, body: str, lead: str = "") -> str:
    """One section of the page."""
    said = f'<p class="lead">{lead}</p>' if lead else ""
    return f"<section><h2>{clean(title)}</h2>{said}{body}</section>"


def key(*entries: tuple[str, str]) -> str:
    """What the colours of a plot mean."""
    items = "".join(f'<li><span class="swatch {kind}"></span>{clean(name)}</li>' for kind, name in entries)
    return f'<ul class="key">{items}</ul>'


def day_of(text: str) -> float:
    """Days since 1970 of a date as YYYY-MM-DD."""
    return float(datetime.date.fromisoformat(text).toordinal() - datetime.date(1970, 1, 1).toordinal())


def date(value: float) -> str:
    """A day since 1970, short."""
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=round(value))).strftime("%d %b")
