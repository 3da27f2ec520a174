"""How strongly a context speaks for each lesson: the evidence that MATCH_FLOOR is compared with.

evidence = 1 / (1 + e^−(sum of the parts)), each part one named observation times its weight:

- ``surprise``: the stems that lesson and context share, each by how unlikely it was to be there by chance (a context of
  that length, about anything) and by how rare it is among lessons; minus what chance alone would give; per root of the
  lesson's own weight. A word that only a synonym stands for counts ``SYNONYM``.
- ``situation``: the share of the best-matched situation that the context holds.
- ``paths``: the same surprise as above within the touched paths alone, root taken.
- ``place``: whether the session works where one of the lesson's scopes lives, or only names it. For a lesson without
  scope: whether it works where any known scope lives.
- ``lead``: this lesson's surprise as a share of the best lesson's.
- ``wording``: the work begins with words about text, not behaviour (docs, comment, typo, rename), and the share of
  touched paths that are documents; speaks against.
- ``stop``: at Stop much more text was seen, most of it about what was done well; speaks against.
- ``base``: what is left when nothing else is known.

Promises: evidence is in (0, 1); a scoped lesson none of whose scopes is named gets none; the parts add up to the
evidence's logit. Must not rank by belief or trust (that is ``rank``) nor know what was shown before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import PatternIndex
from borgd.recall import applies
from borgd.recall.context import Context
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.recall.work import Work, stems

if TYPE_CHECKING:
    from borgd.recall.text.bm25 import Bm25

MATCH_FLOOR = 0.25
"""tuned: tests/perf/bench_recall_quality.py; below it nothing is recalled."""

WEIGHTS = {
    "base": -9.6,
    "surprise": 1.45,
    "situation": 2.7,
    "paths": 2.05,
    "place": 3.5,
    "lead": 1.85,
    "wording": -1.0,
    "stop": -0.9,
}
"""tuned: tests/perf/bench_recall_quality.py, a logistic regression on the labelled cases."""

CANDIDATES = 64
"""method: for how many lessons, best by BM25 first, the evidence is worked out."""


QUESTION = 1.5
"""tuned: the same benchmark with situations left out; a lesson without them is judged by its question, which is longer."""


class Match(NamedTuple):
    """One lesson's evidence in one context. ``terms`` are filled on request, and so are the ``parts`` of ``match``.

    ``parts`` add up to the evidence's logit; ``terms`` are what each matched stem adds to the surprise; ``handled``: the
    work that the evidence is of shows the point dealt with.
    """

    id: str
    evidence: float
    scoped: bool
    in_scope: bool
    parts: Mapping[str, float]
    terms: Mapping[str, float]
    handled: bool = False


class EpisodeStems(NamedTuple):
    """The stems of the correction that a lesson comes from: of its words, and of the code that was corrected."""

    words: frozenset[str]
    code: frozenset[str]


def episode_stems(task: str, proposal: str, correction: str, paths: Iterable[str], lines: Sequence[str]) -> EpisodeStems:
    """What an episode gives to match by. Where no line was changed, the refused proposal is the code."""
    code = stems("\n".join((*paths, *lines))) if lines else stems(proposal)
    return EpisodeStems(frozenset(stems("\n".join((task, proposal, correction)))), frozenset(code))


class _Entry(NamedTuple):
    lesson: Lesson
    stems: frozenset[str]
    situations: tuple[frozenset[str], ...]
    episode: EpisodeStems = EpisodeStems(frozenset(), frozenset())

    whole: frozenset[str] = frozenset()
    """The stems of lesson and episode, the names of its scope left out."""
    subjects: tuple[frozenset[str], ...] = ()
    """The stems of each situation, else of the question, the names of its scope left out."""


class _OwnWeight(NamedTuple):
    """How rare the stems of a lesson with its episode, of the episode's code, and of each situation are, in sum."""

    counted: tuple[int, float]
    whole: float
    episode: float
    situations: tuple[tuple[frozenset[str], float], ...]


