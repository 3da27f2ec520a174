"""What a row of the command table can say, and how a command line is looked up in it. Pure; knows no command.

A row is a ``Tool``: verbs to any depth (``docker compose ps``) and options that turn one into the other. Rules that hold for
every row: ``--help`` and ``--dry-run`` look; ``--check``, ``--diff`` and ``--list`` look where the row does not say that its
program ignores them; ``--version`` looks where there is no operand (elsewhere it is often the version of something). An
option counts only as an option: not as another one's value, and not behind ``--`` or behind what a command runs.
A verb in no list is unknown: a program's later verbs and its plugins may do anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Any


class Effect(IntEnum):
    """What a call does, from harmless to not; a line does the worst of what is in it."""

    NOTHING = 0
    """Neither looks anything up nor changes anything (cd, echo, true)."""
    READ = 1
    UNKNOWN = 2
    CHANGE = 3


@cache
def words(text: str) -> frozenset[str]:
    """The words of ``text``, as a table is easiest to read and to add to."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Tool:
    """One program, or one verb of it. Texts are words with blanks between; a verb ending in ``*`` is all that begin so."""

    default: Effect = Effect.UNKNOWN
    """With an operand that is in no list."""
    bare: Effect | None = None
    """Without an operand; None: as ``default``."""
    look: str = ""
    change: str = ""
    nothing: str = ""
    unsure: str = ""
    """Verbs known to be undecidable, where a ``*`` of another list would take them in."""
    verbs: Mapping[str, Tool] = field(default_factory=dict)
    """Verbs with verbs or options of their own."""
    values: str = ""
    """Options whose value is the next word; for the verbs below too."""
    dry: str = ""
    """Options with which nothing is changed, whatever else is given."""
    writes: str = ""
    """Options with which something is changed, unless one of ``dry`` is there too."""
    looks: str = ""
    """Options that make a change or something unknown a look."""
    doubts: str = ""
    """Options with which nobody can tell."""
    ignores: str = ""
    """General options that mean nothing here, or something else; for the verbs below too."""
    long_with_one_dash: bool = False
    """Options are spelled ``-check``: no clusters of letters."""
    scan: bool = False
    """Nouns stand before the verb: the first operand in a list decides."""
    runs: int | None = None
    """Operands before a command that is run, which is judged by its own name."""
    behind_dashes: bool = False
    """What is run stands behind ``--``, where that is given."""
    floor: Effect = Effect.NOTHING
    """What it does itself, besides what it runs."""
    as_text: bool = False
    """What is run is handed to a shell as one text."""
    text_of: str = ""
    """Options whose value is a text for a shell."""
    assigns: bool = False
    """Assignments may stand before what is run."""
    sets_from: int | None = None
    """With so many operands it changes, with fewer it looks (``config KEY VALUE``)."""
    beyond: bool = False
    """Options behind ``--`` count too (``cargo fmt -- --check``)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the table says: an effect, in words which row said so, and what is run besides."""

    effect: Effect
    reason: str
    runs_from: int | None = None
    """Where among the arguments the command begins that is run."""
    as_text: bool = False
    texts: tuple[tuple[int, int], ...] = ()
    """Texts for a shell: which argument, and from which character of it on."""
    operands: tuple[str, ...] = ()


def looks(**row: Any) -> Tool:
    """A row that looks unless its options say otherwise."""
    return Tool(**{"default": Effect.READ, **row})


def changes(**row: Any) -> Tool:
    """A row that changes something unless its options say otherwise."""
    return Tool(**{"default": Effect.CHANGE, **row})


def shows_or_sets(**row: Any) -> Tool:
    """A row that shows something where it has no operand and changes it where it has one."""
    return Tool(**{"default": Effect.CHANGE, "bare": Effect.READ, **row})


_TEXT_OPTIONS = words("-m --message --title --body --description")
"""Options whose value is free text wherever they exist; what is in a text is not an option."""
_OFF = words("none false no off 0 never")
_SAYS = {
    Effect.READ: "looks",
    Effect.CHANGE: "changes",
    Effect.NOTHING: "does nothing",
    Effect.UNKNOWN: "cannot be determined",
}


