"""Lessons from the records of any number of files: the latest version of an id wins, whatever the order of files or lines.

Promises that a bad record is reported by file, line and field and costs nothing but itself; that unknown keys survive an
edit; that what comes out is cleaned. ``add``, ``edit`` and ``retire`` return the record to append and change nothing
themselves. Must not touch a file: records come in, records go out.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from borgd.errors import BorgError, InputError
from borgd.lessons.lesson import ID_PATTERN, Lesson, Reach
from borgd.lessons.redact import redact_record
from borgd.lessons.sanitize import CONSEQUENCE_CHARS, QUESTION_CHARS, clean, clean_lesson

ID_CHARS = 8
"""design: base32 characters after the L: 40 bits, so that 100,000 lessons of one team collide with odds of 1 in 200."""
MAX_VERSION = 10**9
"""guard: a version above it is damage, and would otherwise win for ever."""
TOMBSTONE = "tombstone"
"""design: the ``kind`` of a record that says a lesson was forgotten."""

Record = Mapping[str, Any]

_KNOWN = frozenset(field.name for field in msgspec.structs.fields(Lesson)) | {"kind"}
_ID = re.compile(ID_PATTERN.removesuffix("$") + r"\Z")
_PLACE = re.compile(r"(?: - at `\$\.?(?P<field>[^`]*)`)?\Z")
_LATER = frozenset({"signs", "handled"})
"""Fields that came later: empty, they do not count, so that all versions of borgd agree which of two records wins."""
_UNSHARED = frozenset({"repo", "origin", "history", "peer"})


class Applied(NamedTuple):
    """``changed``: ids whose winning version is another one now, in the order they changed; ``errors``: the bad records."""

    changed: tuple[str, ...]
    errors: tuple[InputError, ...]


class _Entry(NamedTuple):
    lesson: Lesson
    extra: dict[str, Any]

    def wins_over(self, other: _Entry | None) -> bool:
        """Whether this entry is the later one; of one version the one that ``order`` puts last."""
        if other is None or other.lesson.version != self.lesson.version:
            return other is None or self.lesson.version > other.lesson.version
        return self.order() > other.order()

    def order(self) -> tuple[bytes, bool, bytes]:
        """What decides between entries of one version: what all copies share, then our own copy, then all the rest."""
        everything = _digest(self.lesson, self.extra, frozenset({"peer"}))
        return _digest(self.lesson, {}, _UNSHARED), not self.lesson.peer, everything


def lesson_id(question: str, scope: Sequence[str], taken: Iterable[str] = ()) -> str:
    """The id of a new lesson: ``L`` and ID_CHARS base32 characters of the SHA-256 of question and scope, case folded.

    Two people who write the same question for the same systems get the same id. An id in ``taken`` (another lesson's, or
    a forgotten one's) gets longer by a character until it is free.
    """
    names = sorted(clean(name, len(name)).casefold() for name in scope)
    text = "\n".join([clean(question, QUESTION_CHARS).casefold(), *names])
    digest = base64.b32encode(hashlib.sha256(text.encode()).digest()).decode().lower()
    used = set(taken)
    return next(f"L{digest[:length]}" for length in range(ID_CHARS, 40) if f"L{digest[:length]}" not in used)


def parse(record: Record, source: str, line: int | None = None) -> Lesson:
    """The lesson in ``record``, cleaned.

    :raises InputError: names file, line, field and what was expected.
    """
    try:
        lesson = msgspec.convert({**record, "peer": False} if "peer" in record else record, Lesson)
    except msgspec.ValidationError as error:
        raise _complaint(error, source, line) from None
    if not _ID.match(lesson.id):
        raise InputError(source, "expected letters, digits, - and _, at most 40 characters", line=line, field="id")
    if not 1 <= lesson.version <= MAX_VERSION:
        raise InputError(source, f"expected 1 to {MAX_VERSION}, got {lesson.version}", line=line, field="version")
    lesson = clean_lesson(lesson)
    for field in ("question", "consequence"):
        if not getattr(lesson, field):
            raise InputError(source, "expected visible text, got none", line=line, field=field)
    return lesson


def _complaint(error: msgspec.ValidationError, source: str, line: int | None) -> InputError:
    text = str(error)
    place = _PLACE.search(text)
    assert place is not None
    said = text[: place.start()]
    missing = re.search(r"missing required field `(\w+)`", said)
    field = missing[1] if missing else place["field"] or None
    expected = "expected a value, the field is missing" if missing else said[:1].lower() + said[1:]
    return InputError(source, expected, line=line, field=field)


def _digest(lesson: Lesson, extra: Mapping[str, Any], leave_out: frozenset[str]) -> bytes:
    fields = {
        key: value
        for key, value in msgspec.to_builtins(lesson).items()
        if key not in leave_out and (value or key not in _LATER)
    }
    return hashlib.sha256(msgspec.json.encode([fields, extra], order="deterministic")).digest()


class LessonStore:
    """The latest version of each lesson, fed record by record."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._forgotten: dict[str, int] = {}
        self._taken_back: set[str] = set()
        self._own: dict[str, _Entry] = {}
        """The best of our own records by id, for where a teammate's that won over it is taken back."""

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Lesson]:
        """Every lesson that was not forgotten, the retired ones too, by id."""
        return (self._entries[key].lesson for key in sorted(self._entries))

    @property
    def forgotten(self) -> frozenset[str]:
        """Ids under a tombstone: no version of them counts any more."""
        return frozenset(self._forgotten)

    def get(self, key: str) -> Lesson | None:
        """The lesson with the id ``key``, retired or not."""
        entry = self._entries.get(key)
        return entry.lesson if entry else None

    def find(self, text: str) -> Lesson:
        """The lesson whose id is ``text`` or the only one whose id starts with it, in any case.

        :raises BorgError: none, or several; names them.
        """
        exact = self.get(text)
        if exact is not None:
            return exact
        near = [key for key in sorted(self._entries) if key.casefold().startswith(text.casefold())] if text else []
        if len(near) == 1:
            return self._entries[near[0]].lesson
        if near:
            raise BorgError(f"{text!r} could be {', '.join(near[:5])}; give more of the id")
        forgotten = " (it was forgotten)" if text in self._forgotten else ""
        raise BorgError(f"no lesson {text!r}{forgotten}; borg lesson list shows the ids")

    def current(self) -> list[Lesson]:
        """The lessons that are not retired, whomever they reach, by id."""
        return [lesson for lesson in self if not lesson.retired]

    def apply(
        self,
        records: Iterable[Record],
        source: str = "lessons.jsonl",
        *,
        lines: Iterable[int] | None = None,
        peer: bool = False,
    ) -> Applied:
        """Take in ``records`` of one file, which may be all of it or what is new.

        :param lines: each record's 1-based line; counted from 1 where not given.
        :param peer: the file is a teammate's, its lessons untrusted.
        """
        changed: dict[str, None] = {}
        errors: list[InputError] = []
        numbers = iter(lines) if lines is not None else None
        for count, record in enumerate(records, 1):
            line = next(numbers, count) if numbers is not None else count
            try:
                if key := self._take(record, source, line, peer):
                    changed[key] = None
            except InputError as error:
                errors.append(error)
        return Applied(tuple(changed), tuple(errors))

    def _take(self, record: Record, source: str, line: int, peer: bool) -> str:
        kind = record.get("kind", "lesson")
        if kind == TOMBSTONE:
            return self._bury(record, source, line, peer)
        if kind != "lesson":
            raise InputError(source, "expected lesson or tombstone", line=line, field="kind")
        lesson = parse(record, source, line)
        if lesson.id in self._forgotten or (peer and lesson.id in self._taken_back):
            return ""
        current = self._entries.get(lesson.id)
        if peer:
            lesson = msgspec.structs.replace(lesson, peer=True)
        known = record.keys() <= _KNOWN
        entry = _Entry(lesson, {} if known else {key: value for key, value in record.items() if key not in _KNOWN})
        if not peer and entry.wins_over(self._own.get(lesson.id)):
            self._own[lesson.id] = entry
        if not entry.wins_over(current):
            return ""
        self._entries[lesson.id] = entry
        return lesson.id

    def _bury(self, record: Record, source: str, line: int, peer: bool) -> str:
        """A teammate's tombstone takes back what teammates shared; what was written here stays."""
        key, ms = record.get("id"), record.get("ms", 0)
        if not isinstance(key, str) or not _ID.match(key):
            raise InputError(source, "expected letters, digits, - and _, at most 40 characters", line=line, field="id")
        if peer:
            self._taken_back.add(key)
            current = self._entries.get(key)
            if current is None or not current.lesson.peer:
                return ""
            if key in self._own:
                self._entries[key] = self._own[key]
                return key
        else:
            self._own.pop(key, None)
            self._forgotten[key] = max(self._forgotten.get(key, 0), ms if isinstance(ms, int) else 0)
        return key if self._entries.pop(key, None) else ""

    def add(self, lesson: Lesson) -> dict[str, Any]:
        """The record of a new lesson; its id is made here where ``lesson.id`` is empty.

        A retired lesson with the same question and scope comes back as its next version.

        :raises BorgError: the store has this question for these systems already.
        """
        cleaned = _sealed(lesson)
        key = lesson.id or self._new_id(cleaned)
        current = self.get(key)
        if current is not None and not current.retired:
            raise BorgError(f"lesson {key} asks this already; borg lesson edit {key} changes it")
        version = current.version + 1 if current else max(1, lesson.version)
        return self.record(msgspec.structs.replace(cleaned, id=key, version=version))

    def _new_id(self, lesson: Lesson) -> str:
        taken = set(self._forgotten)
        while (key := lesson_id(lesson.question, lesson.scope, taken)) in self._entries:
            there = self._entries[key].lesson
            if lesson_id(there.question, there.scope) == lesson_id(lesson.question, lesson.scope):
                return key
            taken.add(key)
        return key

    def edit(self, key: str, changes: Mapping[str, Any], *, ms: int, engineer: str = "") -> dict[str, Any]:
        """The record of the next version of ``key`` with ``changes`` (field name to value); unknown keys are kept.

        The engineer joins the lesson's authors, and the history says who changed which fields and when.

        :raises BorgError: no such lesson; InputError: a value that the field cannot take.
        """
        current = self.find(key)
        record = self.record(current)
        engineers = [*current.engineers, engineer]
        history = [
            *record["history"],
            {"version": current.version, "ms": ms, "engineer": engineer, "fields": sorted(changes)},
        ]
        record |= {"engineers": engineers, **changes, "version": current.version + 1, "ms": ms, "history": history}
        return self.record(parse(record, "edit"), self._entries[current.id].extra)

    def retire(self, key: str, *, ms: int, engineer: str = "", reason: str = "") -> dict[str, Any]:
        """The record that takes ``key`` out of recall and keeps it in the store.

        :raises BorgError: no such lesson, or retired already.
        """
        if self.find(key).retired:
            raise BorgError(f"lesson {key} is retired already; borg lesson edit {key} --revive brings it back")
        record = self.edit(key, {"retired": True}, ms=ms, engineer=engineer)
        if reason:
            record["history"][-1]["reason"] = clean(reason, CONSEQUENCE_CHARS)
        return redact_record(record)

    def record(self, lesson: Lesson, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """``lesson`` as it is stored: cleaned, scrubbed, with its unknown keys, without ``peer``."""
        if extra is None:
            entry = self._entries.get(lesson.id)
            extra = entry.extra if entry else {}
        values: dict[str, Any] = msgspec.to_builtins(_sealed(lesson))
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        del fields["peer"]
        return fields | redact_record(extra)


def _sealed(lesson: Lesson) -> Lesson:
    """Scrubbed before it is cut, so that no half of a secret stays, and after, since invisible characters hide them."""
    redacted = clean_lesson(msgspec.convert(redact_record(msgspec.to_builtins(lesson)), Lesson))
    return clean_lesson(msgspec.convert(redact_record(msgspec.to_builtins(redacted)), Lesson))


def tombstone(key: str, ms: int) -> dict[str, Any]:
    """The record that forgets ``key`` wherever it is read, whatever versions come later."""
    return {"id": key, "kind": TOMBSTONE, "ms": ms}


REACHES: tuple[Reach, ...] = ("personal", "repo", "team")
"""design: narrowest first."""


def narrower(one: Reach, other: Reach) -> Reach:
    """The reach of a merged lesson: never wider than either."""
    return min(one, other, key=REACHES.index)


def visible(lesson: Lesson, repo: str, engineer: str) -> bool:
    """Whether ``lesson`` reaches ``engineer`` (canonical name) at work in ``repo`` (``owner/name``, empty: none)."""
    if lesson.reach == "repo":
        return lesson.repo != "" and lesson.repo == repo
    if lesson.reach == "personal":
        return engineer in lesson.engineers or (not lesson.engineers and not lesson.peer)
    return True
