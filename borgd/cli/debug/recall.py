"""``borg debug recall --lessons L.jsonl --contexts C.jsonl [--curve] [--prior set|shipped] [--json]``: score a labelled set.

Prints how well recall does on contexts whose lessons are known, beside plain rank-bm25. With ``--prior shipped`` (the
default: what a fresh machine has) nothing of the set is used but the context itself; with ``set`` the set's other contexts
stand for the machine's past work, each context left out of its own judgement. ``--rule budget`` judges by
the older evidence. Both were tuned on labelled sets: on those, the figures are in-sample. A line that cannot be read is
reported and left out.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from rank_bm25 import BM25Okapi

from borgd.cli.arguments import CommandParser
from borgd.errors import InputError
from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import NONE_MATCHED, PatternHits
from borgd.lessons.store import parse
from borgd.recall.context import Context
from borgd.recall.evidence import MATCH_FLOOR, Index
from borgd.recall.policy import PROMPT_COST
from borgd.recall.quality import TOP, LabelledCase, QualityFigures, Ranking, curve, figures, silencing_floor
from borgd.recall.text.document_frequencies import ContextPrior, stems_of
from borgd.recall.text.words import tokens

CURVE_STEPS = 20
"""method: floors of the printed curve, equally far apart between 0 and 1."""

T = TypeVar("T")


def read_lines(name: str, convert: Callable[[dict[str, Any], int], T]) -> tuple[list[T], list[InputError]]:
    """Each line of a file of JSON Lines through ``convert``, and what was wrong with the others.

    :raises InputError: the file cannot be read.
    """
    try:
        lines = Path(name).read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from None
    found: list[T] = []
    errors: list[InputError] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(convert(msgspec.json.decode(line, type=dict[str, Any]), number))
        except InputError as error:
            errors.append(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            errors.append(InputError(name, f"expected one JSON object, got something else: {error}", line=number))
    return found, errors


def read_lessons(name: str) -> tuple[list[Lesson], list[InputError]]:
    """The lessons of a file; of one id the newest version."""
    found, errors = read_lines(name, lambda record, line: parse(record, name, line))
    newest: dict[str, Lesson] = {}
    for lesson in found:
        if lesson.id not in newest or newest[lesson.id].version <= lesson.version:
            newest[lesson.id] = lesson
    return [lesson for lesson in newest.values() if not lesson.retired], errors


def read_cases(name: str) -> tuple[list[LabelledCase], list[InputError]]:
    """The labelled contexts of a file."""

    def convert(record: dict[str, Any], line: int) -> LabelledCase:
        try:
            return msgspec.convert(record, LabelledCase)
        except msgspec.ValidationError as error:
            expected, _, place = str(error).partition(" - at `$.")
            raise InputError(name, expected, line=line, field=place.rstrip("`") or None) from None

    return read_lines(name, convert)


def live(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Those that no other lesson of the list supersedes."""
    hidden = {id for lesson in lessons for id in lesson.supersedes}
    return [lesson for lesson in lessons if lesson.id not in hidden]


def recall_rankings(
    lessons: Iterable[Lesson], cases: Sequence[LabelledCase], *, own: bool, rule: str = "budget"
) -> list[Ranking]:
    """What recall finds in each case.

    :param own: count the set's other contexts as the machine's past ones.
    :param rule: ``cost``: by the probability that a lesson applies; ``budget``: by the older evidence.
    """
    index = Index()
    for lesson in lessons:
        index.add(lesson)
    prior = ContextPrior.shipped()
    stems = [stems_of(case.work) for case in cases]
    for each in stems if own else ():
        prior.add_stems(each)
    rankings: list[Ranking] = []
    for case, each in zip(cases, stems, strict=True):
        if own:
            prior.remove_stems(each)
        context = Context(text=case.work, cwd=case.cwd, remote=case.remote, moment=case.moment)
        if rule == "cost":
            context = msgspec.structs.replace(context, hits=hits_in(case, index), said=asked_in(case, index))
        found = index.judge(context, prior) if rule == "cost" else index.match(context, prior)
        rankings.append([(match.id, match.evidence) for match in found])
        if own:
            prior.add_stems(each)
    return rankings


def hits_in(case: LabelledCase, index: Index) -> dict[str, PatternHits]:
    """Which lessons' patterns match what a case shows of code: its paths, plan and closing words."""
    found: dict[str, PatternHits] = {}
    for text in ("\n".join(case.touches), case.plan, case.last_message):
        for name, hits in index.patterns.match(text).items():
            found[name] = found.get(name, NONE_MATCHED) | hits
    return found


def asked_in(case: LabelledCase, index: Index) -> Mapping[str, PatternHits]:
    """Which lessons' patterns match what a case's person asked for."""
    return index.patterns.match("\n".join(case.prompts) or case.text)


class _Okapi(BM25Okapi):  # type: ignore[misc]
    def _calc_idf(self, nd: dict[str, int]) -> None:
        for word, count in nd.items():
            self.idf[word] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


