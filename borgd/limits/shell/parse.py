"""A POSIX shell line with the common bash additions, parsed to the simple commands in it.

Finds every simple command wherever it stands: in pipes and lists, loops and cases, functions, subshells, ``$(…)``,
backticks, process substitutions and here-documents. What decides which of them run (conditions, loops) is not kept: whoever
judges a line judges all of it. Words come out as the shell would pass them, with quotes and escapes gone; what only
running could tell (``$x``, globs, substitutions) stays as written and marks the word ``dynamic``.

Total and bounded: any text ends in commands or a ShellSyntaxError, in time that grows with its length.
Pure; must not know what any command does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from borgd.limits.shell.words import BREAKS, ExpansionBudget, ShellSyntaxError, ShellWord, WordReader

MAX_LINE_CHARS = 65_536
"""guard: longer lines are generated data, not commands to read."""

MAX_COMMANDS = 2_000
"""guard: simple commands in one line."""

_OPERATORS = ("&>>", "<<<", "<<-", "&>", "<<", ">>", ">|", "<>", "<&", ">&", "<(", ">(", "<", ">")
_SKIPPED = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time", "esac", "coproc")
)
_HEADERS = frozenset({"for", "select"})


@dataclass(frozen=True, slots=True)
class Redirect:
    """``operator`` with the file descriptor in front taken off; of here-documents the target is the delimiter."""

    operator: str
    target: ShellWord
    body: list[str] = field(default_factory=list, compare=False)
    """Of a here-document: its text, once it has been read."""


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: assignments, words, redirections. Only redirections: they stand on a group or on nothing."""

    words: tuple[ShellWord, ...]
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """All simple commands of a text and the names of the functions it defines."""

    commands: tuple[Command, ...]
    functions: frozenset[str]


@dataclass(slots=True)
class _Simple:
    """The simple command being read."""

    words: list[ShellWord] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    assignments: list[str] = field(default_factory=list)
    header: bool = False


@dataclass(slots=True)
class _Case:
    """An open ``case``: still before ``in``, in a pattern, or in a clause."""

    state: str = "subject"


def parse(text: str) -> Script:
    """The simple commands in ``text``.

    :raises ShellSyntaxError: an open quote or parenthesis, or one of the bounds.
    """
    if len(text) > MAX_LINE_CHARS:
        raise ShellSyntaxError(f"a command of {len(text)} characters; at most {MAX_LINE_CHARS} are read")
    found = _Found()
    _Reader(text, 0, found).read("")
    return Script(tuple(found.commands), frozenset(found.functions))


@dataclass(slots=True)
class _Found:
    """What the readers of one text and of the texts inside it share."""

    commands: list[Command] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    budget: ExpansionBudget = field(default_factory=ExpansionBudget)


def _is_name(text: str) -> bool:
    """Whether a variable can be called ``text`` (``+=`` adds to one)."""
    bare = text.removesuffix("+").partition("[")[0]
    return bare.replace("_", "a").isalnum() and not bare[0].isdigit()


