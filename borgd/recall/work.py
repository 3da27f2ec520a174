"""What a context holds, observed once, and how it looks to one lesson after another.

Promises: every observation is a number that means the same in a store of one lesson and of ten thousand. Must not weigh
the observations against each other (that is ``evidence``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping

from borgd.recall.context import Context
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.recall.text.scope import NameParts, parts_of, places
from borgd.recall.text.spelling import term
from borgd.recall.text.synonyms import synonyms
from borgd.recall.text.words import tokens

SYNONYM = 0.5
"""tuned: tests/perf/bench_recall_quality.py; what a word counts of which only a synonym is in the context."""

NAMED = 0.7
"""design: the place of a lesson whose scope is only spoken of, against 1 where the session works in it."""

VIRTUAL = 100.0
"""design: lessons of a store that is not there, with words as rare as in contexts, so that rarity means something in a
store of one lesson and the same in a store of ten thousand."""

CERTAIN = 1 - 1e-9
"""method: a chance is never taken to be higher, so that a surprise is never 0."""

SELDOM = 1e-9
"""method: a chance is never taken to be lower, so that a surprise is finite however the counts are."""

COUNTED = 16
"""method: contexts that may be counted before a lesson's own weight is worked out anew; it moves by less than 1 in 100."""
COMMON = 0.98
"""method: no stem is taken to be in a larger share of contexts, so that none is worth nothing."""

HEAD_WORDS = 40
"""design: how many words of the work's beginning tell what kind of work it is."""

WORDING = """
    article blog changelog clippy comment comments cosmetic diagram diagrams docs docstring docstrings
    documentation eslint explain formatter glossary godoc grammar handover heading javadoc kdoc lint linter
    markdown mypy onboarding overview paragraph presentation proofread readme rename renaming screenshot
    screenshots sentence slides spelling summarise summarize summary talk tidy translate translation typo typos
    unused warnings wiki wording
"""
"""design: words of work on text about the code, or on its looks."""

_WORDING = frozenset(WORDING.split())
_PATH = re.compile(r"(?:[^\s/]*/)+[^\s/]*[\w\])~]|[\w.-]+\.[A-Za-z]\w{0,7}")
"""A line that is a path: with a slash, or a file's name with a suffix."""
_DOCUMENT = re.compile(r"(?i)\.(?:md|mdx|rst|txt|adoc|svg|png|puml|drawio)\Z|(?:^|/)(?:docs?|readme|changelog)[/.]")


def stems(text: str) -> list[str]:
    """The stems of a text, in order, with repeats."""
    return [term(token) for token in tokens(text)]


def _documents(paths: list[str]) -> float:
    """The share of paths that are of documents and pictures."""
    return sum(_DOCUMENT.search(path) is not None for path in paths) / len(paths) if paths else 0.0


