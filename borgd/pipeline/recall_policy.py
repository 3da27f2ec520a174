"""Recall's policy as the configuration sets it; apart from the daemon's parts, so that ``borg recall`` starts sooner."""

from __future__ import annotations

from borgd.config.schema import Config
from borgd.recall.evidence import MATCH_FLOOR
from borgd.recall.policy import Policy


def policy_of(config: Config) -> Policy:
    """The policy of recall under this configuration."""
    floor = MATCH_FLOOR if config.recall.floor is None else config.recall.floor
    return Policy(holdout=config.recall.holdout, ask_cap=config.recall.ask_cap, match_floor=floor)
