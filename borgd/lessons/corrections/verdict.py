"""What a message is, after what the agent said and did: surely a correction, perhaps one, or none. Pure.

The linear detector decides, the rules are among its features and name the reason, the person's own patterns settle it. A
message is judged where the agent has said or done something; it is more than a question to the agent only where the agent
changed something or a rule speaks as well. Must not judge text that no person wrote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from borgd.lessons.corrections import linear
from borgd.lessons.corrections.detect import LONG, Correction, detect, own_words, spoken
from borgd.lessons.corrections.features import classes_of, shared_stems, stems_of
from borgd.lessons.corrections.languages import PatternRule
from borgd.lessons.corrections.linear import Band, Model
from borgd.lessons.corrections.veto import parse as parse_veto

LINEAR = "linear"
"""The rule's name where no rule speaks, only the linear detector."""
WORDY = 5
"""design: stems from which a message says enough to tell what it is about."""
ABOUT, ABOUT_MUCH = 26, 40
"""tuned (on sets of sessions, ``borg debug loop --cases``): stems of what a turn was about, from which a message that shares
none, or one, is about other things."""
SHARED = 2
"""design: stems that a message and the edited code share, from which it is about that code whatever the agent said last."""
CERTAIN = 0.9
"""tuned (``borg debug loop --cross-fit``): strength from which the rules, several of them, make a likely correction sure."""
FULL = 1.0
"""tuned (``borg debug loop --cross-fit``): strength from which the rules make a doubtful message sure."""
HOMONYMS = frozenset({"en-undo", "en-back", "de-zurueck", "fr-annule", "es-deshaz", "ja-modoshite"})
"""design: rules of words that order work as often as they take it back (undo, put back, go back); they settle nothing."""
EVEN = 0.0
"""method: log odds from which a message is more likely a correction than not."""
CLOSE = 0.5
"""design: how much more it takes from the edited code alone, which the training messages know nothing of."""
NAMED = 3
"""design: classes of words that a reason names."""

_NONE_AT_ALL = re.compile(
    r"\s*(?:/[\w:-]+(?:\s|$)|(?:no|nope|nah|nein|nee|nö|non|não|nao|いいえ|いえ|不用了|不用|不了|没有?|不)[\s,，、.!。]*"
    r"(?:thanks?\b|thank you|thx|danke|merci|gracias|obrigad[oa]|valeu|grazie|dank je|結構|大丈夫|ありがとう|谢谢"
    r"|(?:that(?:'s| is| was| will be) )?(?:all|everything|it|fine|ok|okay|enough)\b(?: for (?:now|today))?[\s.!]*\Z))",
    re.IGNORECASE,
)
"""A slash command, which is a task, and a polite no, which takes nothing back."""
_REASONS = {
    "agent": "speaks of what the agent did",
    "agent did": "names what the agent did",
    "challenge": "questions what the agent did",
    "comparison": "sets one thing against another",
    "exists": "points to what is there already",
    "forbid": "forbids it",
    "generality": "states a general rule",
    "harm": "names what goes wrong with it",
    "have": "says what is used here",
    "is so": "says how it is",
    "lasting": "sets a rule for later",
    "legacy": "says what must not be touched",
    "negation": "denies something",
    "ours": "says how it is done here",
    "reason": "gives a reason",
    "refusal": "refuses it",
    "repair": "has repaired it by hand",
    "should": "says what it should be",
    "stop": "stops the agent",
    "why": "asks why",
}


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What came before a message: the agent's last words, what it changed (in words), whether it still works."""

    said: str = ""
    deeds: str = ""
    about: str = ""
    """All that the turn was about: what was asked, said and changed. A message of other things is a new task."""
    interrupting: bool = False


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """``correction`` is there unless ``band`` is NONE; ``score`` in log odds, NaN where the detector was not asked."""

    band: Band
    score: float = math.nan
    correction: Correction | None = None


NOTHING = Verdict(band=Band.NONE)


def judge(message: str, situation: Situation, own: Sequence[PatternRule] = (), model: Model | None = None) -> Verdict:
    """What ``message`` is.

    :param own: the person's own patterns, from ``own_rules``.
    :param model: the detector; None: the shipped one.
    """
    before = situation.said or situation.deeds
    if not before.strip() or parse_veto(message) is not None or _NONE_AT_ALL.match(message):
        return NOTHING
    ruled = detect(message, before, own)
    if ruled is not None and any(ruled.rule == rule.name for rule in own):
        return Verdict(band=Band.SURE, correction=ruled)
    text = spoken(message)
    if not own_words(message) or (len(text) > LONG and ruled is None):
        return NOTHING
    model = model or linear.shipped()
    rules = rules_of(ruled)
    score = model.score(text, before, rules)
    if situation.said and situation.deeds and shared_stems(text, situation.deeds) >= SHARED:
        score = max(score, model.score(text, situation.deeds, rules) - CLOSE)
    band = model.band(score, interrupting=situation.interrupting)
    steers = situation.interrupting and bool(situation.deeds) and score >= EVEN  # who stops work that has begun means it
    if band is Band.DOUBTFUL and (steers or (ruled is not None and _settles(ruled, score))):
        band = Band.SURE
    if not situation.deeds and not situation.interrupting and ruled is None:
        band = Band.DOUBTFUL if band is Band.SURE else Band.NONE
    if ruled is None and not situation.interrupting and _is_of_other_things(text, situation.about):
        band = Band.DOUBTFUL if band is Band.SURE else Band.NONE
    if band is Band.NONE:
        return Verdict(band=band, score=score)
    return Verdict(band=band, score=score, correction=ruled or _reasoned(message, text, score))


def _is_of_other_things(text: str, about: str) -> bool:
    """Whether a message of some length has next to nothing to do with all that the turn before was about."""
    mine, turn = stems_of(text), stems_of(about)
    if len(mine) < WORDY or len(turn) < ABOUT:
        return False
    shared = len(mine & turn)
    return shared == 0 or (shared == 1 and len(turn) >= ABOUT_MUCH)


def _settles(ruled: Correction, score: float) -> bool:
    if ruled.rule in HOMONYMS:
        return False
    return ruled.strength >= FULL or (ruled.strength >= CERTAIN and score >= EVEN)


def rules_of(ruled: Correction | None) -> list[tuple[str, float]]:
    """What the rules found, as the detector takes it."""
    return [] if ruled is None else [(ruled.rule, ruled.strength)]


def _reasoned(message: str, text: str, score: float) -> Correction:
    named = [_REASONS[name] for name in classes_of(text) if name in _REASONS][:NAMED]
    reason = ", ".join(named) or "reads like a correction of what came before"
    strength = round(1 / (1 + math.exp(-score)), 2)
    return Correction(text=message.strip(), rule=LINEAR, reason=reason, strength=max(0.01, strength))


_SENTENCE = re.compile(r"\s+")


def deeds_text(paths: Sequence[str], lines: Sequence[str], characters: int = 300) -> str:
    """What the agent changed, in words: the paths, then the end of the changed lines, at most ``characters`` of them."""
    if not paths and not lines:
        return ""
    code = _SENTENCE.sub(" ", " ".join(lines))[-characters:]
    return f"Edited {', '.join(dict.fromkeys(paths))}. {code}".strip()
