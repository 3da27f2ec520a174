"""Scope paths: ``team/repo/stream``, segments under one implicit root that is the ancestor of every path.

Promises one spelling per scope and a bounded depth, checked before anything is split. The root is written ``""`` inside and
``__global__`` in files and reports; ``__global__/a`` and ``a`` are the same scope. Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from urllib.parse import quote

from borgd.errors import LimitError

ROOT = ""
ROOT_NAME = "__global__"
"""design: how the root is spelled in configuration and reports; no segment of its own."""
MAX_DEPTH = 32
"""guard: segments under the root; the cost of a verdict is linear in it."""
MAX_SEGMENT = 128
"""guard: characters of one segment."""
MAX_PATH = MAX_DEPTH * (MAX_SEGMENT + 1) + len(ROOT_NAME)
"""guard: characters of a path, checked before it is looked at."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""guard: Unicode categories that a segment may not hold (control, format and bidi, surrogate, private, separators)."""


def parse(path: object) -> str:
    """The one spelling of ``path``: NFC, without the root's name in front; ``""`` is the root.

    :raises LimitError: not text, too deep or too long, an empty or dotted segment, a hidden character.
    """
    if not isinstance(path, str):
        raise LimitError(f"a scope path is text such as team/repo, not {type(path).__name__}")
    if len(path) > MAX_PATH:
        raise LimitError(f"a scope path has at most {MAX_PATH} characters, this one has {len(path)}")
    if path in (ROOT, ROOT_NAME):
        return ROOT
    path = unicodedata.normalize("NFC", path).removeprefix(f"{ROOT_NAME}/")
    depth = path.count("/") + 1
    if depth > MAX_DEPTH:
        raise LimitError(f"a scope path has at most {MAX_DEPTH} segments, this one has {depth}")
    for segment in path.split("/"):
        _check(segment, path)
    return path


def _check(segment: str, path: str) -> None:
    if not segment:
        raise LimitError(f"the scope path {path[:80]!r} has an empty segment; write team/repo, no / at either end")
    if segment in (".", ".."):
        raise LimitError(f"the scope path {path[:80]!r} has a segment {segment!r}; scopes are names, not directories")
    if segment == ROOT_NAME:
        raise LimitError(f"{ROOT_NAME} names the root and stands only at the front of a scope path")
    if len(segment) > MAX_SEGMENT:
        raise LimitError(f"a scope segment has at most {MAX_SEGMENT} characters, one here has {len(segment)}")
    if segment != segment.strip() or any(unicodedata.category(letter) in _HIDDEN for letter in segment):
        raise LimitError(f"the scope path {path[:80]!r} has hidden characters or spaces around a segment")


def chain(path: str) -> tuple[str, ...]:
    """The root, then every ancestor of the parsed ``path``, then itself: depth + 1 paths."""
    if path == ROOT:
        return (ROOT,)
    steps = [ROOT]
    at = path.find("/")
    while at >= 0:
        steps.append(path[:at])
        at = path.find("/", at + 1)
    steps.append(path)
    return tuple(steps)


def shown(path: str) -> str:
    """``path`` as configuration and reports write it."""
    return path or ROOT_NAME


def said(path: str) -> str:
    """``path`` inside a sentence."""
    return path or "the whole budget"


def default_scope(remote: str, stream: str, paths: Mapping[str, str]) -> str:
    """Where a session is charged: the git remote's owner/repository, then its stream, unless ``paths`` maps it.

    :param remote: ``owner/repository``, or a directory's name where there is no remote; ``stream``: a branch or empty.
    :raises LimitError: ``paths`` maps it to something that is not a scope path.
    """
    repository = [_segment(part) for part in remote.split("/") if part][-(MAX_DEPTH - 1) :]
    path = "/".join([*repository, *([_segment(stream)] if stream else [])])
    for name in (path, "/".join(repository)):
        if name in paths:
            return parse(paths[name])
    return parse(path)


def _segment(text: str) -> str:
    """``text`` as one segment that always parses: separators and hidden characters escaped, cut to the bound."""
    text = unicodedata.normalize("NFC", text)
    visible = "".join(
        quote(letter, safe="", errors="replace") if letter in "/%" or unicodedata.category(letter) in _HIDDEN else letter
        for letter in text.strip()
    )[:MAX_SEGMENT].strip()
    return "_" if visible in ("", ".", "..", ROOT_NAME) else visible
