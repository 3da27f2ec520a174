"""An agent's settings text with borgd's entries in it, and without them. Pure: text in, text out.

Promises that five installations leave one set of entries, that entries of others are never touched, and that taking out
what was put in gives the same text back (but for empty brackets, whose first look only a copy of the text remembers).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from borgd.config.json_text import KeyPath, value_of, with_element, without

Wanted = Mapping[KeyPath, Sequence[Any]]
"""By list (the keys that lead to it): the entries of ours that belong in it."""
IsOurs = Callable[[Any], bool]


def lists_below(settings: Any, above: KeyPath = ()) -> dict[KeyPath, list[Any]]:
    """Every list in ``settings`` that is reached through objects alone, by the keys that lead to it."""
    found: dict[KeyPath, list[Any]] = {}
    for key, value in settings.items() if isinstance(settings, dict) else ():
        if isinstance(value, list):
            found[(*above, key)] = value
        else:
            found.update(lists_below(value, (*above, key)))
    return found


def empty_below(settings: Any, above: KeyPath = ()) -> list[KeyPath]:
    """Every empty list and object in ``settings`` that is reached through objects alone."""
    found: list[KeyPath] = []
    for key, value in settings.items() if isinstance(settings, dict) else ():
        found += [(*above, key)] if value in ({}, []) else empty_below(value, (*above, key))
    return found


def with_entries(text: str, wanted: Wanted, is_ours: IsOurs, source: str, *, comments: bool = False) -> str:
    """``text`` with exactly ``wanted`` of ours in it; the text itself where that is so already.

    :raises InputError: not JSON, or something else than objects and lists is where the entries belong.
    """
    held = lists_below(value_of(text, source, comments=comments))
    if all([one for one in entries if is_ours(one)] == list(wanted.get(path, ())) for path, entries in held.items()) and all(
        path in held for path in wanted
    ):
        return text
    text = without_entries(text, is_ours, source, comments=comments, like=text)
    for path, entries in wanted.items():
        for entry in entries:
            text = with_element(text, path, entry, source, comments=comments)
    return text


def without_entries(text: str, is_ours: IsOurs, source: str, *, comments: bool = False, like: str = "") -> str:
    """``text`` without ours. Lists and objects that this leaves empty go too, but those that are empty in ``like`` stay.

    :raises InputError: ``text`` is not JSON.
    """
    keep = set(empty_below(value_of(like, source, comments=comments)))
    for path, entries in lists_below(value_of(text, source, comments=comments)).items():
        if any(is_ours(entry) for entry in entries):
            text = without(text, path, is_ours, source, comments=comments, keep=keep)
    return text
