"""Lessons from the records of any number of files: the latest version of an id wins, whatever the order of files or lines.

Own records and teammates' live apart: no record of a teammate's changes what own records say of an id; where there is an
own record, the teammate's is at most an offer (``offers``). Promises that a bad record is reported by file, line and field
and costs nothing but itself; that unknown keys survive an edit; that what comes out is cleaned. ``add``, ``edit`` and
``retire`` return the record to append and change nothing themselves. Must not touch a file.
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
from borgd.lessons.sanitize import CONSEQUENCE_CHARS, QUESTION_CHARS, clean, clean_lesson, file_word

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
_UNSTORED = frozenset({"peer", "claimed"})
_UNSHARED = frozenset({"repo", "origin", "history"}) | _UNSTORED


class Applied(NamedTuple):
    """``changed``: ids whose winning version is another one now, in the order they changed; ``errors``: the bad records."""

    changed: tuple[str, ...]
    errors: tuple[InputError, ...]


class _Entry(NamedTuple):
    lesson: Lesson
    extra: dict[str, Any]
    owner: str = ""
    """``<engineer>@<machine>`` of the file it came from; empty: this machine's journal."""

    def wins_over(self, other: _Entry | None) -> bool:
        """Whether this entry is the later one; of one version the one that ``order`` puts last."""
        if other is None or other.lesson.version != self.lesson.version:
            return other is None or self.lesson.version > other.lesson.version
        return self.order() > other.order()

    def order(self) -> tuple[bytes, bool, bytes]:
        """What decides between entries of one version: what all copies share, then this machine's copy, then the rest."""
        everything = _digest(self.lesson, {**self.extra, "": self.owner}, frozenset())
        return _digest(self.lesson, {}, _UNSHARED), not self.owner, everything


class _From(NamedTuple):
    """Where a record stands."""

    source: str
    line: int
    peer: bool
    owner: str


