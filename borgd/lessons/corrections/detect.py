"""Does what a person says push back on what the agent just proposed? By rules with a reason each, no model.

Three ways in: a prompt after a proposal (``detect``), the words that go with a rejected tool call (``from_rejection``),
an answer to the agent's question that states a rule (``from_answer``). Without a proposal before it a prompt is a task.
Must not learn from machine-made text: our own blocks, other hooks' reminders, quoted lines and code are left out first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from borgd.errors import ConfigError
from borgd.lessons.corrections.languages import LANGUAGES, PatternRule, language
from borgd.lessons.corrections.veto import parse as parse_veto

ENOUGH = 0.5
"""design: strength from which a prompt counts as a correction."""
SECOND = 0.1
"""design: what each further rule that matches adds to the strongest."""
OWN_STRENGTH = 0.9
"""design: a pattern that the person wrote counts nearly as certain."""
REJECTED_STRENGTH = 0.9
"""design: words beside a rejected tool call are about that call."""
ANSWER_STRENGTH = 0.7
"""design: an answer that states a rule."""
LOOKED_AT = 600
"""design: characters of a prompt that are looked at; a push-back stands at its start."""
READ = 50_000
"""guard: characters of a prompt that are read at all."""
LONG = 1500
"""design: from this length a prompt is a specification, and only its first clause is looked at."""
EARLY_SENTENCES = 3
"""design: sentences that count as the prompt's beginning."""

WIDE = frozenset({"ja"})
"""design: languages that are tried only where their script is."""
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")

_MACHINE = re.compile(
    r"<(?P<tag>system-reminder|task-notification|local-command-[a-z]+|command-[a-z]+|hook_prompt|hook_context"
    r"|borg[\w-]*|teammate-message"
    r"|user-prompt-submit-hook|ide_[a-z_]+|bash-[a-z]+)\b[^>]*>.*?(?:</(?P=tag)>|\Z)",
    re.I | re.S,
)
_OURS = re.compile(
    r"^[ \t]{0,8}\[borg\].*?(?:\n[ \t]*\n|\Z)|^--- (?:peer data|end of peer data)\b[^\n]*$", re.I | re.S | re.M
)
_OUR_LINE = re.compile(
    r"^[ \t]{0,8}- [a-z0-9][\w-]{0,39}(?: \(from [^\n)]*\))?: [^\n]*$|^[ \t]{0,8}(?:otherwise|replaces): [^\n]*$",
    re.I | re.M,
)
_MACHINE_START = re.compile(
    r"\s*(?:caveat: the messages below|this session is being continued from|\[request interrupted|stop hook feedback"
    r"|base directory for this skill)",
    re.I,
)
_FENCE = re.compile(r"(?P<mark>```+|~~~+).*?(?:(?P=mark)|\Z)", re.S)
_INLINE = re.compile(r"`[^`\n]{1,200}`")
_QUOTED_LINE = re.compile(r"^[ \t]{0,40}(?:>|\||\$ |[+-]{3} |@@ |at [\w.$<>]+\(|file \"|traceback ).*$", re.M)
_ANSWER_LINE = re.compile(r"^[^\w\n]{0,20}l[a-z0-9_-]{1,39}[^\w\n]{0,4}[:：][^\w\n]{0,20}(?:applies|skip)\b.*$", re.M)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+|(?<=\w)\.\.\.\s*")
_BUT = re.compile(
    r"[,;]?\s+(?:but|however|although|except that|aber|allerdings|jedoch|mais|cependant|pero|sin embargo)\b,?\s*"
    r"|(?<=[すたい])(?:が|けど)、"
)
_APPROVAL = re.compile(
    r"(?:(?:it |that |this )?looks? (?:good|great|fine|nice)|lgtm|great|nice|perfect|good|thanks|thank you|cool|ok"
    r"|okay|fine|almost|close"
    r"|sieht gut aus|gut|super|schön|passt|danke|fast|c'est bien|bien|parfait|merci|super|presque|está bien|bien"
    r"|genial|gracias|perfecto|casi"
    r"|良い|いい|ありがとう|完璧|ほぼ)"
)
_FILLER = re.compile(
    r"(?:(?:h+m+|hm|well|ok|okay|sorry|hey|uh+|um+|oh|ah|and|so|äh|also|na|ja|tja|bitte|alors|bon|euh|pues|bueno|oye"
    r"|por favor|あの|えっと|えー)\b"
    r"[\s,.!…、-]*)+(?=\S)"
)
_EDGES = " \t\"'“”„«»「」()*_-–—:,¡"