def plain_rankings(lessons: Sequence[Lesson], cases: Sequence[LabelledCase]) -> list[Ranking]:
    """What rank-bm25 finds over question and facets, each a document, the best one counting; distinct words."""
    documents = [
        (lesson.id, tokens(part)) for lesson in lessons for part in (lesson.question, *lesson.facets) if tokens(part)
    ]
    if not documents:
        return [[] for _ in cases]
    okapi = _Okapi([words for _, words in documents], k1=1.2, b=0.75)
    rankings: list[Ranking] = []
    for case in cases:
        best: dict[str, float] = {}
        for (id, _), score in zip(documents, okapi.get_scores(sorted(set(tokens(case.work)))).tolist(), strict=True):
            best[id] = max(best.get(id, 0.0), score)
        rankings.append(sorted(((id, score) for id, score in best.items() if score > 0), key=lambda at: (-at[1], at[0])))
    return rankings


def number(value: float | None) -> str:
    """Two decimals, or a dash for nothing."""
    return "   –" if value is None else f"{value:4.2f}"


def row(name: str, seen: QualityFigures) -> str:
    """One line of the table."""
    silent = "  ".join(f"{kind} {number(share)}" for kind, share in seen.silent.items() if kind != "hit")
    return (
        f"{name:<26} {seen.contexts:5d}  {number(seen.ndcg5)}  {number(seen.hit_recall)}  {number(seen.precision)}  "
        f"{number(seen.shown_precision)}  {silent}"
    )


def table(cases: Sequence[LabelledCase], named: Sequence[tuple[str, Sequence[Ranking], float]]) -> list[str]:
    """For all, and for each moment: the figures of each ranking at its floor."""
    lines = [f"{'':<26} {'':5}  nDCG@{TOP} right  prec.  all    silent"]
    for moment in ("", *sorted({case.moment for case in cases})):
        places = [place for place, case in enumerate(cases) if moment in ("", case.moment)]
        for name, rankings, floor in named:
            seen = figures([cases[place] for place in places], [rankings[place] for place in places], floor)
            lines.append(row(f"{moment or 'all'}: {name}", seen))
    return lines


def run(argv: list[str]) -> int:
    """Score a set and print the figures."""
    parser = CommandParser(prog="borg debug recall", description="Score recall on a labelled set.")
    parser.add_argument("--lessons", required=True, metavar="FILE", help="lessons, one JSON object a line")
    parser.add_argument("--contexts", required=True, metavar="FILE", help="labelled contexts, one JSON object a line")
    parser.add_argument("--prior", choices=("set", "shipped"), default="shipped", help="what counts as past contexts")
    parser.add_argument("--rule", choices=("cost", "budget"), default="cost", help="whose evidence is judged (cost)")
    parser.add_argument("--floor", type=float, help="evidence below which nothing is recalled (a line's cost; the floor)")
    parser.add_argument("--curve", action="store_true", help="the figures over the whole range of floors")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    lessons, wrong = read_lessons(options.lessons)
    cases, more = read_cases(options.contexts)
    for error in (*wrong, *more):
        print(f"borg: {error}", file=sys.stderr)
    lessons = live(lessons)
    if options.floor is None:
        options.floor = PROMPT_COST if options.rule == "cost" else MATCH_FLOOR
    rankings = recall_rankings(lessons, cases, own=options.prior == "set", rule=options.rule)
    seen = figures(cases, rankings, options.floor)
    floors = [step / CURVE_STEPS for step in range(CURVE_STEPS)]
    plain = plain_rankings(lessons, cases)
    plain_floor = silencing_floor(cases, plain)
    if options.json:
        document = msgspec.to_builtins(seen) | {
            "lessons": len(lessons),
            "prior": options.prior,
            "left_out": [str(error) for error in (*wrong, *more)],
            "moments": {
                moment: figures(*_only(cases, rankings, moment), options.floor)
                for moment in sorted({case.moment for case in cases})
            },
            "rank_bm25": figures(cases, plain, plain_floor),
        }
        if options.curve:
            document["curve"] = curve(cases, rankings, floors)
        print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
        return 0
    print(f"{len(cases)} contexts, {len(lessons)} lessons that nothing supersedes; past contexts: {options.prior}")
    if not cases:
        print("No context could be read: give --contexts a file with one labelled context a line.")
        return 0
    named = [
        (f"recall at {options.floor:g}", rankings, options.floor),
        (f"rank-bm25 at {plain_floor:.3g}", plain, plain_floor),
    ]
    print("\n".join(table(cases, named)))
    print(
        "\nright: hit contexts with a relevant lesson among the first five. prec.: share of those shown in hit contexts that"
    )
    print("is relevant, averaged over contexts; all: the same over all that is shown. rank-bm25's floor is set on this set.")
    if options.curve:
        print("\nover the floor")
        print("\n".join(row(f"recall at {at.floor:.2f}", at) for at in curve(cases, rankings, floors)))
    return 0


def _only(
    cases: Sequence[LabelledCase], rankings: Sequence[Ranking], moment: str
) -> tuple[list[LabelledCase], list[Ranking]]:
    places = [place for place, case in enumerate(cases) if case.moment == moment]
    return [cases[place] for place in places], [rankings[place] for place in places]
