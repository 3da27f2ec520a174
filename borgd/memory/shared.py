"""An outcome as a team sees it: session, repository and ids hashed under the team's salt, its evidence left at home."""

from __future__ import annotations

import msgspec

from borgd.lessons.team import hashed
from borgd.memory.records import Outcome

EVIDENCE = "judged on another machine"
"""design: evidence may name files and say words; it stays where it was seen."""


def anonymous(outcome: Outcome, salt: str) -> Outcome:
    """``outcome`` with session, repository, decision and id hashed; what memory counts of it is unchanged.

    One engineer's own outcomes are counted in this form too, so that every machine of a team counts the same sessions.
    """
    return msgspec.structs.replace(
        outcome,
        id=hashed(salt, "outcome", outcome.id),
        session=hashed(salt, "session", f"{outcome.agent}\0{outcome.session}") if outcome.session else "",
        repo=hashed(salt, "repo", outcome.repo),
        decision=hashed(salt, "decision", outcome.decision),
        evidence=EVIDENCE,
        machine="",
    )
