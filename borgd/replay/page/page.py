"""One self-contained page: no script, no network, light and dark, phone and desk. Sections are made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from borgd.replay.asks import AskDay
from borgd.replay.findings import ReplayResult
from borgd.replay.outcomes import Timeline
from borgd.replay.page import evidence_sections, sections
from borgd.replay.page.plots import clean
from borgd.replay.page.style import STYLE


def page(
    found: ReplayResult,
    *,
    title: str,
    period: str,
    timeline: Timeline | None = None,
    names: dict[int, str] | None = None,
    ask_days: Sequence[AskDay] = (),
    ceiling: int = 0,
    hooks: Sequence[tuple[str, float, float, float]] = (),
    since_ms: int = 0,
    questions: Mapping[str, str] | None = None,
) -> str:
    """The whole page.

    :param period: what it covers, in words.
    :param timeline: beliefs over time; ``names`` maps its lessons to ids.
    :param since_ms: where the period begins.
    :param questions: lesson -> its question.
    :param hooks: (hook, p50, p95, p99) in milliseconds, from a running daemon.
    """
    parts = [
        f"<header><h1>{clean(title)}</h1><p>{clean(period, 160)}</p></header>",
        evidence_sections.conclusion(found.headline),
        evidence_sections.costly(found.headline, questions or {}),
        evidence_sections.cards(found, period),
        evidence_sections.headline(found, questions or {}),
        sections.coverage(found.coverage, evidence_sections.covered(found.headline, since_ms)),
        sections.candidates(found),
        sections.beliefs(timeline, names or {}, since_ms, questions or {}) if timeline is not None else "",
        sections.asks(ask_days, ceiling),
        sections.calibration(found),
        sections.latency(found, hooks),
    ]
    parts.append(
        f"<footer><p>Intervals: {100 * (1 - found.alpha):g} %, {clean(found.interval, 120)}. "
        "Made on this machine from its own journals; nothing left it.</p></footer>"
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{clean(title)}</title><link rel="icon" href="data:,"><style>{STYLE}</style>'
    )
    body = "\n".join(part for part in parts if part)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>{body}</main></body></html>\n'
