"""Is a person there? An ask costs somebody who is away, not somebody who is typing.

From what the agent's host says of the session and from when its person last wrote in it. Pure: the time is passed in.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HEADLESS = frozenset({"", "cli", "sdk-cli", "mcp", "claude-code-github-action"})
"""host: entries under which Claude Code runs without anybody where it says so: a command with -p, a background session,
a server, a pipeline. Any other entry (an editor, a desktop program) has a person of its own, whom it does not speak for."""
MAX_TEXT = 4000
"""guard: characters of a prompt that are read for a wish to be asked."""


class Presence(NamedTuple):
    """``reason`` says why, as part of a sentence."""

    attended: bool
    reason: str


def presence(host: bool | None, entry: str, wrote_ms: int | None, now_ms: int, attended_s: float) -> Presence:
    """Whether somebody attends to the session now.

    :param host: whether the agent's host says that a person is there; None: it says nothing.
    :param entry: how the host says that the session was started; empty: it says nothing.
    :param wrote_ms: when a person last wrote in the session, None where nobody has; ``now_ms`` likewise, since the epoch.
    :param attended_s: seconds after a prompt for which its person is taken to be there.
    """
    if host:
        return Presence(True, "the agent's host says that a person is there")
    if host is False and entry in HEADLESS:
        return Presence(False, f"the agent's host says that nobody is there{f' ({entry})' if entry else ''}")
    if wrote_ms is None:
        return Presence(False, "nobody has written in this session")
    seconds = max(0, now_ms - wrote_ms) // 1000
    if seconds <= attended_s:
        return Presence(True, f"its person wrote {seconds} s ago")
    return Presence(False, f"its person wrote {seconds // 60} min ago")


_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|^[ \t]*>[^\n]*$",
    re.DOTALL | re.M,
)
"""What a prompt quotes: words of a program or of somebody else."""
_START = (
    r"(?:^|[.!?:;,\n(–—-]|\b(?:and|then|but|please|so)\s)\s*(?:(?:and|then|but|so|please|pls|just|first|also|always|"
    r"feel free to|(?:can|could|would|will) you|you (?:can|may|should|must|could)|i(?:'d| would)? (?:want|like|need) you to|"
    r"let'?s have you|before (?:that|you start)|for (?:that|this)|here)\s*,?\s*){0,4}"
)
"""Where an order to the agent begins."""
_ENGLISH = (
    r"(?:interview|quiz|grill)\s+me\b",
    r"(?:ask|question)\s+me\b(?!\s+(?:nothing|no\b|later|again\s+later|for\s+(?:nothing|no\b)|what\b|if\b|when\b|where\b))",
    r"ask\s+(?:as\s+(?:many|much)|any|all|your|every|clarifying|follow-?up|lots\s+of|a\s+few|some|more|one\b|questions\b|away\b"
    r"|whatever|whenever|anything|if\s+(?:anything|something|you)|before\s+you)",
    r"check\s+with\s+me\b",
    r"let\s+me\s+(?:decide|choose|pick)\b",
    r"run\s+(?:it|everything|each|any\s+\w+)\s+by\s+me\b",
)
_OTHER = (
    r"\b(?:interviewe?\s+mich|frage?\s+mich|stell(?:e|t)?\s+mir\s+(?:\w+\s+){0,3}fragen|löchere?\s+mich)\b",
    r"\b(?:interview(?:e|ez)[- ]moi|interroge(?:z)?[- ]moi|pose[z]?[- ]moi\s+(?:\w+\s+){0,3}questions|demande[z]?[- ]moi)\b",
    r"\b(?:entrevístame|entrevistame|pregúntame|preguntame|hazme\s+(?:\w+\s+){0,3}preguntas)\b",
    r"\b(?:intervistami|fammi\s+(?:\w+\s+){0,3}domande|chiedimi)\b",
    r"\b(?:entreviste-me|pergunte-me|me\s+pergunte|me\s+faça\s+(?:\w+\s+){0,3}perguntas|faça-me\s+(?:\w+\s+){0,3}perguntas)\b",
    r"(?:質問して(?!は|も|い)|聞いて(?:ください|下さい)|インタビューして)",
    r"(?:采访我|採訪我|问我|問我|向我提问|向我提問)",
    r"(?:задавай(?:те)?\s+(?:мне\s+)?вопросы|спрашивай(?:те)?\s+меня|спроси(?:те)?\s+меня|опроси(?:те)?\s+меня)",
    r"(?:질문해|물어봐|인터뷰해)",
)
_NOT = re.compile(
    r"\b(?:don'?t|do\s+not|never|no\s+need\s+to|without|stop|nothing\s+to|not\s+(?:have\s+to|need\s+to)|avoid)\b[^.!?;\n]{0,40}"
    r"\b(?:ask|asking|interview|interviewing|question|questions|check)\b"
    r"|\b(?:no|zero)\s+(?:\w+\s+)?questions\b"
    r"|\b(?:frage?|stell\w*)\s+(?:mich|mir)\s+(?:\w+\s+){0,2}(?:nicht|keine|nichts)\b|\bohne\s+(?:\w+\s+){0,3}(?:fragen|nachzufragen)\b"
    r"|\bne\s+(?:me\s+)?(?:pose|demande|interroge)|\bsin\s+preguntar|\bno\s+(?:me\s+)?pregunt|\bnon\s+(?:mi\s+)?(?:chied|far)"
    r"|(?:不要|别|別|不用)\s*(?:再)?(?:问|問)|質問(?:しないで|せずに|なしで)|聞かないで|не\s+(?:задавай|спрашивай)|묻지\s*마",
    re.IGNORECASE,
)
_ASKS = re.compile("|".join([_START + f"(?:{'|'.join(_ENGLISH)})", *_OTHER]), re.IGNORECASE)


def asks_to_be_asked(prompt: str) -> bool:
    """Whether a prompt invites questions: "interview me", "ask me one by one", the same in some other languages.

    What it quotes does not count, and one that forbids questions anywhere invites none.
    """
    text = _QUOTED.sub(" ", prompt[:MAX_TEXT].replace("’", "'"))
    return bool(_ASKS.search(text)) and not _NOT.search(text)
