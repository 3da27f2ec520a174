"""config.toml as Structs: every setting, its default, its range. A repository's .borgd.toml may only tighten.

Must not read anything but the bytes it is given. An unknown key is an error that names it: a misspelt limit is not a limit.
"""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, TypeVar

import msgspec

from borgd.errors import ConfigError

Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class DaemonConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[daemon]"""

    idle_exit_s: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0
    """Seconds without a request after which the daemon ends; 0: never."""
    session_idle_s: Annotated[float, msgspec.Meta(gt=0.0)] = 24 * 3600.0
    """Seconds without an event after which a session counts as over."""


class RecallConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[recall]"""

    holdout: Probability | None = None
    """Share of first contacts at which a lesson is withheld, to measure what it does; 0: none, None: by the rule, lesson by
    lesson, about .2 for a young one and less for one that is known to help."""
    never_withheld: tuple[str, ...] = ()
    """Ids of lessons that are never withheld."""
    floor: float | None = None
    """The evidence below which no lesson comes under ``policy = "budget"``; not set: the tuned one."""
    policy: Literal["cost", "budget"] = "cost"
    """How it is decided what to tell: by what telling costs, or by the older rules, relative to the best match."""
    level: Literal["quiet", "normal", "eager"] = "normal"
    """How readily lessons are told: quiet doubles what a line or a block is taken to cost, eager halves it."""
    grader: tuple[str, ...] = ()
    """A command that reads JSON and answers grades; empty: none."""
    ask_cap: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Most lessons in one Stop block; not set: 10."""


class CaptureConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[capture]"""

    patterns: tuple[str, ...] = ()
    """Regular expressions of the user's own that mark a prompt as a correction."""
    propose: bool = True
    """Tell the agent, once per correction, that it may propose a lesson."""


class PeopleConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[people]"""

    engineer: str = ""
    """This person's name in lessons and outcomes; empty: git's user.name, else the login name."""
    aliases: dict[str, str] = {}
    """Another spelling -> the canonical name."""
    machines: tuple[str, ...] = ()
    """This person's other machines, as the team's files name them (``laptop`` or ``ada@laptop``): theirs count as own."""


class TeamConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[team]"""

    directory: str = ""
    """The directory that a file sync carries; empty: no team. borg team join writes it."""
    scopes: tuple[str, ...] = ()
    """Names of systems in teammates' lessons that count though no session worked there; borg team join asks and adds."""


class UiConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[ui]"""

    greet: bool = True
    """At a session's start, at most once a day, one line tells the person what borgd did last time."""


class ScopeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[interrupts.scopes."a/b"]"""

    weight: Decimal = Decimal(1)
    """Scales this scope's own ceiling (or the root's, where it has none); above 0."""
    ceiling: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Asks per window; 0: never; None: the root's."""


class ExclusionConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[[interrupts.exclusions]]"""

    source: str
    """Who may not ask: an agent, or agent/type of subagent."""
    tier: Literal["permanent", "transient"] = "permanent"
    """permanent, or transient until ``expires``."""
    cause: str = "configured"
    """Why; lifting one cause leaves the others."""
    expires: datetime | None = None
    """For the transient tier: when it ends, with an offset (2026-07-01T18:00:00+02:00); None: until it is taken out."""


class InterruptsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[interrupts]"""

    daily_interrupt_budget: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 3
    """The root's ceiling: ordinary asks per window."""
    base: Decimal = Decimal("0.5")
    """The confidence an ask needs while nothing is spent, 0 to 1."""
    cap: Decimal = Decimal("0.95")
    """The confidence it needs when the ceiling is reached, 0 to 1."""
    high_stakes_threshold: Decimal = Decimal("0.9")
    """Stakes from which an ask passes whatever was spent, 0 to 1."""
    bar: Literal["linear", "timed"] = "linear"
    """How the needed confidence rises: with what is spent, or with what is spent ahead of the time of day."""
    window: Literal["day", "rolling"] = "day"
    """A calendar day in ``time_zone``, or the last 24 hours."""
    time_zone: str = ""
    """The owner's IANA zone; empty: the machine's."""
    hard_cap: bool = False
    """Nothing is admitted past a spent ceiling, high stakes included."""
    strict_scopes: bool = False
    """An ask from a scope that is not configured is deferred."""
    attended: Literal["count", "meter"] = "count"
    """Questions while a person is there. count: counted, never deferred; meter: the budget decides."""
    attended_s: Annotated[float, msgspec.Meta(ge=0.0, le=1e9)] = 600.0
    """Seconds after a person's prompt for which they are taken to be there."""
    plan: Literal["count", "meter"] = "count"
    """Plans to approve. count: counted, never deferred; meter: the budget decides, whether or not a person is there."""
    permission: Literal["count", "meter"] = "count"
    """Permissions that the agent's host asks for; as ``plan``."""
    scopes: dict[str, ScopeConfig] = {}
    """Ceilings and weights by scope path."""
    exclusions: tuple[ExclusionConfig, ...] = ()
    """Sources that may not ask at all."""
    paths: dict[str, str] = {}
    """A repository (owner/name) or a default scope path -> the scope path that is charged instead."""


class InboxConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[inbox]"""

    expiry_hours: Annotated[float, msgspec.Meta(gt=0.0, le=8760.0)] = 72.0
    """Hours after which an ask that nobody answered expires."""
    digest_hours: tuple[Annotated[int, msgspec.Meta(ge=0, le=23)], ...] = (9, 13, 17)
    """Local hours at which one notification sums up what waits; empty: none."""
    notify: bool = True
    """Use the desktop's notification service where there is one."""


class EffortConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[effort]"""

    models: tuple[str, ...] = ("haiku", "sonnet", "opus")
    """Cheapest to dearest; a model belongs to the level whose word its name holds."""
    model_ceiling: str = ""
    """The dearest model a spawned agent may ask for; empty: no ceiling."""
    efforts: tuple[str, ...] = ("low", "medium", "high")
    """Least to most."""
    effort_ceiling: str = ""
    """The most effort a spawned agent may ask for; empty: no ceiling."""


Count = Annotated[int, msgspec.Meta(ge=0)] | Literal["none"] | msgspec.UnsetType
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e9)] | Literal["none"] | msgspec.UnsetType


class ProfileConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[investigation.main], [investigation.explicit], …: what is not said here is as in the profile this one refines.

    ``"none"`` takes a limit away; 0 allows nothing.
    """

    mode: Literal["enforce", "warn", "off"] | msgspec.UnsetType = msgspec.UNSET
    """enforce: the call is denied; warn: it is said and nothing is denied; off: not counted."""
    max_iterations: Count = msgspec.UNSET
    """Turns of the assistant."""
    max_retrieval_calls: Count = msgspec.UNSET
    """Reads, searches, fetches."""
    max_subqueries: Count = msgspec.UNSET
    """Agents spawned."""
    max_evidence_documents: Count = msgspec.UNSET
    """Documents read."""
    max_graph_expansions: Count = msgspec.UNSET
    """Look-ups of symbols, references, callers."""
    max_wall_time_seconds: Seconds = msgspec.UNSET
    """Seconds since it began."""
    max_context_tokens: Count = msgspec.UNSET
    """Tokens of context, where the agent reports them."""
    max_model_tokens: Count = msgspec.UNSET
    """Tokens written, where the agent reports them."""


class InvestigationConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[investigation]"""

    main: ProfileConfig = ProfileConfig()
    """A session's own reading, from a prompt to the first change."""
    subagent: ProfileConfig = ProfileConfig()
    """A read-only subagent."""
    explicit: ProfileConfig = ProfileConfig()
    """One that was opened with borg investigate start."""
    runaway: Literal["stop", "warn", "off"] = "stop"
    """A loop of identical reads, or hundreds of reads without a change: stopped, only told, or neither."""
    read_only: tuple[str, ...] = ("Explore", "Plan", "explore", "plan", "codebase_investigator")
    """Types of subagents that only read; others go by ``main``."""
    agents: dict[str, ProfileConfig] = {}
    """By coding agent (claude-code) or type of subagent (Explore); goes before what is said for the repository."""
    repositories: dict[str, ProfileConfig] = {}
    """By owner/name."""
    least: ProfileConfig = ProfileConfig()
    """What no repository's .borgd.toml goes below, in limits and in mode, however tight it would be."""


class EscalationConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[escalation]"""

    specialists: tuple[str, ...] = ()
    """Patterns (``opus*``, ``security-*``) of models and types of subagents that need a verdict; empty: none is gated."""
    hard: tuple[str, ...] = ()
    """Patterns of specialists whose problems count as hard whether or not the caller says so."""
    token_ceiling: Annotated[int, msgspec.Meta(ge=0, lt=10**18)] = 2_000_000
    """Tokens that specialists may use in a day."""
    soft_fraction: Decimal = Decimal("0.5")
    """The part of the ceiling under which no further reason is needed; exact, from 0 up."""
    min_local_iterations: Annotated[int, msgspec.Meta(ge=0, lt=10**9)] = 2
    """Turns of its own that the cheap model must have tried."""
    floor: str = ""
    """A policy file that no other may be looser than; empty: the shipped one."""

    def __post_init__(self) -> None:
        if not self.soft_fraction.is_finite() or not 0 <= self.soft_fraction <= 1000:
            raise ValueError("soft_fraction: expected a number from 0 to 1000")


class RepositoryInvestigationConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[investigation] of a repository's .borgd.toml: can only tighten."""

    main: ProfileConfig = ProfileConfig()
    """A session's own reading."""
    subagent: ProfileConfig = ProfileConfig()
    """A read-only subagent."""
    explicit: ProfileConfig = ProfileConfig()
    """One opened with borg investigate start."""
    agents: dict[str, ProfileConfig] = {}
    """By coding agent or type of subagent."""


class RepositoryConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A repository's .borgd.toml: untrusted, so nothing in it can loosen anything."""

    investigation: RepositoryInvestigationConfig = RepositoryInvestigationConfig()
    """Tighter limits for this repository."""
    off: bool = False
    """No lesson is recalled and no hint given in this repository; limits stay. Counts without being allowed."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of config.toml."""

    daemon: DaemonConfig = DaemonConfig()
    recall: RecallConfig = RecallConfig()
    capture: CaptureConfig = CaptureConfig()
    people: PeopleConfig = PeopleConfig()
    team: TeamConfig = TeamConfig()
    ui: UiConfig = UiConfig()
    interrupts: InterruptsConfig = InterruptsConfig()
    inbox: InboxConfig = InboxConfig()
    effort: EffortConfig = EffortConfig()
    investigation: InvestigationConfig = InvestigationConfig()
    escalation: EscalationConfig = EscalationConfig()


T = TypeVar("T")


def decode(data: bytes, kind: type[T], source: str) -> T:
    """TOML in ``data`` as a ``kind``.

    :param source: the file's name for the error.
    :raises ConfigError: no TOML, an unknown key, a value out of range; names file, field and what was expected.
    """
    try:
        text = data.decode("utf-8-sig")
        table = tomllib.loads(text, parse_float=Decimal)  # budgets are exact: 0.1 is a tenth
    except UnicodeDecodeError:
        raise ConfigError(source, "expected UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).partition(" (at line ")
        line = place.partition(",")[0]
        raise ConfigError(source, f"expected TOML: {problem}", line=int(line) if line.isdigit() else None) from None
    except RecursionError:
        raise ConfigError(source, "expected TOML: brackets are nested too deeply") from None
    except (ValueError, ArithmeticError):
        raise ConfigError(source, "expected TOML: a number has more digits than can be read") from None
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        names = [*filter(None, path.rstrip("`").replace("[...]", "[…]").split(".")), *_UNKNOWN.findall(problem)]
        if _UNKNOWN.match(problem):
            problem = "there is no such setting"
        raise ConfigError(source, problem, line=_line_of(names, text), field=".".join(names) or None) from None


_UNKNOWN = re.compile("Object contains unknown field `(.*)`")


def _line_of(names: list[str], text: str) -> int | None:
    """The 1-based line that sets the last of ``names``; None where there is not exactly one such line."""
    name = re.escape(names[-1]) if names else ""
    sets = re.compile(rf"""\s*(?:\[+(?:[^\]]*\.)?["']?{name}["']?\]|["']?{name}["']?\s*[.=])""")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if name and sets.match(line)]
    return lines[0] if len(lines) == 1 else None


def load(data: bytes | None, source: str = "config.toml") -> Config:
    """The configuration in ``data``; all defaults where there is no file (None)."""
    return Config() if data is None else decode(data, Config, source)
