"""An agent's question tools as asks: AskUserQuestion (one to four questions in one call) and ExitPlanMode (a plan). Pure.

Tool input is untrusted: what has another shape than expected is left out, never an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from borgd.limits.interrupts.verdict import Ask, AskOption

QUESTION_TOOLS = frozenset({"AskUserQuestion", "request_user_input", "ask_user", "question", "ask"})
"""host: tools that put a question with options to the person."""
PLAN_TOOLS = frozenset({"ExitPlanMode"})
"""host: tools that put a plan to the person."""
MAX_QUESTIONS = 4
"""host: questions in one call."""
_SEVERAL = ("multiSelect", "multiple", "multi")
"""host: how a question says that several options may be chosen."""
_MARK = re.compile(r"\s*\(recommended\)\s*", re.IGNORECASE)
"""host: how an agent marks the option it recommends."""

PLAN_OPTIONS = (AskOption("Keep planning"), AskOption("Approve the plan"))
PERMISSION_OPTIONS = (AskOption("Do not allow it"), AskOption("Allow it once"))
APPROVE = frozenset({PLAN_OPTIONS[1].label, PERMISSION_OPTIONS[1].label})
"""design: the answers that are an approval."""
PLAN_FALLBACK = "Keep planning: refine the plan and change nothing yet"
"""design: a plan that nobody approved is not carried out."""
PERMISSION_FALLBACK = "Do without it"
"""design: what nobody allowed is not done."""
CALL_CHARS = 300
"""design: characters of a call that a question about its permission quotes."""


def ask_of(name: str, tool_input: Mapping[str, Any]) -> Ask | None:
    """The ask in a tool call, without scope, source and session; None where the tool asks nobody."""
    if name in PLAN_TOOLS:
        plan = _text(tool_input.get("plan"))
        return Ask(kind="plan", question="Approve this plan?", body=plan, options=PLAN_OPTIONS, fallback=PLAN_FALLBACK)
    if name not in QUESTION_TOOLS:
        return None
    listed = tool_input.get("questions")
    questions = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else [tool_input]
    asks = [_question(entry) for entry in questions[:MAX_QUESTIONS]] or [Ask()]
    return replace(asks[0], more=tuple(asks[1:]))


def permission_of(name: str, tool_input: Mapping[str, Any]) -> Ask:
    """The ask for a permission to make this call; without scope, source and session."""
    call = json.dumps(dict(tool_input), ensure_ascii=False, sort_keys=True, default=str)
    shown = next((text for key in ("command", "file_path", "url") if (text := _text(tool_input.get(key)))), call)
    return Ask(
        kind="permission",
        question=f"Allow {name}: {shown[:CALL_CHARS]}",
        body=f"{name} {call}",
        options=PERMISSION_OPTIONS,
        fallback=PERMISSION_FALLBACK,
    )


def without_mark(label: str) -> str:
    """``label`` without the mark of a recommendation."""
    return _MARK.sub(" ", label).strip()


def _question(entry: Mapping[str, Any]) -> Ask:
    options = _options(entry)
    marked = [place for place, option in enumerate(options) if _MARK.search(option.label)]
    return Ask(
        question=_text(entry.get("question")),
        options=options,
        recommended=marked[0] if marked else None,
        multiple=any(entry.get(name) is True for name in _SEVERAL),
    )


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


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
