"""``borg debug bm25 QUERY… [--lessons FILE] [--top N] [--json]``: what plain BM25 makes of a query.

Prints each distinct stem with its idf and how many lessons have it, then the best lessons with what each stem adds. Reads
the machine's lessons, or those of FILE; works without a daemon. Evidence weighs more than this: ``borg recall`` shows it.
"""

from __future__ import annotations

import sys
from itertools import islice

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.debug.recall import read_lessons
from borgd.cli.lesson.lesson_files import load
from borgd.lessons.lesson import Lesson
from borgd.recall.evidence import Index
from borgd.recall.work import stems

SHOWN = 10
"""design: lessons listed."""


class Term(msgspec.Struct, frozen=True):
    """One distinct stem of the query: its idf, and in how many lessons it is."""

    term: str
    idf: float
    lessons: int


class Scored(msgspec.Struct, frozen=True):
    """One lesson's score, and what each stem adds to it, largest first."""

    id: str
    score: float
    terms: dict[str, float]


def explain(lessons: list[Lesson], query: str, top: int) -> tuple[list[Term], list[Scored]]:
    """Terms in the query's order; the ``top`` best lessons, best first."""
    index = Index()
    for lesson in lessons:
        index.add(lesson)
    words = list(dict.fromkeys(stems(query)))
    terms = [Term(word, index.bm25.idf(word), index.bm25.frequency(word)) for word in words]
    best = islice(index.bm25.ranked(words), top)
    return terms, [Scored(id, score, index.bm25.explain(words, id)) for id, score in best]


def run(argv: list[str]) -> int:
    """Print the explanation."""
    parser = CommandParser(prog="borg debug bm25", description="Terms, idf and contributions for a query.")
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words, as they are or quoted")
    parser.add_argument("--lessons", metavar="FILE", help="a file of lessons instead of the machine's")
    parser.add_argument("--top", type=int, default=SHOWN, metavar="N", help=f"lessons listed, {SHOWN}")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    if options.lessons:
        lessons, errors = read_lessons(options.lessons)
        for error in errors:
            print(f"borg: {error}", file=sys.stderr)
    else:
        lessons = [lesson for lesson in load() if not lesson.retired]
    terms, scored = explain(lessons, " ".join(options.query), max(0, options.top))
    if options.json:
        document = {"lessons": len(lessons), "terms": terms, "scores": scored}
        print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
        return 0
    if not lessons:
        print("No lessons yet: borg lesson add --question … --consequence … writes one.")
        return 0
    print(f"{'term':<20} {'idf':>6}  lessons, of {len(lessons)}")
    for term in terms:
        print(f"{term.term:<20} {term.idf:6.3f}  {term.lessons}")
    if not terms:
        print("(no word of three letters or more)")
    print()
    for at in scored:
        parts = "  ".join(f"{term} {share:.2f}" for term, share in at.terms.items())
        print(f"{at.id:<12} {at.score:7.3f}  {parts}")
    if not scored:
        print("No lesson has any of these words.")
    return 0