_ENDS = ".!…。！"

_RULE_WORDS = re.compile(
    r"\b(?:always|never|don'?t|do not|must|only ever|from now on|by default|in (?:this|our) (?:repo|project|team"
    r"|codebase)|as a rule|whenever"
    r"|immer|niemals|nie|grundsätzlich|ab jetzt|toujours|jamais|désormais|siempre|nunca|a partir de ahora)\b|必ず|常に"
    r"|今後は|しないで|禁止"
)
_REJECTION = re.compile(
    r"\s*the user (?:doesn't|does not|didn't) want to (?:proceed|take this action)\b.{0,400}?"
    r"\b(?:the user said|user feedback|the user provided the following reason[^:\n]{0,60}):\s*(?P<words>.+)\Z",
    re.I | re.S,
)
_NOTE = re.compile(r"\n+\s*note: the user's next message.*\Z", re.I | re.S)


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """A push-back: ``text`` as the person wrote it, the strongest ``rule`` with its ``reason``, ``strength`` in (0, 1]."""

    text: str
    rule: str
    reason: str
    strength: float


def detect(prompt: str, proposal: str, own: Sequence[PatternRule] = ()) -> Correction | None:
    """Whether ``prompt`` pushes back on ``proposal``, the agent's last words or deeds. None: it does not.

    :param proposal: empty where the agent has proposed nothing yet; then nothing is a correction.
    :param own: the person's own patterns, from ``own_rules``.
    """
    if not proposal.strip() or parse_veto(prompt) is not None:
        return None
    text = own_words(prompt)
    if not _says_something(text):
        return None
    matched = [rule for rule in own if rule.pattern.search(text)]
    for code in LANGUAGES:
        if code not in WIDE or _WIDE.search(text, 0, LOOKED_AT):
            matched += _matches(text, len(text) > LONG, code)
    if not matched:
        return None
    best = max(matched, key=lambda rule: rule.strength)
    strength = min(1.0, best.strength + SECOND * (len({rule.name for rule in matched}) - 1))
    if strength < ENOUGH:
        return None
    return Correction(text=prompt.strip(), rule=best.name, reason=best.reason, strength=round(strength, 2))


def own_words(prompt: str) -> str:
    """What of ``prompt`` its author wrote, lower-cased: no machine-made blocks, answer lines, quotes or code."""
    text = spoken(prompt).lower()
    text = _INLINE.sub("X", _FENCE.sub("\n", text))
    return _ANSWER_LINE.sub("", _QUOTED_LINE.sub("", text)).strip()


def spoken(prompt: str) -> str:
    """``prompt`` without machine-made blocks and our own lines, quotes and code and all; straight apostrophes."""
    text = prompt[:READ].replace("’", "'").replace("\r\n", "\n")
    if "[borg]" in text.lower():
        text = _OUR_LINE.sub("", _OURS.sub("\n", text))
    text = _MACHINE.sub(" ", text)
    return "" if _MACHINE_START.match(text) else text


def _says_something(text: str) -> bool:
    return len(text.split(maxsplit=2)) >= 2 or len(_WIDE.findall(text, 0, LOOKED_AT)) >= 4


