"""German."""

from __future__ import annotations

import re

from borgd.lessons.detectors import rule

HARMLESS = re.compile(
    r"\bnein,? danke\b|\bkein problem\b|\bkeine? (?:eile|ahnung|sorge|frage|weiteren|stress)\b|\bnicht (?:schlecht"
    r"|sicher|nur|dringend|eilig)\b"
    r"|\bnoch nicht\b|\bvergiss(?: bitte)? nicht\b|\bnicht vergessen\b|\b(?:warum|wieso|ob|oder) nicht\b"
    r"|\bnicht mehr\b|\bnicht existier\w*"
)

RULES = (
    rule("de-nein", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:nein|nee|ne|nö|quatsch|unsinn|blödsinn|falsch)(?:$|[,!:;–-]+|\s+(?=(?:das|so|nicht|wir|du|bitte|die"
         r"|der|lass)\b))"
         r"(?!.{0,40}\b(?:passt|gut|ok|okay|in ordnung|danke|weiter)\b)"),
    rule("de-falsch", "early", 0.8, "says that it is wrong",
         r"\b(?:das|so|dies)(?: \w+)? (?:ist|war|wäre|stimmt|geht|funktioniert|klappt|passt"
         r"|reicht)\b.{0,30}\b(?:falsch|nicht|verkehrt|unsinn|quatsch)\b"),
    rule("de-so-nicht", "opening", 0.8, "says not like that",
         r"(?:bitte )?(?:so nicht|nicht (?:so|den|die|das|dem|in|mit|hier|einfach|schon wieder))\b"),
    rule("de-zurueck", "early", 0.9, "asks to take it back",
         r"\bmach\w* .{0,40}rückgängig\b|\b(?:zurücksetzen|zurückrollen|revertiere?n?)\b|\bsetz\w* .{0,40}zurück\b"
         r"|\bwie (?:sie|es|er|das) (?:vorher )?war\b"
         r"|\bwieder (?:raus|rückgängig)\b"),
    rule("de-ich-sagte", "early", 0.8, "repeats what was asked for",
         r"\bich (?:habe?|hatte) (?:doch |dir |dich )*(?:gesagt|gebeten|gemeint|nur|um)\b|\bich (?:sagte|meinte)\b"
         r"|\bich wollte (?!wissen|fragen|mal|dich)"
         r"|\bwollte ich nicht\b|\bich will (?:\w+ )?(?:nicht|kein\w*)\b|\bwie gesagt\b|\bnicht gemeint\b"),
    rule("de-du-hast", "early", 0.8, "names what the agent did wrong",
         r"\bdu (?:hast|solltest|sollst|darfst|musst)\b.{0,50}\b(?:vergessen|gelöscht|entfernt|geändert|kaputt\w*"
         r"|übersehen|ignoriert|umbenannt|überschrieben|nicht|kein\w*|falsch\w*)\b"),
    rule("de-warum", "opening", 0.7, "asks why the agent did that", r"(?:warum|wieso|weshalb) (?:hast|\w{2,12}st) du\b"),
    rule("de-halt", "opening", 0.7, "stops the agent", r"(?:stopp?|halt|moment|warte|vorsicht)(?:$|[,!]| mal)"),
    rule("de-zu-viel", "early", 0.7, "says that it is too much",
         r"\bzu (?:kompliziert|umständlich|aufwendig|komplex|viel des guten)\b|\bübertrieben\b|\bunnötig\b"),
    rule("de-wir", "first", 0.7, "states a rule of the team",
         r"\bwir \w{3,14}(?:n|en)\b.{0,40}\b(?:nie|niemals|immer|kein\w*|grundsätzlich)\b|\b(?:hier"
         r"|bei uns) (?:\w+ )?(?:wir )?(?:nie|niemals|immer|kein\w*)\b"),
    rule("de-ab-jetzt", "early", 0.9, "sets a rule for later",
         r"\bab (?:jetzt|sofort)\b|\bin zukunft\b|\b(?:zu)?künftig\b|\bnächstes mal\b|\bbeim nächsten mal\b"),
    rule("de-lieber", "first", 0.6, "wants something else instead",
         r"\blieber\b|\bstattdessen\b|\bund (?:nicht|kein\w*)\b|, (?:kein\w*|nicht) "),
    rule("de-lass", "opening", 0.8, "forbids what was done or proposed",
         r"(?:bitte )?(?:\w{2,14}e?) (?:\w+ ){0,4}(?:nicht|kein\w*|nie|niemals)\b(?!.{0,3}\?)(?<!ich bin nicht)"),
    rule("de-ohne", "opening", 0.6, "takes a part of it out", r"(?:bitte )?ohne\b"),
    rule("de-sollte-nicht", "first", 0.6, "says what must not be",
         r"\b(?:soll|sollte|sollten|darf|dürfen)\b.{1,40}\b(?:nicht|kein\w*)\b"),
)  # fmt: skip