class _Reader(WordReader):
    """A place in a text, and the commands from there on."""

    def __init__(self, text: str, depth: int, found: _Found) -> None:
        super().__init__(text, depth, found.budget)
        self.found = found
        self.pending: list[tuple[Redirect, bool]] = []

    def inner(self, text: str) -> None:
        """Read the commands in ``text``, which stands inside this one."""
        with self.deeper():
            _Reader(text, self.depth, self.found).read("")

    # lists of commands

    def read(self, until: str) -> None:
        """Read to ``until`` (``)`` or the end of the text) and collect the commands on the way."""
        simple, cases = _Simple(), [_Case("none")]
        while self.more():
            character = self.text[self.at]
            if character == "\n":
                self.at += 1
                simple = self.end(simple, cases)
                self.bodies()
            elif character in "<>" or self.text.startswith("&>", self.at):
                self.redirect(simple)
            elif character in ";&|":
                simple = self.separator(simple, cases)
            elif character == "(":
                simple = self.parenthesis(simple, cases)
            elif character == ")":
                self.at += 1
                if cases[-1].state == "pattern":
                    simple, cases[-1].state = _Simple(), "clause"
                    continue
                if until != ")":
                    raise ShellSyntaxError("a closing parenthesis without an opening one")
                until = ""
                break
            else:
                self.argument(simple, cases)
        if until:
            raise ShellSyntaxError("a parenthesis or substitution that does not end")
        self.end(simple, cases)
        self.bodies()

    def more(self) -> bool:
        """Whether anything comes after blanks, joined lines and a comment, which are passed over."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                self.at = self.find("\n", self.at)
            else:
                return True
        return False

    def nested(self) -> None:
        """A list inside this text, from here to its closing parenthesis."""
        with self.deeper():
            pending, self.pending = self.pending, []
            self.read(")")
            self.pending = pending

    def end(self, simple: _Simple, cases: list[_Case]) -> _Simple:
        """Close ``simple``; what was only a loop's header or a pattern is not a command."""
        if cases[-1].state == "pattern":
            return _Simple()
        if (simple.words or simple.redirects or simple.assignments) and not simple.header:
            if len(self.found.commands) >= MAX_COMMANDS:
                raise ShellSyntaxError(f"more than {MAX_COMMANDS} commands")
            self.found.commands.append(Command(tuple(simple.words), tuple(simple.redirects), tuple(simple.assignments)))
        return _Simple()

    def separator(self, simple: _Simple, cases: list[_Case]) -> _Simple:
        if self.text.startswith(";;", self.at) or self.text.startswith(";&", self.at):
            self.at += 2
            simple = self.end(simple, cases)
            if cases[-1].state == "clause":
                cases[-1].state = "pattern"
            return simple
        self.at += 1
        return simple if cases[-1].state == "pattern" else self.end(simple, cases)

    def parenthesis(self, simple: _Simple, cases: list[_Case]) -> _Simple:
        if cases[-1].state == "pattern":
            self.at += 1
            return simple
        if self.text.startswith("((", self.at) and not simple.words:
            self.arithmetic()
            return simple
        self.at += 1
        if simple.words:  # name() { …; }
            if len(simple.words) != 1 or not self.text[self.at :].lstrip(" \t").startswith(")"):
                raise ShellSyntaxError("a parenthesis in the middle of a command")
            self.found.functions.add(simple.words[0].text)
            self.at = self.find(")", self.at) + 1
            return _Simple()
        if simple.assignments and simple.assignments[-1].endswith("="):
            self.array()
            return simple
        self.nested()
        return _Simple(redirects=simple.redirects)

    def array(self) -> None:
        """The words of ``name=(…)``; only what they substitute can do something."""
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] in " \t\r\n":
                self.at += 1
            elif self.text[self.at] in BREAKS:
                raise ShellSyntaxError("an operator inside an array")
            else:
                self.word()
        if self.at >= len(self.text):
            raise ShellSyntaxError("an array that does not end")
        self.at += 1

    def argument(self, simple: _Simple, cases: list[_Case]) -> None:
        word = self.word()
        case = cases[-1]
        if case.state == "subject":
            if word.text == "in" and not word.quoted:
                case.state = "pattern"
            return
        if case.state == "pattern":
            if word.text == "esac" and not word.quoted:
                cases.pop()
            return
        if simple.header or simple.words:
            simple.words.append(word)
        else:
            self.first(word, simple, cases)

    def first(self, word: ShellWord, simple: _Simple, cases: list[_Case]) -> None:
        """A word where a command's name, a keyword or an assignment can stand."""
        keyword = "" if word.quoted or word.dynamic else word.text
        name, equals, _ = word.text.partition("=")
        if keyword == "case":
            cases.append(_Case())
        elif keyword == "esac" and len(cases) > 1:
            cases.pop()
        elif keyword in _HEADERS:
            simple.header = True
        elif keyword == "function":
            self.blanks()
            self.found.functions.add(self.word().text)
        elif keyword == "[[":
            self.test()
            simple.words.append(ShellWord("[["))
        elif equals and len(name) < word.lead and _is_name(name):
            simple.assignments.append(word.text)
        elif keyword not in _SKIPPED:
            simple.words.append(word)

    def test(self) -> None:
        """The words of ``[[ … ]]``, where < > ( ) && || are not operators of the shell."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r\n()&|<>;":
                self.at += 1
            elif self.word().text == "]]":
                return
        raise ShellSyntaxError("[[ without ]]")

    # redirections and here-documents

    def redirect(self, simple: _Simple) -> None:
        operator = next(operator for operator in _OPERATORS if self.text.startswith(operator, self.at))
        if operator in ("<(", ">("):
            simple.words.append(self.word())
            return
        before = self.text[self.at - 1] if self.at else " "
        if before.isdigit() and simple.words and simple.words[-1].text.isdigit() and not simple.words[-1].quoted:
            simple.words.pop()
        self.at += len(operator)
        self.blanks()
        if self.at >= len(self.text) or (self.text[self.at] in BREAKS and not self.text.startswith(("<(", ">("), self.at)):
            raise ShellSyntaxError(f"{operator} without a target")
        redirect = Redirect(operator, self.word())
        if operator in ("<<", "<<-"):
            self.pending.append((redirect, operator == "<<-"))
        simple.redirects.append(redirect)

    def bodies(self) -> None:
        """The here-documents that begin after this line."""
        for redirect, tabs in self.pending:
            delimiter = redirect.target
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.find("\n", self.at)
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if tabs else line) == delimiter.text:
                    break
                lines.append(line)
            redirect.body.append("\n".join(lines))
            if not delimiter.quoted:
                with self.deeper():
                    _Reader("\n".join(lines), self.depth, self.found).quoted_text("")
        self.pending = []