@dataclass(slots=True)
class _Walk:
    """A command line on its way down the table."""

    arguments: Sequence[str]
    path: list[str]
    place: int = 0
    values: set[str] = field(default_factory=set)
    ignores: set[str] = field(default_factory=set)
    options: list[str] = field(default_factory=list)
    texts: list[tuple[int, int]] = field(default_factory=list)
    ended: bool = False
    unlisted: bool = False
    """An option just before the operand whose value, if it takes one, could be that operand."""

    def enter(self, tool: Tool) -> None:
        self.values |= words(tool.values)
        self.ignores |= words(tool.ignores)

    def operand(self, tool: Tool) -> str | None:
        """The next operand; options on the way are kept, their values passed over."""
        self.unlisted = False
        while self.place < len(self.arguments):
            argument = self.arguments[self.place]
            self.place += 1
            if self.ended or not argument.startswith("-") or len(argument) == 1:
                return argument
            if argument == "--":
                self.ended = not tool.beyond
                continue
            self.option(argument, tool)
        return None

    def option(self, argument: str, tool: Tool) -> None:
        """Keep one option; pass over its value where that is the next word."""
        self.options.append(argument)
        texts = words(tool.text_of)
        name, equals, _ = argument.partition("=")
        taken = argument in self.values or argument in texts
        if argument in texts:
            self.texts.append((self.place, 0))
        elif equals and name in texts:
            self.texts.append((self.place - 1, len(name) + 1))
        elif not taken and not tool.long_with_one_dash and not argument.startswith("--") and len(argument) > 2:
            at = next((n for n, one in enumerate(argument[1:], 1) if "-" + one in self.values or "-" + one in texts), 0)
            last = at == len(argument) - 1
            if at and "-" + argument[at] in texts:
                self.texts.append((self.place, 0) if last else (self.place - 1, at + 1))
            taken = at > 0 and last
        self.unlisted = not taken and not equals
        if taken:
            self.place += 1

    def has(self, tool: Tool, wanted: frozenset[str]) -> str:
        """The first given option that is in ``wanted``, or nothing."""
        for option in self.options:
            name, equals, value = option.partition("=")
            if option in wanted or (name in wanted and not (equals and value.lower() in _OFF)):
                return name
            if tool.long_with_one_dash or option.startswith("--"):
                continue
            for letter in option[1:]:
                if "-" + letter in wanted:
                    return "-" + letter
                if "-" + letter in self.values:
                    break
        return ""


def _listed(tool: Tool, verb: str) -> Effect | None:
    for text, effect in (
        (tool.unsure, Effect.UNKNOWN),
        (tool.change, Effect.CHANGE),
        (tool.look, Effect.READ),
        (tool.nothing, Effect.NOTHING),
    ):
        listed = words(text)
        if verb in listed or any(one.endswith("*") and verb.startswith(one[:-1]) for one in listed):
            return effect
    return None


def look_up(name: str, tool: Tool, arguments: Sequence[str]) -> Finding:
    """What ``name`` with ``arguments`` does by its row ``tool``."""
    walk = _Walk(arguments, [name], values=set(_TEXT_OPTIONS - {"-m"}))
    operands: list[str] = []
    while True:
        walk.enter(tool)
        if tool.runs is not None:
            return _runs(tool, walk)
        verb = walk.operand(tool)
        if verb is None:
            effect = tool.default if tool.bare is None else tool.bare
            break
        walk.values.add("-m")  # before the verb it is often a switch
        if verb in tool.verbs:
            walk.path.append(verb)
            tool = tool.verbs[verb]
            continue
        listed = _listed(tool, verb)
        if listed is None and verb == "help" and (tool.look or tool.change or tool.verbs):
            listed = Effect.READ
        while listed is None and tool.scan and verb is not None:
            verb = walk.operand(tool)
            listed = None if verb is None else _listed(tool, verb)
            if listed is None and verb is not None and verb in tool.verbs:
                break
        if listed is None and verb is not None and verb in tool.verbs:
            walk.path.append(verb)
            tool = tool.verbs[verb]
            continue
        if listed is not None and verb is not None:
            walk.path.append(verb)
            if listed < Effect.CHANGE and walk.unlisted and _follows_change(tool, walk):
                listed = Effect.UNKNOWN
        elif verb is not None:
            operands.append(verb)
        effect = tool.default if listed is None else listed
        break
    while (more := walk.operand(tool)) is not None:
        operands.append(more)
    return _decided(tool, walk, effect, operands)


