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

    @property
    def hash(self) -> str:
        """What a verdict's line in the trail names as decided by."""
        return sha256(msgspec.json.encode(self)).hexdigest()


MAIN = Profile(
    mode="warn",
    limits=Limits(
        max_iterations=30,
        max_retrieval_calls=60,
        max_subqueries=16,
        max_evidence_documents=200,
        max_graph_expansions=40,
        max_wall_time_seconds=900.0,
    ),
)
"""design: what careful reading before a first change takes; past it a session is told, not stopped."""

BUILT_IN: Mapping[Kind, Profile] = {"main": MAIN, "subagent": Profile(), "explicit": Profile()}


def refine(profile: Profile, said: ProfileConfig) -> Profile:
    """``profile`` with everything that ``said`` says."""
    changes: dict[str, Any] = {}
    for budget in BUDGETS:
        value = getattr(said, budget)
        if value is not msgspec.UNSET:
            changes[budget] = None if value == "none" else value
    mode: Mode = profile.mode if said.mode is msgspec.UNSET else said.mode
    return Profile(mode=mode, limits=msgspec.structs.replace(profile.limits, **changes))


def tighten(profile: Profile, said: ProfileConfig) -> Profile:
    """``profile`` with what is stricter in ``said``: a lower limit, a limit where there was none, a stricter mode.

    Whatever ``said`` holds, nothing the result allows was denied by ``profile``.
    """
    changes: dict[str, Any] = {}
    for budget in BUDGETS:
        value, limit = getattr(said, budget), profile.limits.of(budget)
        if value is not msgspec.UNSET and value != "none" and (limit is None or value < limit):
            changes[budget] = value
    mode = profile.mode
    if said.mode is not msgspec.UNSET and _STRICTNESS[said.mode] > _STRICTNESS[mode]:
        mode = said.mode
    return Profile(mode=mode, limits=msgspec.structs.replace(profile.limits, **changes))


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
) -> Profile:
    """The profile of an investigation.

    :param repository: ``owner/name``, empty where there is none.
    :param own: what the repository's own file says.
    """
    profile = refine(BUILT_IN[kind], getattr(config, kind))
    if repository in config.repositories:
        profile = refine(profile, config.repositories[repository])
    for name in (agent, subagent_type):
        if name and name in config.agents:
            profile = refine(profile, config.agents[name])
    if own is not None:
        profile = tighten(profile, getattr(own, kind))
        for name in (agent, subagent_type):
            if name and name in own.agents:
                profile = tighten(profile, own.agents[name])
    return profile
