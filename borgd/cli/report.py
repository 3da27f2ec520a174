"""``borg report``: the page for a week or a month, for a person or a team."""

from __future__ import annotations

from borgd.replay.engine import Replay
from borgd.replay.result import Result


def page_of(replay: Replay, found: Result, title: str) -> str:
    """The page of one replay."""
    raise NotImplementedError