class TeammateRecord(NamedTuple):
    """What a teammate's file says of an id that own records speak of too. ``lesson`` None: it was forgotten there."""

    id: str
    owner: str
    lesson: Lesson | None


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
        if not _UNSTORED.isdisjoint(record):
            record = {key: value for key, value in record.items() if key not in _UNSTORED}
        lesson = msgspec.convert(record, Lesson)
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
        self._own: dict[str, _Entry] = {}
        self._peers: dict[str, _Entry] = {}
        self._forgotten: dict[str, int] = {}
        self._taken_back: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._ids())

    def __iter__(self) -> Iterator[Lesson]:
        """Every lesson that was not forgotten, the retired ones too, by id."""
        return (entry.lesson for key in sorted(self._ids()) if (entry := self._entry(key)) is not None)

    def _ids(self) -> set[str]:
        return self._own.keys() | self._peers.keys()

    def _entry(self, key: str) -> _Entry | None:
        return self._own.get(key) or self._peers.get(key)

    def beside_own(self) -> list[TeammateRecord]:
        """What teammates' files say of ids that own records speak of, by id: their latest version, or that it is gone."""
        found = [TeammateRecord(key, entry.owner, entry.lesson) for key, entry in self._peers.items() if key in self._own]
        found += [TeammateRecord(key, owner, None) for key, owner in self._taken_back.items() if key in self._own]
        return sorted(found, key=lambda one: (one.id, one.lesson is None, one.owner))

    @property
    def forgotten(self) -> frozenset[str]:
        """Ids under a tombstone: no version of them counts any more."""
        return frozenset(self._forgotten)

    def get(self, key: str) -> Lesson | None:
        """The lesson with the id ``key``, retired or not."""
        entry = self._entry(key)
        return entry.lesson if entry else None

    def owner(self, key: str) -> str:
        """``<engineer>@<machine>`` of the file that the lesson ``key`` came from; empty: this machine's journal, or none."""
        entry = self._entry(key)
        return entry.owner if entry else ""

    def find(self, text: str) -> Lesson:
        """The lesson whose id is ``text`` or the only one whose id starts with it, in any case.

        :raises BorgError: none, or several; names them.
        """
        exact = self.get(text)
        if exact is not None:
            return exact
        near = [key for key in sorted(self._ids()) if key.casefold().startswith(text.casefold())] if text else []
        if len(near) == 1 and (only := self.get(near[0])) is not None:
            return only
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
        owner: str = "",
    ) -> Applied:
        """Take in ``records`` of one file, which may be all of it or what is new.

        :param lines: each record's 1-based line; counted from 1 where not given.
        :param peer: the file is a teammate's, its lessons untrusted and by nobody but the file's ``owner``.
        :param owner: ``<engineer>@<machine>`` of the file; empty: this machine's journal.
        """
        owner = owner or (source if peer else "")
        changed: dict[str, None] = {}
        errors: list[InputError] = []
        numbers = iter(lines) if lines is not None else None
        for count, record in enumerate(records, 1):
            line = next(numbers, count) if numbers is not None else count
            try:
                if key := self._take(record, _From(source, line, peer, owner)):
                    changed[key] = None
            except InputError as error:
                errors.append(error)
        return Applied(tuple(changed), tuple(errors))

    def _take(self, record: Record, where: _From) -> str:
        kind = record.get("kind", "lesson")
        if kind == TOMBSTONE:
            return self._bury(record, where)
        if kind != "lesson":
            raise InputError(where.source, "expected lesson or tombstone", line=where.line, field="kind")
        lesson = parse(record, where.source, where.line)
        if lesson.id in self._forgotten or (where.peer and lesson.id in self._taken_back):
            return ""
        entries = self._peers if where.peer else self._own
        current = entries.get(lesson.id)
        if where.peer:
            lesson = _teammates(lesson, where.owner)
        known = record.keys() <= _KNOWN
        extra = {} if known else {key: value for key, value in record.items() if key not in _KNOWN}
        entry = _Entry(lesson, extra, where.owner)
        if not entry.wins_over(current):
            return ""
        entries[lesson.id] = entry
        return "" if where.peer and lesson.id in self._own else lesson.id

    def _bury(self, record: Record, where: _From) -> str:
        """A teammate's tombstone takes back what teammates shared; what was written here stays."""
        key, ms = record.get("id"), record.get("ms", 0)
        if not isinstance(key, str) or not _ID.match(key):
            expected = "expected letters, digits, - and _, at most 40 characters"
            raise InputError(where.source, expected, line=where.line, field="id")
        if where.peer:
            self._taken_back[key] = min(where.owner, self._taken_back.get(key, where.owner))
            return key if self._peers.pop(key, None) and key not in self._own else ""
        self._forgotten[key] = max(self._forgotten.get(key, 0), ms if isinstance(ms, int) else 0)
        gone = self._peers.pop(key, None) or self._own.get(key)
        self._own.pop(key, None)
        return key if gone else ""

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
        while (there := self.get(key := lesson_id(lesson.question, lesson.scope, taken))) is not None:
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
        return self.record(parse(record, "edit"))

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
            entry = self._entry(lesson.id)
            extra = entry.extra if entry else {}
        values: dict[str, Any] = msgspec.to_builtins(_sealed(lesson))
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        del fields["peer"], fields["claimed"]
        return fields | redact_record(extra)


def _sealed(lesson: Lesson) -> Lesson:
    """Scrubbed before it is cut, so that no half of a secret stays, and after, since invisible characters hide them."""
    redacted = clean_lesson(msgspec.convert(redact_record(msgspec.to_builtins(lesson)), Lesson))
    return clean_lesson(msgspec.convert(redact_record(msgspec.to_builtins(redacted)), Lesson))


def _teammates(lesson: Lesson, owner: str) -> Lesson:
    """``lesson`` as a teammate's: by the person whose file it is; whom the line names beside that, it only claims."""
    person = owner.partition("@")[0]
    spelled = [name for name in lesson.engineers if file_word(name) == person]
    claimed = tuple(name for name in lesson.engineers if name not in spelled)
    return msgspec.structs.replace(lesson, peer=True, engineers=tuple(spelled[:1]) or (person,), claimed=claimed)


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
