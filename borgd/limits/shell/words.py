"""Words of a shell line: quotes, escapes, expansions and substitutions, read from a place in a text on.

A word comes out as the shell would pass it; what only running could tell stays as written and makes it ``dynamic``. Commands
inside substitutions are handed to whoever reads lists of commands. Bounded in depth, and in how often text is read again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from borgd.errors import LimitError

MAX_SHELL_DEPTH = 24
"""guard: subshells and substitutions inside each other."""

MAX_RETRIES = 8
"""guard: times a ``$((`` is read a second time as ``$( (``; each costs the rest of the line again."""

BREAKS = frozenset(" \t\n;&|<>()")


class ShellSyntaxError(LimitError):
    """The text is not shell that can be read here."""


@dataclass(frozen=True, slots=True)
class ShellWord:
    """One argument. ``dynamic``: part of it is known only when it runs."""

    text: str
    dynamic: bool = False
    quoted: bool = False
    lead: int = 0
    """Characters before the first quote."""


@dataclass(slots=True)
class ExpansionBudget:
    """What is left for all texts of one line together."""

    retries: int = MAX_RETRIES


class WordReader(ABC):
    """A place in a text, and the words from there on."""

    def __init__(self, text: str, depth: int, budget: ExpansionBudget) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.budget = budget

    @abstractmethod
    def nested(self) -> None:
        """Read the commands from here to the closing parenthesis."""

    @abstractmethod
    def inner(self, text: str) -> None:
        """Read the commands in ``text``, which stands inside this one."""

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level further in.

        :raises ShellSyntaxError: too deep.
        """
        if self.depth >= MAX_SHELL_DEPTH:
            raise ShellSyntaxError(f"nested deeper than {MAX_SHELL_DEPTH}")
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def word(self) -> ShellWord:
        """One word from here."""
        parts: list[str] = []
        dynamic = False
        lead: int | None = None
        started = self.at
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in "\\'\"" or self.text.startswith(("$'", '$"'), self.at):
                if lead is None:
                    lead = sum(map(len, parts))
                dynamic = self.quote(parts) or dynamic
            elif character in "$`" or (character in "<>" and not parts and self.text.startswith("(", self.at + 1)):
                dynamic = self.substitution(parts) or dynamic
            elif character in BREAKS:
                break
            else:
                dynamic = dynamic or character in "*?["
                parts.append(character)
                self.at += 1
        if self.at == started:
            raise ShellSyntaxError("a word was expected")
        text = "".join(parts)
        return ShellWord(text, dynamic and text not in ("[", "[["), lead is not None, len(text) if lead is None else lead)

    def substitution(self, parts: list[str]) -> bool:
        """``$…``, backticks or a process substitution, as written; True where only running could tell what it is."""
        begin = self.at
        if self.text[begin] in "<>":
            self.at += 2
            self.nested()
            moved = True
        else:
            moved = self.expansion()
        parts.append(self.text[begin : self.at])
        return moved

    def quote(self, parts: list[str]) -> bool:
        """What a backslash or a quote here stands for; True where only running could tell."""
        if self.text[self.at] == "$":
            self.at += 1
            if self.text[self.at] == "'":
                parts.append(self.ansi())
                return False
        character = self.text[self.at]
        self.at += 1
        if character == '"':
            inside, moved = self.quoted_text('"')
            parts.append(inside)
            return moved
        if character == "\\":
            following = self.text[self.at : self.at + 1]
            parts.append("" if following == "\n" else following)
            self.at += 1
            return False
        end = self.text.find("'", self.at)
        if end < 0:
            raise ShellSyntaxError("a single quote that does not end")
        parts.append(self.text[self.at : end])
        self.at = end + 1
        return False

    def ansi(self) -> str:
        """The inside of ``$'…'`` with its quotes and backslashes resolved, other escapes as written."""
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            character = self.text[self.at]
            self.at += 1
            if character == "'":
                return "".join(parts)
            if character == "\\" and self.text[self.at : self.at + 1] in ("'", "\\"):
                character = self.text[self.at]
                self.at += 1
            parts.append(character)
        raise ShellSyntaxError("a quote that does not end")

    def quoted_text(self, until: str) -> tuple[str, bool]:
        """Text in double quotes, or a here-document, to ``until``, and whether any of it is known only when it runs."""
        parts: list[str] = []
        dynamic = False
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == until:
                self.at += 1
                return "".join(parts), dynamic
            if character == "\\" and self.text[self.at + 1 : self.at + 2] in ("$", "`", '"', "\\", "\n"):
                following = self.text[self.at + 1]
                parts.append("" if following == "\n" else following)
                self.at += 2
            elif character in "$`":
                begin = self.at
                dynamic = self.expansion() or dynamic
                parts.append(self.text[begin : self.at])
            else:
                parts.append(character)
                self.at += 1
        if until:
            raise ShellSyntaxError("a double quote that does not end")
        return "".join(parts), dynamic

    def expansion(self) -> bool:
        """Pass over what ``$`` or a backtick begins, reading the commands in it. False: the character stands for itself."""
        if self.text[self.at] == "`":
            self.backticks()
            return True
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 1
        if following == "(":
            if self.text.startswith("((", self.at) and self.is_arithmetic():
                return True
            self.at += 1
            self.nested()
        elif following == "{":
            with self.deeper():
                self.parameter()
        elif following and (following.isalnum() or following in "_@*#?-$!"):
            self.at += 1
            if following.isalpha() or following == "_":
                while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] == "_"):
                    self.at += 1
        else:
            return False
        return True

    def parameter(self) -> None:
        """``${…}``, with what is quoted or substituted in it."""
        self.at += 1
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "}":
                self.at += 1
                return
            if character in "$`":
                self.expansion()
            elif character == '"':
                self.at += 1
                self.quoted_text('"')
            elif character == "\\":
                self.at += 2
            else:
                self.at += 1
        raise ShellSyntaxError("${ without }")

    def backticks(self) -> None:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            character = self.text[self.at]
            self.at += 1
            if character == "`":
                with self.deeper():
                    self.inner("".join(parts))
                return
            if character == "\\" and self.text[self.at : self.at + 1] in ("`", "\\", "$"):
                character = self.text[self.at]
                self.at += 1
            parts.append(character)
        raise ShellSyntaxError("a backtick that does not end")

    def find(self, mark: str, begin: int) -> int:
        """Where ``mark`` is next; the end of the text where it is not."""
        found = self.text.find(mark, begin)
        return len(self.text) if found < 0 else found

    def arithmetic(self) -> None:
        """``((…))`` or the rest of ``$((…))`` from its parentheses on; substitutions inside are read."""
        with self.deeper():
            self.balanced()

    def balanced(self) -> None:
        opened = 0
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "(":
                opened += 1
            elif character == ")":
                opened -= 1
                if opened == 0:
                    self.at += 1
                    return
            elif character in "$`":
                self.expansion()
                continue
            elif character == "\\":
                self.at += 1
            self.at += 1
        raise ShellSyntaxError("an arithmetic expression that does not end")

    def is_arithmetic(self) -> bool:
        """Whether ``$((`` began an arithmetic expression, and then it is passed; else it is a subshell in a substitution."""
        begin = self.at
        try:
            self.arithmetic()
        except ShellSyntaxError:
            self.budget.retries -= 1
            if self.budget.retries < 0:
                raise
            self.at = begin
            return False
        return True
