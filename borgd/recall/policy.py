"""Every constant of recall's choice, by name, so that a choice can be replayed under other numbers.

A value. The constants are those of the design's tables; what each may be changed to is checked here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from borgd.config.schema import Config
from borgd.errors import UsageError
from borgd.memory.memory import MemoryRule
from borgd.recall.evidence import MATCH_FLOOR

BLOCK = 0.8
"""baseline: a Stop blocks only for a lesson scoring at least this share of the store's best match."""
LOW = 0.3
"""baseline: once it blocks, every lesson over this share of the best is asked."""
STRONG = 0.8
"""design: a dormant lesson needs at least this share of the best match."""
RELATIVE = 0.5
"""baseline: an early delivery takes lessons of at least this share of the best on topic."""
CAP = 10
"""baseline: lessons per Stop block or free hand-over."""
EARLY_CAP = 5
"""baseline: lessons per early delivery."""
GENERIC_CAP = 3
"""baseline: unscoped lessons per Stop block."""
HOLDOUT = 0.2
"""design: probability that a lesson which won a slot at a session's first contact with it is withheld, where no rule
says."""
RANKING = 3
"""host: goes up with every release that ranks differently; occasions of different releases are different strata."""
EARLY_CHARS = 2000
"""guard: characters of an early delivery or a free hand-over."""
EARLY_QUESTION_CHARS = 240
"""design: of a question in an early delivery's line."""
EARLY_CONSEQUENCE_CHARS = 160
"""design: of its consequence."""
EARLY_OVERRIDES_CHARS = 80
"""design: of the rule it replaces."""
STOP_QUESTION_CHARS = 360
"""design: of a question in a Stop block; CAP of them with all their parts stay within HOST_CHARS."""
STOP_CONSEQUENCE_CHARS = 220
"""design: of its consequence there."""
HOST_CHARS = 9000
"""host: characters of a Stop block; agents cut a hook's output at 10,000."""
DOUBTED_SHARE = 0.05
"""design: of the sessions, those in which a doubted lesson may still come, so that it can prove itself."""
P_DRAWS = 512
"""method: draws behind a propensity that has no closed form."""


Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


Level = Literal["quiet", "normal", "eager"]

LEVELS: dict[Level, float] = {"quiet": 2.0, "normal": 1.0, "eager": 0.5}
"""design: what a level multiplies every cost by."""
LINE_COST = 0.12
"""tuned: borg debug loop --later rich --cross-fit --curve; of a line beside an edit, in repeated corrections: some 60
tokens and a glance."""
PROMPT_COST = 0.25
"""tuned: the same; of a line with a prompt, before any code is there: the edit will tell more, and comes soon enough."""
BLOCK_COST = 0.55
"""tuned: the same; of a block at Stop, which costs the person a turn."""
LINE_CAP = 3
"""design: lines with one prompt or edit."""
SESSION_LINES = 12
"""guard: lines that a session is handed in all."""
SESSION_LINE_CHARS = 6000
"""guard: characters of them."""


class RecallPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """One way to choose. ``ask_cap`` None: no cap of the user's own. ``explore`` False: belief means instead of draws."""

    name: str = ""
    """What decisions are logged under; empty: the rule that decided (``budget``, ``widen``, ``graded``)."""
    version: int = 1
    rule: Literal["cost", "budget"] = "cost"
    """How a line or a block is decided: by what it costs (``by_cost``), or by scores relative to the best, as the
    baseline does."""
    level: Level = "normal"
    line_cost: Share = LINE_COST
    prompt_cost: Share = PROMPT_COST
    block_cost: Share = BLOCK_COST
    line_cap: Count = LINE_CAP
    session_lines: Count = SESSION_LINES
    session_line_chars: Count = SESSION_LINE_CHARS
    grader_rule: Literal["graded", "widen"] = "graded"
    """How a Stop decides where a grader answered: by its grades, or by its picks and what scores beside them."""
    block: Share = BLOCK
    low: Share = LOW
    strong: Share = STRONG
    relative: Share = RELATIVE
    cap: Count = CAP
    early_cap: Count = EARLY_CAP
    generic_cap: Count = GENERIC_CAP
    ask_cap: Count | None = None
    match_floor: Share = MATCH_FLOOR
    holdout: Share = HOLDOUT
    explore: bool = True
    doubted_share: Share = DOUBTED_SHARE
    early_chars: Count = EARLY_CHARS
    early_question_chars: Count = EARLY_QUESTION_CHARS
    early_consequence_chars: Count = EARLY_CONSEQUENCE_CHARS
    early_overrides_chars: Count = EARLY_OVERRIDES_CHARS
    stop_question_chars: Count = STOP_QUESTION_CHARS
    stop_consequence_chars: Count = STOP_CONSEQUENCE_CHARS
    host_chars: Count = HOST_CHARS
    p_draws: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = P_DRAWS
    memory: MemoryRule = MemoryRule()

    def cost(self, of: float) -> float:
        """A channel's cost at this policy's level."""
        return min(1.0, of * LEVELS[self.level])


def names(value: msgspec.Struct | None = None, prefix: str = "") -> dict[str, object]:
    """Every constant of a policy by its dotted name (``relative``, ``belief.ignored``, ``activation.decay``)."""
    found: dict[str, object] = {}
    struct = RecallPolicy() if value is None else value
    for field in msgspec.structs.fields(struct):
        part = getattr(struct, field.name)
        if isinstance(part, msgspec.Struct):
            inner = "" if field.name == "memory" else f"{field.name}."
            found |= names(part, prefix + inner)
        else:
            found[prefix + field.name] = part
    return found


def changed(policy: RecallPolicy, settings: Mapping[str, object]) -> RecallPolicy:
    """``policy`` with constants replaced, by the names of ``names``; case does not matter.

    :raises UsageError: no such constant, or a value it cannot have.
    """
    for name, value in settings.items():
        known = name.casefold()
        if known not in names():
            raise UsageError(f"{name} is not a constant of recall; known: {', '.join(sorted(names()))}")
        path = known.split(".")
        where = ["memory", *path] if len(path) > 1 else path
        tree = msgspec.to_builtins(policy)
        branch = tree
        for step in where[:-1]:
            branch = branch[step]
        branch[where[-1]] = _plain(value)
        try:
            policy = msgspec.convert(tree, RecallPolicy, strict=not isinstance(value, str))
        except msgspec.ValidationError as error:
            raise UsageError(f"{name}={value}: {error}") from None
    return policy


def _plain(value: object) -> object:
    """A number as it is usually written: ``.7`` is 0.7 and ``5.`` is 5.0."""
    short = isinstance(value, str) and re.fullmatch(r"[+-]?(\.\d+|\d+\.)", value.strip())
    return str(float(str(value))) if short else value


def policy_of(config: Config) -> RecallPolicy:
    """The policy of recall under this configuration."""
    floor = MATCH_FLOOR if config.recall.floor is None else config.recall.floor
    holdout = HOLDOUT if config.recall.holdout is None else config.recall.holdout
    return RecallPolicy(
        holdout=holdout,
        ask_cap=config.recall.ask_cap,
        match_floor=floor,
        rule=config.recall.policy,
        level=config.recall.level,
    )
