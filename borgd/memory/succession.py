"""Which lesson stands in for which: a successor hides what it supersedes, and inherits its relevance.

Two cases keep both sides alive, as a disagreement: a successor by a less trusted engineer who contradicts another, and
lessons that supersede each other in a ring. A teammate's lesson never hides or disputes an own one: it is an offer there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from borgd.lessons.lesson import Lesson


class Succession(NamedTuple):
    """``successors``: each hidden lesson and the live ones that inherit from it. ``disputes``: pairs of live lessons,
    of which one claims to supersede the other. ``replaced``: hidden lessons that someone other than their authors
    replaced."""

    successors: dict[str, tuple[str, ...]]
    disputes: frozenset[tuple[str, str]]
    replaced: frozenset[str]


def succeed(
    lessons: Mapping[str, Lesson],
    authors: Callable[[Lesson], tuple[str, ...]],
    trusted: Callable[[Lesson], float],
) -> Succession:
    """Who is hidden, by whom. ``trusted`` is trust from outcomes alone: what hides may not depend on what is hidden."""
    claims = {
        (lesson.id, target)
        for lesson in lessons.values()
        if lesson.supersedes and not lesson.retired
        for target in lesson.supersedes
        if target != lesson.id and target in lessons and not lessons[target].retired
        if lessons[target].peer or not lesson.peer
    }
    if not claims:
        return Succession({}, frozenset(), frozenset())
    refused = {(new, old) for new, old in claims if _refuses(lessons[new], lessons[old], authors, trusted)}
    rings = _rings(claims - refused)
    disputed = refused | {(new, old) for new, old in claims - refused if rings[new] == rings[old]}
    hiding = claims - disputed
    hidden = {old for _, old in hiding}
    hiders: dict[str, list[str]] = {}
    for new, old in hiding:
        hiders.setdefault(old, []).append(new)
    successors = {old: _successors(old, hiders) for old in hidden}
    disputes = {(min(pair), max(pair)) for pair in disputed if not hidden.intersection(pair)}
    replaced = {old for new, old in hiding if not set(authors(lessons[new])) & set(authors(lessons[old]))}
    return Succession(dict(sorted(successors.items())), frozenset(disputes), frozenset(replaced))


def _refuses(
    new: Lesson,
    old: Lesson,
    authors: Callable[[Lesson], tuple[str, ...]],
    trusted: Callable[[Lesson], float],
) -> bool:
    """Whether ``new`` is a less trusted engineer's contradiction of somebody else's ``old``."""
    contradicts = new.consequence.casefold().split() != old.consequence.casefold().split()
    return contradicts and not set(authors(new)) & set(authors(old)) and trusted(new) < trusted(old)


def _successors(old: str, hiders: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The live lessons at the ends of every chain from ``old``; the chains have no ring."""
    seen, waiting = {old}, [old]
    while waiting:
        news = [new for new in hiders.get(waiting.pop(), ()) if new not in seen]
        seen.update(news)
        waiting.extend(news)
    return tuple(sorted(lesson for lesson in seen if lesson not in hiders))


def _rings(edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A name for each node's strongly connected component (Kosaraju's two passes, without recursion)."""
    forward: dict[str, list[str]] = {}
    backward: dict[str, list[str]] = {}
    for new, old in sorted(edges):
        forward.setdefault(new, []).append(old)
        backward.setdefault(old, []).append(new)
    nodes = sorted(forward.keys() | backward.keys())
    finished: list[str] = []
    seen: set[str] = set()
    for node in nodes:
        _finish(node, forward, seen, finished)
    rings: dict[str, str] = {}
    for node in reversed(finished):
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if current not in rings:
                rings[current] = node
                waiting.extend(backward.get(current, ()))
    return rings


def _finish(start: str, forward: Mapping[str, list[str]], seen: set[str], finished: list[str]) -> None:
    """Depth-first from ``start``, nodes appended as they are left."""
    if start in seen:
        return
    seen.add(start)
    stack = [(start, iter(forward.get(start, ())))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(forward.get(target, ()))))
                break
        else:
            stack.pop()
            finished.append(node)