class Work:
    """One context, ready to be observed from many lessons.

    :param having: in how many lessons a stem is.
    :param lessons: how many lessons there are.
    :param scopes: all scope names of the store.
    """

    def __init__(
        self,
        context: Context,
        prior: ContextPrior,
        having: Callable[[str], int],
        lessons: int,
        scopes: Iterable[str],
    ) -> None:
        words = tokens(context.text)
        self._share = prior.share
        self.counted = (id(prior), prior.contexts // COUNTED)
        """Which counts these are, roughly: what was worked out with others is worked out anew."""
        self._having = having
        self._count = lessons + VIRTUAL
        self._rarest = math.log(1 + (self._count - 0.5) / 1.5)
        self.stems = frozenset(map(term, set(words)))
        self._length = max(len(self.stems), 1) / prior.typical  # a context of code alone holds no word
        self.held: dict[str, float] = dict.fromkeys(self.stems, 1.0)
        self._worth: dict[str, tuple[float, float, float]] = {}
        self._add_synonyms()
        self.code = context.code
        self.seen = self.stems | self.code
        self._synonyms = frozenset(self.held.keys() - self.seen)
        self._rare = _Lazy(self.rare)
        self._telling = _Lazy(lambda one: self._rare[one] * self._rarity(one))
        touched = [line for line in map(str.strip, context.text.splitlines()) if _PATH.fullmatch(line)]
        self.touched = frozenset(stems("\n".join(touched)))
        self.wording = len(_WORDING.intersection(words[:HEAD_WORDS])) + _documents(touched)
        self.stop = float(context.moment == "stop")
        names = {name: parts_of(name) for name in scopes}
        text = NameParts(context.text)
        self.named = {name for name, parts in names.items() if text.names(parts)}
        self.placed = set(places(names, context.cwd, context.remote))
        directories = NameParts("\n\n".join(sorted({path.rpartition("/")[0] for path in touched})))
        self.placed |= {name for name in self.named if directories.names(names[name])}
        self._somewhere = bool(names) and bool(context.cwd or context.remote)

    def _add_synonyms(self) -> None:
        """Stems that are not there but whose synonyms are: held by ``SYNONYM``, never for more than a synonym is worth."""
        relations = synonyms()
        for one in self.stems & relations.keys():
            for other in relations[one] - self.stems:
                ratio = min(1.0, self.worth(one)[1] / self.worth(other)[1])
                self.held[other] = max(self.held.get(other, 0.0), SYNONYM * ratio)

    def worth(self, one: str) -> tuple[float, float, float]:
        """A stem's rarity among lessons, its surprise here, and what it gives by chance alone.

        Rarity: its idf over the lessons and ``VIRTUAL`` more, as a share of the idf of a stem that one lesson has.
        Surprise: −ln of the chance that a context of this length holds it.
        """
        known = self._worth.get(one)
        if known is None:
            share = self._share(one)
            chance = 1.0 - (1.0 - share) ** self._length
            surprise = -math.log(min(max(chance, SELDOM), CERTAIN))
            rarity = self._rarity(one)
            known = self._worth[one] = (rarity, surprise, chance * surprise)
        return known

    def _rarity(self, one: str) -> float:
        having = self._having(one) + VIRTUAL * self._share(one)
        return math.log(1 + (self._count - having + 0.5) / (having + 0.5)) / self._rarest

    def place(self, scope: Iterable[str]) -> float:
        """1 where the session works in the scope, ``NAMED`` where it only speaks of it, 0 elsewhere.

        Without a scope: the same for any scope of the store, and ``NAMED`` where nothing is known of the place.
        """
        wanted = set(scope)
        if (self.placed & wanted) if wanted else self.placed:
            return 1.0
        if (self.named & wanted) if wanted else (self.named or not self._somewhere):
            return NAMED
        return 0.0

    def terms(self, lesson: Iterable[str]) -> dict[str, float]:
        """What each stem of a lesson that the context holds adds to the surprise, largest first."""
        found = {}
        for one in set(lesson) & self.held.keys():
            rarity, surprise, _ = self.worth(one)
            found[one] = self.held[one] * rarity * surprise
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def surprise(self, lesson: Iterable[str]) -> tuple[float, float]:
        """How much more of a lesson the context and its touched paths hold than chance gives, per root of its weight."""
        held = expected = touched = own = 0.0
        for one in lesson:
            rarity, surprise, chance = self.worth(one)
            own += rarity * surprise
            expected += rarity * chance
            share = self.held.get(one)
            if share is not None:
                held += share * rarity * surprise
                if one in self.touched:
                    touched += rarity * surprise
        root = math.sqrt(own) or 1.0
        return (held - expected) / root, math.sqrt(touched / root)

    def coverage(self, situations: Iterable[Iterable[str]]) -> float:
        """The largest share of one situation, by weight, that the context holds; 0 to 1."""
        best = 0.0
        for situation in situations:
            held = own = 0.0
            for one in situation:
                rarity, surprise, _ = self.worth(one)
                own += rarity * surprise
                held += self.held.get(one, 0.0) * rarity * surprise
            best = max(best, held / own if own else 0.0)
        return best

    def weights(self, words: Iterable[str] | None = None) -> Mapping[str, float]:
        """For BM25: what each held stem is worth here.

        :param words: stems of the work's code among them; None: the held ones.
        """
        wanted = self.held if words is None else dict.fromkeys(words, 1.0) | self.held
        return {one: share * self.worth(one)[1] for one, share in wanted.items()}

    def rare(self, one: str) -> float:
        """How rare a stem is in contexts of any length: −ln of the share that hold it."""
        return -math.log(min(self._share(one), COMMON))

    def weight(self, stems: Iterable[str]) -> float:
        """How rare ``stems`` are in all."""
        return sum(map(self._rare.__getitem__, stems))

    def shared(self, stems: frozenset[str], own: float, among: frozenset[str]) -> float:
        """The rare stems of ``stems`` that ``among`` holds, per root of their weight ``own``.

        As ``surprise``, without the length of what was seen: how much code is read before an edit is chance.
        """
        return sum(map(self._telling.__getitem__, stems & among)) / math.sqrt(1.0 + own)

    def covered(self, situations: Iterable[tuple[frozenset[str], float]]) -> float:
        """The largest share of one situation, by rarity, that words, their synonyms and code hold; 0 to 1.

        :param situations: stems and their weight.
        """
        best = 0.0
        rare, stand_ins = self._rare.__getitem__, self._synonyms
        for stems, own in situations:
            if own > 0:
                share = sum(map(rare, stems & self.seen))
                share += sum(self.held[one] * rare(one) for one in stems & stand_ins)
                best = max(best, share / own)
        return best


class _Lazy(dict[str, float]):
    """Values of stems, each worked out when it is first asked for."""

    def __init__(self, value: Callable[[str], float]) -> None:
        self._value = value

    def __missing__(self, one: str) -> float:
        found = self[one] = self._value(one)
        return found
