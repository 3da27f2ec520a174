"""Which limits an investigation gets: by what it is, where it is, who investigates. A repository's own word only tightens.

Order: the built-in profile of its kind, the person's profile of that kind, of the repository, of the coding agent, of the
type of subagent; then what the repository's own file says, where that is stricter. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec

from borgd.config.schema import InvestigationConfig, ProfileConfig, RepositoryInvestigationConfig
from borgd.limits.investigation.budget import BUDGETS, Limits

Mode = Literal["enforce", "warn", "off"]
Kind = Literal["main", "subagent", "explicit"]

_STRICTNESS: Mapping[str, int] = {"off": 0, "warn": 1, "enforce": 2}


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The limits, and what happens when one is spent."""

    mode: Mode = "enforce"
    limits: Limits = Limits()
    sources: dict[str, str] = {}
    """By budget (and ``mode``): the setting or file it comes from, where it is not borgd's own default."""

    @property
    def hash(self) -> str:
        """What a verdict's line in the trail names as decided by: mode and limits, wherever they were set."""
        return sha256(msgspec.json.encode({"mode": self.mode, "limits": self.limits})).hexdigest()

    def source(self, budget: str) -> str:
        """Where ``budget`` was set, in words."""
        return self.sources.get(budget) or self.sources.get("mode") or "borgd's default for this kind of investigation"


MAIN = Profile(
    mode="warn",
    limits=Limits(
        max_iterations=150,
        max_retrieval_calls=400,
        max_subqueries=32,
        max_evidence_documents=800,
        max_graph_expansions=200,
        max_wall_time_seconds=3600.0,
    ),
)
"""design: what careful reading before a first change takes, its subagents' too; past it a session is told, not stopped."""

SUBAGENT = Profile(
    mode="warn",
    limits=Limits(
        max_iterations=80,
        max_retrieval_calls=200,
        max_subqueries=16,
        max_evidence_documents=400,
        max_graph_expansions=100,
        max_wall_time_seconds=1200.0,
    ),
)
"""design: four times what the longest of five recorded read-only subagents used (48 calls, 17 turns, 142 s); told only."""

BUILT_IN: Mapping[Kind, Profile] = {"main": MAIN, "subagent": SUBAGENT, "explicit": Profile()}
"""The numbers of ``Limits`` hold where a person opened an investigation by name; for all else these, which only tell."""


def refine(profile: Profile, said: ProfileConfig, source: str = "") -> Profile:
    """``profile`` with everything that ``said`` says; ``source`` is the setting's name."""
    changes: dict[str, Any] = {}
    sources = dict(profile.sources)
    for budget in BUDGETS:
        value = getattr(said, budget)
        if value is not msgspec.UNSET:
            changes[budget] = None if value == "none" else value
            sources[budget] = source
    mode: Mode = profile.mode if said.mode is msgspec.UNSET else said.mode
    if said.mode is not msgspec.UNSET:
        sources["mode"] = source
    return Profile(mode=mode, limits=msgspec.structs.replace(profile.limits, **changes), sources=sources)


def tighten(profile: Profile, said: ProfileConfig, source: str = "", least: ProfileConfig | None = None) -> Profile:
    """``profile`` with what is stricter in ``said``: a lower limit, a limit where there was none, a stricter mode.

    Whatever ``said`` holds, nothing the result allows was denied by ``profile``, and no limit falls below ``least`` (a
    person's own profile of the least that repositories may set), nor is the mode stricter than its.
    """
    changes: dict[str, Any] = {}
    sources = dict(profile.sources)
    for budget in BUDGETS:
        value, limit = getattr(said, budget), profile.limits.of(budget)
        bound = msgspec.UNSET if least is None else getattr(least, budget)
        if value is msgspec.UNSET or value == "none" or bound == "none":
            continue
        value = value if bound is msgspec.UNSET else max(value, bound)
        if limit is None or value < limit:
            changes[budget] = value
            sources[budget] = source
    mode = profile.mode
    told: Any = said.mode
    if told is not msgspec.UNSET and least is not None and least.mode is not msgspec.UNSET:
        told = min(told, least.mode, key=_STRICTNESS.__getitem__)
    if told is not msgspec.UNSET and _STRICTNESS[told] > _STRICTNESS[mode]:
        mode = told
        sources["mode"] = source
    return Profile(mode=mode, limits=msgspec.structs.replace(profile.limits, **changes), sources=sources)


def kind_of(config: InvestigationConfig, subagent: str, subagent_type: str) -> Kind:
    """The kind of an investigation nobody named: a read-only subagent's, or a session's own."""
    return "subagent" if subagent and subagent_type in config.read_only else "main"


def profile_for(
    config: InvestigationConfig,
    kind: Kind,
    *,
    repository: str = "",
    agent: str = "",
    subagent_type: str = "",
    own: RepositoryInvestigationConfig | None = None,
    own_file: str = "the repository's .borgd.toml",
) -> Profile:
    """The profile of an investigation.

    :param repository: ``owner/name``, empty where there is none.
    :param own: what the repository's own file says, where a person allowed it; ``own_file`` names that file.
    """
    profile = refine(BUILT_IN[kind], getattr(config, kind), f"[investigation.{kind}] in config.toml")
    if repository in config.repositories:
        source = f'[investigation.repositories."{repository}"] in config.toml'
        profile = refine(profile, config.repositories[repository], source)
    for name in (agent, subagent_type):
        if name and name in config.agents:
            profile = refine(profile, config.agents[name], f"[investigation.agents.{name}] in config.toml")
    if own is not None:
        profile = tighten(profile, getattr(own, kind), own_file, config.least)
        for name in (agent, subagent_type):
            if name and name in own.agents:
                profile = tighten(profile, own.agents[name], own_file, config.least)
    return profile