def _follows_change(tool: Tool, walk: _Walk) -> bool:
    """Whether the verb may be an option's value and the word behind it the verb, a change."""
    following = next((one for one in walk.arguments[walk.place :] if not one.startswith("-")), "")
    return _listed(tool, following) is Effect.CHANGE


def _decided(tool: Tool, walk: _Walk, effect: Effect, operands: Sequence[str]) -> Finding:
    row = " ".join(walk.path)
    if tool.sets_from is not None and effect is tool.default:
        effect = Effect.CHANGE if len(operands) >= tool.sets_from else Effect.READ
    texts, given = tuple(walk.texts), tuple(operands)
    about = words("--help -help" if tool.long_with_one_dash else "--help")
    if not operands and len(walk.path) == 1:
        about |= words("--version")
    last_help = bool(walk.options) and walk.options[-1] == "-h" and walk.arguments[-1] == "-h" and "-h" not in walk.values
    if found := walk.has(tool, about - walk.ignores):
        return Finding(Effect.READ, f"{row} {found} only tells", operands=given)
    if last_help and (len(walk.path) > 1 or not operands) and effect is not Effect.READ:
        return Finding(Effect.READ, f"{row} -h only tells", operands=given)
    dry = words(tool.dry) | (words("--dry-run") - walk.ignores if effect is Effect.CHANGE or tool.writes else frozenset())
    if found := walk.has(tool, dry):
        return Finding(Effect.READ, f"{row} {found} only tells what it would do", texts=texts, operands=given)
    if found := walk.has(tool, words(tool.writes)):
        return Finding(Effect.CHANGE, f"{row} {found} changes", texts=texts, operands=given)
    looks = words(tool.looks) | (words("--check --diff --list") - walk.ignores if effect is Effect.CHANGE else frozenset())
    if found := walk.has(tool, looks):
        return Finding(Effect.READ, f"{row} {found} looks", texts=texts, operands=given)
    if found := walk.has(tool, words(tool.doubts)):
        return Finding(Effect.UNKNOWN, f"{row} {found} cannot be determined", texts=texts, operands=given)
    if effect is Effect.UNKNOWN and given and tool.default is Effect.UNKNOWN and (tool.look or tool.change):
        return Finding(effect, f"{row} {given[0]} is not in the table", texts=texts, operands=given)
    return Finding(effect, f"{row} {_SAYS[effect]}", texts=texts, operands=given)


def _runs(tool: Tool, walk: _Walk) -> Finding:
    """Past the operands of a command that runs another."""
    row = " ".join(walk.path)
    arguments = walk.arguments
    if tool.behind_dashes and "--" in arguments[walk.place :]:
        begin = arguments.index("--", walk.place) + 1
        while walk.place < begin - 1:
            walk.operand(tool)
    else:
        left = tool.runs or 0
        begin = len(arguments)
        while (operand := walk.operand(tool)) is not None:
            if tool.assigns and "=" in operand and not operand.startswith("=") and not walk.ended:
                continue
            if left == 0:
                begin = walk.place - 1
                break
            left -= 1
    texts = tuple(walk.texts)
    if walk.has(tool, words("--help --version") - walk.ignores):
        return Finding(Effect.READ, f"{row} only tells")
    if found := walk.has(tool, words(tool.writes)):
        return Finding(Effect.CHANGE, f"{row} {found} changes", texts=texts)
    if found := walk.has(tool, words(tool.looks)):
        return Finding(Effect.READ, f"{row} {found} looks", texts=texts)
    floor, said = tool.floor, f"{row} runs another command"
    if found := walk.has(tool, words(tool.doubts)):
        floor, said = max(floor, Effect.UNKNOWN), f"{row} {found} cannot be determined"
    if begin >= len(arguments):
        if texts:
            return Finding(floor, said, texts=texts)
        effect = tool.default if tool.bare is None else tool.bare
        return Finding(max(effect, floor), f"{row} {_SAYS[effect]}")
    return Finding(floor, said, runs_from=begin, as_text=tool.as_text, texts=texts)