def _matches(text: str, is_long: bool, code: str) -> list[PatternRule]:
    rules, harmless = language(code)
    sentences = [part.strip(_EDGES).rstrip(_ENDS) for part in _SENTENCE_END.split(harmless.sub(" ~ ", text[:LOOKED_AT]))]
    sentences = [sentence for sentence in sentences if sentence]
    if not sentences:
        return []
    openings = _openings(sentences)
    first, early = sentences[0], " . ".join(sentences[:EARLY_SENTENCES])
    places = {"opening": openings, "first": list(dict.fromkeys([first, *openings])), "early": [early]}
    if is_long:
        places = dict.fromkeys(places, openings[:1])
    return [
        rule
        for rule in rules
        for place in places[rule.where]
        if (rule.pattern.match(place) if rule.where == "opening" else rule.pattern.search(place))
    ]


def _openings(sentences: Sequence[str]) -> list[str]:
    """The clauses a push-back can open: the first one, what follows a but in it, and what follows a mere approval."""
    openings = []
    for sentence in sentences[:2]:
        clause = _FILLER.sub("", sentence, count=1) if _FILLER.match(sentence) else sentence
        head, *rest = _BUT.split(clause, maxsplit=1)
        openings += [clause, *rest]
        approval = _APPROVAL.match(head)
        if approval is None or len(head) > len(approval[0]) + 12:
            break
    return [opening.strip(_EDGES) for opening in openings]


@lru_cache(maxsize=8)
def own_rules(patterns: tuple[str, ...]) -> tuple[PatternRule, ...]:
    """The person's own patterns (``[capture] patterns``) as rules, matched anywhere in the lower-cased prompt.

    :raises ConfigError: one of them is no regular expression; names which.
    """
    rules = []
    for number, pattern in enumerate(patterns):
        try:
            compiled = re.compile(pattern, re.IGNORECASE)
        except re.error as error:
            raise ConfigError(
                "config.toml", f"expected a regular expression: {error}", field=f"capture.patterns[{number}]"
            ) from None
        rules.append(PatternRule(f"own-{number}", "early", OWN_STRENGTH, "matches a pattern of yours", compiled))
    return tuple(rules)


def rejection_words(result: str) -> str:
    """The person's words in a rejected tool call's result; empty where there are none or it was no rejection."""
    match = _REJECTION.match(result.replace("’", "'"))
    return _NOTE.sub("", match["words"]).strip() if match else ""


def from_rejection(result: str) -> Correction | None:
    """The correction in a rejected tool call's ``result`` text, as agents report it. None: rejected without words."""
    words = rejection_words(result)
    if not _says_something(own_words(words)):
        return None
    return Correction(text=words, rule="rejected-call", reason="said while rejecting the call", strength=REJECTED_STRENGTH)


def from_answer(question: str, answer: str, options: Iterable[str] = ()) -> Correction | None:
    """The correction in an ``answer`` to the agent's ``question`` that states a rule in words of the person's own.

    :param options: what the agent offered; choosing one of them as it stands teaches nothing.
    """
    text = own_words(answer)
    offered = {option.strip().casefold() for option in options}
    if not question.strip() or text in offered or not _says_something(text) or not _RULE_WORDS.search(text):
        return None
    return Correction(
        text=answer.strip(), rule="answer-rule", reason="an answer that states a rule", strength=ANSWER_STRENGTH
    )


def from_questionnaire(result: Mapping[str, Any]) -> list[tuple[str, Correction]]:
    """(question, correction) of each answer that states a rule.

    :param result: what a question tool returned: ``questions`` (each with ``options``) and ``answers`` by question.
    """
    questions, answers = result.get("questions"), result.get("answers")
    found: list[tuple[str, Correction]] = []
    if not isinstance(questions, list) or not isinstance(answers, Mapping):
        return found
    for one in questions:
        if not isinstance(one, Mapping):
            continue
        question, options = str(one.get("question") or ""), one.get("options")
        offered = options if isinstance(options, list) else []
        labels = [str(option.get("label")) for option in offered if isinstance(option, dict)]
        answer = answers.get(question)
        correction = from_answer(question, answer, labels) if isinstance(answer, str) else None
        if correction is not None:
            found.append((question, correction))
    return found
