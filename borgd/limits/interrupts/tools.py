"""An agent's question tools as asks: AskUserQuestion (one to four questions in one call) and ExitPlanMode (a plan). Pure.

Tool input is untrusted: what has another shape than expected is left out, never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.limits.interrupts.verdict import Ask, AskOption

QUESTION_TOOLS = frozenset({"AskUserQuestion", "request_user_input", "ask_user"})
"""host: tools that put a question with options to the person."""
PLAN_TOOLS = frozenset({"ExitPlanMode"})
"""host: tools that put a plan to the person."""
MAX_QUESTIONS = 4
"""host: questions in one call."""
_MARK = "(recommended)"
"""host: how an agent marks the option it recommends."""

PLAN_OPTIONS = (AskOption("Keep planning"), AskOption("Approve the plan"))
PLAN_FALLBACK = "Keep planning: refine the plan and change nothing yet"
"""design: a plan that nobody approved is not carried out."""


def ask_of(name: str, tool_input: Mapping[str, Any]) -> Ask | None:
    """The ask in a tool call, without scope, source and session; None where the tool asks nobody."""
    if name in PLAN_TOOLS:
        return Ask(
            question=f"Approve this plan? {_text(tool_input.get('plan'))}", options=PLAN_OPTIONS, fallback=PLAN_FALLBACK
        )
    if name not in QUESTION_TOOLS:
        return None
    listed = tool_input.get("questions")
    questions = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else [tool_input]
    texts = [_text(entry.get("question")) for entry in questions[:MAX_QUESTIONS]]
    if len(questions) != 1:
        picks = [_recommended(_options(entry)) for entry in questions[:MAX_QUESTIONS]]
        return Ask(question=" / ".join(texts), fallback="; ".join(pick.label for pick in picks if pick is not None))
    options = _options(questions[0])
    recommended = _recommended(options)
    place = None if recommended is None else options.index(recommended)
    return Ask(question=" / ".join(texts), options=options, recommended=place)


def _options(question: Mapping[str, Any]) -> tuple[AskOption, ...]:
    listed = question.get("options")
    if not isinstance(listed, list):
        return ()
    found = []
    for entry in listed:
        if isinstance(entry, Mapping):
            found.append(AskOption(_text(entry.get("label")), _text(entry.get("description"))))
        elif isinstance(entry, str):
            found.append(AskOption(entry))
    return tuple(option for option in found if option.label)


def _recommended(options: tuple[AskOption, ...]) -> AskOption | None:
    """The option marked as recommended, else the first: agents put theirs there."""
    marked = (option for option in options if _MARK in option.label.casefold())
    return next(marked, options[0] if options else None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