class Index:
    """Lessons, ready to be matched; an added lesson is seen by the next match, nothing is rebuilt."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._scopes: dict[str, int] = {}
        from borgd.recall.text.bm25 import Bm25  # here, so that a daemon can serve before numpy is there

        self.bm25: Bm25 = Bm25()
        self.patterns = PatternIndex()
        self.unknown: frozenset[str] = frozenset()
        """Scope names that count for nothing: only teammates use them, and nothing here knows them."""
        self._weights: dict[str, _OwnWeight] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, lesson: Lesson, episode: EpisodeStems | None = None) -> None:
        """Take a lesson in; it replaces one with the same id unless that one's version is newer.

        :param episode: what it is matched by besides, on this machine.
        """
        known = self._entries.get(lesson.id)
        if known is not None and known.lesson.version > lesson.version:
            return
        self.remove(lesson.id)
        documents = [stems(part) for part in (lesson.question, *lesson.facets, *lesson.situations, lesson.consequence)]
        situations = tuple(frozenset(stems(situation)) for situation in lesson.situations)
        whole = [one for document in documents for one in document]
        entry = _Entry(lesson, frozenset(whole), situations)
        if episode is not None:
            entry = entry._replace(episode=episode)
            whole += [*episode.words, *episode.code]
        names = frozenset(one for name in lesson.scope for one in stems(name))
        subjects = tuple(one - names for one in situations or (frozenset(documents[0]),))
        entry = entry._replace(whole=frozenset(whole) - names, subjects=subjects)
        self._weights.pop(lesson.id, None)
        self._entries[lesson.id] = entry
        self.bm25.add(lesson.id, whole)
        if lesson.signs or lesson.handled:
            self.patterns.put(lesson.id, lesson.signs, lesson.handled)
        for name in lesson.scope:
            self._scopes[name] = self._scopes.get(name, 0) + 1

    def remove(self, id: str) -> None:
        """Forget a lesson; one that is not there is no error."""
        entry = self._entries.pop(id, None)
        if entry is None:
            return
        self.bm25.remove(id)
        self.patterns.drop(id)
        self._weights.pop(id, None)
        for name in entry.lesson.scope:
            self._scopes[name] -= 1
            if not self._scopes[name]:
                del self._scopes[name]

    @property
    def scopes(self) -> list[str]:
        """The scope names of all lessons, sorted."""
        return sorted(self._scopes)

    def work(self, context: Context, prior: ContextPrior) -> Work:
        """The context as this store's lessons see it."""
        names = self._scopes.keys() - self.unknown if self.unknown else self._scopes
        return Work(context, prior, self.bm25.frequency, len(self._entries), names)

    def match(self, context: Context, prior: ContextPrior | None = None, explain: bool = False) -> list[Match]:
        """The lessons that ``context`` speaks for, best first, equal ones by id; only those with evidence above 0.

        :param prior: what contexts hold in general; None: what is shipped.
        :param explain: fill ``parts`` and ``terms``.
        """
        work = self.work(context, _shipped() if prior is None else prior)
        observed = self.observe(work, self.candidates(work))
        matches: list[Match] = []
        for id, seen in observed.items():
            entry = self._entries[id]
            parts = {name: weight * seen[name] for name, weight in WEIGHTS.items()}
            evidence = 1 / (1 + math.exp(-sum(parts.values())))
            terms = work.terms(entry.stems) if explain else {}
            matches.append(Match(id, evidence, bool(entry.lesson.scope), True, parts if explain else {}, terms))
        matches.sort(key=lambda match: (-match.evidence, match.id))
        return matches

    def judge(self, context: Context, prior: ContextPrior | None = None, explain: bool = False) -> list[Match]:
        """As ``match``, with the probability that each lesson applies and is open (``applies``) as its evidence.

        The current prompt's work and the session's are both judged, and whichever speaks more strongly counts; at Stop, of
        works that show the point dealt with none where another does not.
        """
        prior = _shipped() if prior is None else prior
        best: dict[str, Match] = {}
        for one in (context, context.turn) if context.turn is not None else (context,):
            work = self.work(one, prior)
            for id, observed in self.observe_applies(work, one).items():
                entry = self._entries[id]
                parts = applies.parts(observed)
                terms = work.terms(entry.whole) if explain else {}
                scoped, handled = bool(entry.lesson.scope), observed["handled"] > 0
                match = Match(id, applies.probability(parts), scoped, True, parts, terms, handled)
                known = best.get(id)
                if known is None or _speaks(match, context.moment) > _speaks(known, context.moment):
                    best[id] = match
        return sorted(best.values(), key=lambda match: (-match.evidence, match.id))

    def observe_applies(self, work: Work, context: Context, *, alone: bool = False) -> dict[str, dict[str, float]]:
        """The observations behind the probability's parts, before they are weighed, by lesson.

        :param alone: each as if the store had no other lesson to compare it with.
        """
        seen: dict[str, applies.Seen] = {}
        for id in self._judged(work, context):
            entry = self._entries[id]
            own = self._own(entry, work)
            hits = applies.hits_of(context.hits, id)
            scoped = bool(entry.lesson.scope)
            home = not scoped and entry.lesson.repo != "" and entry.lesson.repo in context.repos
            seen[id] = applies.Seen(
                situation=work.coverage(entry.subjects) if entry.situations else self._asked(work, entry.subjects),
                held_situation=work.covered(own.situations),
                held_phrase=work.covered([one for one in own.situations if len(one[0]) >= applies.PHRASE]),
                place=applies.spoken_place(work.place(entry.lesson.scope), hits, scoped=scoped, home=home),
                all=work.shared(entry.whole, own.whole, work.seen),
                episode=work.shared(entry.episode.code, own.episode, work.code),
                hits=hits,
                asked=applies.hits_of(context.said, id),
                has_signs=bool(entry.lesson.signs),
                scoped=scoped,
                home=home,
            )
        compare = partial(applies.observations, stop=context.moment == "stop", wording=work.wording)
        return {id: compare({id: one})[id] for id, one in seen.items()} if alone else compare(seen)

    def _own(self, entry: _Entry, work: Work) -> _OwnWeight:
        """How much a lesson's own stems weigh; worked out anew when the machine has counted other contexts."""
        known = self._weights.get(entry.lesson.id)
        if known is None or known.counted != work.counted:
            known = self._weights[entry.lesson.id] = _OwnWeight(
                work.counted,
                work.weight(entry.whole),
                work.weight(entry.episode.code),
                tuple((situation, work.weight(situation)) for situation in entry.subjects),
            )
        return known

    def _judged(self, work: Work, context: Context) -> list[str]:
        """The candidates by words and code, and every lesson in scope of which a sign matched."""
        found = dict.fromkeys(self.candidates(work, words=(*work.held, *work.code)))
        for id, hits in chain(context.hits.items(), context.said.items()):
            entry = self._entries.get(id)
            if entry is not None and hits.signs and (not entry.lesson.scope or work.place(entry.lesson.scope) > 0):
                found[id] = None
        return list(found)

    def observe(self, work: Work, ids: Iterable[str]) -> dict[str, dict[str, float]]:
        """The observations behind the parts, before they are weighed, by lesson."""
        found: dict[str, dict[str, float]] = {}
        for id in ids:
            entry = self._entries[id]
            surprise, paths = work.surprise(entry.stems)
            found[id] = {
                "base": 1.0,
                "surprise": surprise,
                "situation": work.coverage(entry.situations) if entry.situations else self._question(work, entry),
                "paths": paths,
                "place": work.place(entry.lesson.scope),
                "wording": work.wording,
                "stop": work.stop,
            }
        best = max((seen["surprise"] for seen in found.values()), default=0.0)
        for seen in found.values():
            seen["lead"] = max(0.0, seen["surprise"]) / best if best > 0 else 0.0
        return found

    def _question(self, work: Work, entry: _Entry) -> float:
        return self._asked(work, [frozenset(stems(entry.lesson.question))])

    @staticmethod
    def _asked(work: Work, question: Iterable[frozenset[str]]) -> float:
        return min(1.0, QUESTION * work.coverage(question))

    def candidates(self, work: Work, limit: int = CANDIDATES, words: Iterable[str] | None = None) -> list[str]:
        """The lessons in scope that share a stem with the work, best by BM25 first, at most ``limit``.

        :param words: the stems to look for; None: those of the work's words and their synonyms.
        """
        found: list[str] = []
        wanted = work.held if words is None else words
        for id, _ in self.bm25.ranked(wanted, work.weights(None if words is None else wanted)):
            lesson = self._entries[id].lesson
            if not lesson.scope or work.place(lesson.scope) > 0:
                found.append(id)
                if len(found) == limit:
                    break
        return found


@cache
def _shipped() -> ContextPrior:
    return ContextPrior.shipped()


def _speaks(match: Match, moment: str) -> tuple[bool, float]:
    """How strongly one work speaks for a lesson, beside another work."""
    return (moment != "stop" or not match.handled, match.evidence)
