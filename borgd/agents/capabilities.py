"""What borgd can do in an agent beyond what the table of its events says. Each agent's module has one of these."""

from __future__ import annotations

from typing import NamedTuple


class Capabilities(NamedTuple):
    """``questions``: the tools with which the agent asks its person, seen before they do; empty: they cannot be seen.

    ``prompts_in_file``: no hook may tell of a prompt, so that the one its session file ends with is the work at hand.
    ``gaps``: what cannot be done there, each in a few words a person understands; shown by status and doctor.
    """

    questions: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    prompts_in_file: bool = False
