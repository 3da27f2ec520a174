"""``borg debug loop [--cases C] [--talk T]… [--cross-fit] [--write-weights FILE] [--json]``: are corrections heard?

Plays labelled episodes and messages against the detector of corrections, without a daemon and without keeping anything.
What the shipped weights were made from is in-sample; ``--cross-fit`` prints what holds for authors that they have not seen.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from borgd.cli.arguments import CommandParser
from borgd.cli.debug.loop_cross_fit import cross_fit_figures, cross_fit_lines
from borgd.cli.debug.loop_later import LoopCase, later, later_lines
from borgd.errors import InputError, UsageError
from borgd.files import replace_file
from borgd.lessons.corrections import training
from borgd.lessons.corrections.detect import own_words
from borgd.lessons.corrections.linear import Band
from borgd.lessons.corrections.training import Message
from borgd.lessons.corrections.verdict import Situation, deeds_text, judge

CHANGED = deeds_text(["main"], [])
"""What stands for the change that came before a message of the talk."""

T = TypeVar("T")
Bands = Mapping[str, Sequence[Band]]


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a session in a labelled set; see the set's own description."""

    e: str
    text: str = ""
    path: str = ""
    new: str = ""
    command: str = ""
    midturn: bool = False


class _Course(msgspec.Struct, frozen=True, kw_only=True):
    events: list[Happening]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A session in which a person corrects the agent."""

    id: str
    kind: str
    episode: _Course
    lang: str = "en"


def read_cases(name: str, kind: type[T]) -> list[T]:
    """The cases of a file of JSON Lines, as ``kind``.

    :raises InputError: it cannot be read, or a line is not a case.
    """
    found = []
    for number, line in enumerate(read(name).splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=kind))
            except msgspec.DecodeError as error:
                raise InputError(name, f"expected a case: {error}", line=number) from None
    return found


def read(name: str) -> bytes:
    """A file's bytes.

    :raises InputError: it cannot be read.
    """
    try:
        return Path(name).read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from None


def band_of(case: Case) -> Band:
    """What is made of the words in which the person of ``case`` corrects the agent."""
    events = case.episode.events
    refused = next((number for number, event in enumerate(events) if event.e == "reject"), None)
    if refused is not None:
        return Band.SURE if own_words(events[refused].text) else Band.NONE
    at = max(number for number, event in enumerate(events) if event.e == "prompt")
    interrupting = events[at].midturn
    openings = [number for number, event in enumerate(events[:at]) if event.e == "prompt" and not event.midturn]
    turn = events[openings[-1] if openings else 0 : at]
    said = next((event.text for event in reversed(turn) if event.e in ("say", "stop")), "")
    changed = [event for event in turn if event.e in ("edit", "write")]
    deeds = deeds_text(
        [event.path for event in changed],
        [line for event in changed for line in (event.new or event.text).split("\n") if line.strip()],
    )
    calls = "; ".join(event.command or event.path for event in turn if event.e in ("bash", "read"))
    before = said or deeds or (calls if interrupting else "")
    about = "\n".join(part for event in turn for part in (event.text, event.path, event.new) if part)
    situation = Situation(said=before, deeds=deeds, about=about, interrupting=interrupting)
    return judge(events[at].text, situation).band


def shares(bands: Bands, *wanted: Band) -> dict[str, float]:
    """The share of each group, and of all, that is in one of the ``wanted`` bands."""
    everything = [band for group in bands.values() for band in group]
    named = {**({"all": everything} if everything else {}), **bands}
    return {name: round(sum(band in wanted for band in group) / len(group), 3) for name, group in named.items()}


def grouped(pairs: Iterable[tuple[str, Band]]) -> dict[str, list[Band]]:
    """Bands by group."""
    groups: dict[str, list[Band]] = defaultdict(list)
    for name, band in pairs:
        groups[name].append(band)
    return dict(sorted(groups.items()))


def figures(cases: Sequence[Case], messages: Sequence[Message]) -> dict[str, Any]:
    """``heard`` (an episode by itself), ``line`` (that or the line), and both for what is not a correction."""
    played = [(case, band_of(case)) for case in cases]
    judged = [(one, judge(one.said, Situation(said=one.before, deeds=CHANGED)).band) for one in messages]
    found: dict[str, Any] = {}
    if played:
        found |= _heard("", grouped((case.kind, band) for case, band in played))
    for key, by in (("", "kind"), ("_by_language", "lang")):
        right = grouped((getattr(one, by) or "?", band) for one, band in judged if one.correction)
        wrong = grouped((getattr(one, by) or "?", band) for one, band in judged if not one.correction)
        if judged:
            found |= _heard(f"talk{key}_", right)
            found[f"false_episode{key}"] = shares(wrong, Band.SURE)
            found[f"false_line{key}"] = shares(wrong, Band.SURE, Band.DOUBTFUL)
    return found


def _heard(prefix: str, bands: Bands) -> dict[str, Any]:
    return {f"{prefix}heard": shares(bands, Band.SURE), f"{prefix}line": shares(bands, Band.SURE, Band.DOUBTFUL)}


def lines(found: Mapping[str, Any]) -> list[str]:
    """The figures as a person reads them."""
    return [
        f"{name.replace('_', ' '):<28} " + "  ".join(f"{group} {share:.2f}" for group, share in groups.items())
        for name, groups in found.items()
    ]


def run(argv: list[str]) -> int:
    """Print the figures; 0 unless a file cannot be used."""
    parser = CommandParser(prog="borg debug loop", description="Is what a person corrects heard?")
    parser.add_argument("--cases", metavar="FILE", help="labelled sessions, JSON Lines")
    parser.add_argument("--talk", metavar="FILE", action="append", default=[], help="labelled messages; may be repeated")
    parser.add_argument("--cross-fit", action="store_true", help="weights made anew from the other authors of the talk")
    parser.add_argument("--write-weights", metavar="FILE", help="make the detector's weights from the talk")
    parser.add_argument("--later", choices=("rich", "minimal"), help="play the cases' later sessions with these lessons")
    parser.add_argument("--file", action="store_true", help="with --later: the lessons are filed through their episodes")
    parser.add_argument("--curve", action="store_true", help="with --later: prevented repeats over what they cost")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    if not arguments.cases and not arguments.talk:
        raise UsageError("--cases or --talk: expected a labelled set")
    sets = {name: training.read_messages(read(name), name) for name in arguments.talk}
    messages = [message for found in sets.values() for message in found]
    if arguments.write_weights:
        return _write(messages, Path(arguments.write_weights))
    found = figures(read_cases(arguments.cases, Case) if arguments.cases else [], messages)
    after = _later(arguments) if arguments.later else {}
    fitted = cross_fit_figures(sets) if arguments.cross_fit and messages else {}
    if arguments.json:
        sys.stdout.write(
            msgspec.json.encode(
                found | ({"later": after} if after else {}) | ({"cross_fit": fitted} if fitted else {})
            ).decode()
            + "\n"
        )
        return 0
    print("With the shipped weights; what they were made from is in-sample.")
    print("\n".join(lines(found)))
    print("\n".join(cross_fit_lines(fitted)))
    print("\n".join(later_lines(after)))
    return 0


def _later(arguments: argparse.Namespace) -> dict[str, Any]:
    if not arguments.cases:
        raise UsageError("--later needs --cases: expected labelled sessions with their later ones")
    cases = read_cases(arguments.cases, LoopCase)
    return later(cases, arguments.later, filed=arguments.file, curve=arguments.curve, cross_fit=arguments.cross_fit)


def _write(messages: Sequence[Message], path: Path) -> int:
    from io import BytesIO

    model = training.train(messages)
    buffer = BytesIO()
    np.savez_compressed(buffer, **training.saved(model))  # type: ignore[arg-type]  # numpy types ** as its flag
    replace_file(path, buffer.getvalue())
    print(f"{path}: from {len(messages)} messages; thresholds {', '.join(f'{one:.2f}' for one in model.thresholds)}")
    return 0
