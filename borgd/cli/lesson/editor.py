"""A lesson's fields in the person's own editor, as TOML: what came back changed, or why it cannot be used.

The text lies in a directory of its own, for the owner alone, and is removed once it was taken; what could not be taken
stays, and is named. Must not store anything.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import tomlkit

from borgd.cli.lesson.terminal import at_terminal, key_press
from borgd.cli.terminal_text import printable
from borgd.config.schema import decode
from borgd.errors import BorgError
from borgd.lessons.lesson import Lesson, Reach

VARIABLES = ("VISUAL", "EDITOR")
"""host: where a person says which editor is theirs, the first that is set."""
USUAL = ("vi", "nano")
"""host: what is there where nobody said."""
EXPLAINED = {
    "question": "what the agent shall ask itself",
    "consequence": "what goes wrong otherwise",
    "scope": "the systems it belongs to; none: everywhere",
    "situations": "when it applies",
    "facets": "other wordings to be found by",
    "signs": "patterns over code and closing words that show that the point arises",
    "handled": "patterns that show it dealt with",
    "area": "such as tests, security, api",
    "overrides": "the rule or habit that it replaces",
    "reach": "team, repo or personal",
}
"""design: the fields that a person changes, in the order of the text."""
HEAD = "lesson {id}. Save and leave the editor to keep what you change; leave it as it is to change nothing."


class EditableLesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may stand in the text; a field that was taken out is as if it were empty."""

    question: str = ""
    consequence: str = ""
    scope: tuple[str, ...] = ()
    situations: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    handled: tuple[str, ...] = ()
    area: str = ""
    overrides: str = ""
    reach: Reach = "team"


def editor_named(environ: Mapping[str, str]) -> list[str]:
    """The person's editor with its arguments; empty where nobody said which.

    :raises BorgError: it is not a command line.
    """
    for name in VARIABLES:
        if environ.get(name, "").strip():
            try:
                return shlex.split(environ[name])
            except ValueError as error:
                raise BorgError(f"{name} is {environ[name]!r}, which is not a command: {error}") from None
    return []


def text_of(lesson: Lesson) -> str:
    """``lesson`` as the editor shows it."""
    document = tomlkit.document()
    document.add(tomlkit.comment(HEAD.format(id=lesson.id)))
    for name, explained in EXPLAINED.items():
        value = getattr(lesson, name)
        document.add(tomlkit.nl())
        document.add(tomlkit.comment(explained))
        if isinstance(value, str):
            document.add(name, tomlkit.string(value))
            continue
        listed = tomlkit.array()
        listed.extend(tomlkit.string(one, literal=_is_plain(one)) for one in value)
        document.add(name, listed.multiline(len(value) > 1))
    return tomlkit.dumps(document)


def _is_plain(text: str) -> bool:
    """Whether TOML takes ``text`` between single quotes, where a pattern's backslashes stay as they are."""
    return "\\" in text and "'" not in text and text.isprintable()


def changes_in(text: bytes, lesson: Lesson, source: str) -> dict[str, Any]:
    """Which fields ``text`` has otherwise than ``lesson``.

    :raises InputError: it is no TOML, or a field is unknown, of the wrong kind, or empty where it must not be.
    """
    found = decode(text, EditableLesson, source)
    for name in ("question", "consequence"):
        if not getattr(found, name).strip():
            raise BorgError(f"{source}: {name}: expected text, got none")
    values = {name: getattr(found, name) for name in EXPLAINED}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value != getattr(lesson, name)
    }


def edited(lesson: Lesson, environ: Mapping[str, str]) -> dict[str, Any]:
    """The fields that the person changed in their editor; empty: none.

    :raises BorgError: there is no editor, it failed, or what came back cannot be used and nobody can be asked.
    """
    command = editor_named(environ) or [next((name for name in USUAL if shutil.which(name)), "")]
    if not command[0]:
        raise BorgError(f"no editor is known: set EDITOR, or give the fields (borg lesson edit {lesson.id} --question …)")
    directory = Path(tempfile.mkdtemp(prefix="borg-lesson-"))
    path = directory / f"{lesson.id}.toml"
    path.write_text(text_of(lesson), "utf-8")
    while True:
        _open(command, path)
        try:
            found = changes_in(_read(path), lesson, str(path))
        except BorgError as error:
            if not at_terminal():
                raise BorgError(f"{error}; nothing was changed, your text is still there") from None
            print(printable(f"borg: {error}"))
            if key_press("[e]dit again  [q]uit", "eq") == "e":
                continue
            raise BorgError(f"nothing was changed; your text is in {path}") from None
        shutil.rmtree(directory, ignore_errors=True)
        return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BorgError(f"{path} cannot be read after the editor: {error.strerror}") from None


def _open(command: list[str], path: Path) -> None:
    """Wait until the editor has ended.

    :raises BorgError: it cannot be run, or says that it failed.
    """
    try:
        code = subprocess.run([*command, os.fspath(path)], check=False).returncode
    except OSError as error:
        raise BorgError(f"the editor {command[0]!r} cannot be run: {error.strerror}; set EDITOR to another") from None
    if code:
        raise BorgError(f"the editor {command[0]!r} ended with {code}; nothing was changed, your text is in {path}")
