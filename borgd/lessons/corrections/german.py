"""German."""

from __future__ import annotations

import re

from borgd.lessons.corrections.languages import rule

HARMLESS = re.compile(
    r"\bnein,? danke\b|\bkein problem\b|\bkeine? (?:eile|ahnung|sorge|frage|weiteren|stress|präferenz)\b"
    r"|\bnicht (?:schlecht|sicher|nur|dringend|eilig|wundern|mehr|existier\w*|erreichbar)\b|\bnoch nicht\b"
    r"|\bvergiss(?: bitte)? nicht\b|\bnicht vergessen\b|\b(?:wieso|ob|oder) nicht\b|\bwarum nicht\b(?! einfach)"
    r"|\bich (?:verstehe|weiß|sehe|finde|kann|bin|habe?) .{0,40}\bnicht\b"
)

_IMPERATIVE = (
    r"(?:benutz|verwend|nimm|mach|änder|lösch|füg|fass|schreib|leg|pack|setz|speicher|logg|ruf|import|mock|fang|wirf"
    r"|gib|lass"
    r"|commit|push|kopier|verschieb|benenn|rühr|stell|bau|tu|entfern|überschreib|sortier|formatier|nutz|erfind|rat"
    r"|vermisch)\w*"
)

RULES = (
    rule("de-nein", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:(?:nein|nee|ne|nö|quatsch|unsinn|blödsinn|falsch)(?:$|[,!:;–-]+|\s+(?=(?:das|so|nicht|wir|du|bitte|die"
         r"|der|lass"
         r"|nein|erst)\b)))(?!.{0,40}\b(?:passt|gut|ok|okay|in ordnung|danke|weiter)\b)"),
    rule("de-falsch", "early", 0.8, "says that it is wrong",
         r"\b(?:das|so|dies)(?: \w+)? (?:ist|war|wäre|stimmt|geht|funktioniert|klappt|passt|reicht|gehört)\b.{0,30}"
         r"\b(?:falsch|nicht|verkehrt|unsinn|quatsch)\b|\b(?:das|da|hier) hast du\b|\bkeine gute idee\b|\bschlechte idee\b"),
    rule("de-so-nicht", "opening", 0.8, "says not like that",
         r"(?:bitte )?(?:so nicht|nicht (?:so|den|die|das|dem|in|mit|hier|einfach|schon wieder)|kein\w* .{1,40})\b"),
    rule("de-zurueck", "early", 0.9, "asks to take it back",
         r"\bmach\w* .{0,40}rückgängig\b|\b(?:zurücksetzen|zurückrollen|revertiere?n?)\b|\bsetz\w* .{0,40}zurück\b"
         r"|\bwie (?:sie|es|er|das) (?:vorher )?war\w*\b|\bwieder (?:raus|rückgängig|zurück)\b|\b(?:lösch|nimm"
         r"|mach) das wieder\b"),
    rule("de-ich-sagte", "early", 0.8, "repeats what was asked for",
         r"\bich (?:habe?|hatte) (?:doch |dir |dich )*(?:gesagt|gebeten|gemeint|nur|um)\b|\bich (?:sagte|meinte)\b"
         r"|\bich wollte (?!wissen|fragen|mal|dich)|\bwollte ich nicht\b|\b(?:ich will"
         r"|will ich) (?:\w+ ){0,2}(?:nicht|kein\w*)\b"
         r"|\bwie gesagt\b|\bnicht gemeint\b|\bhatten wir (?:anders|so nicht)\b|\bwar anders (?:besprochen|vereinbart)\b"),
    rule("de-du-hast", "early", 0.8, "names what the agent did wrong",
         r"\b(?:du (?:hast|solltest|sollst|darfst|musst)|hast du)\b.{0,50}\b(?:vergessen|gelöscht|entfernt|kaputt\w*"
         r"|übersehen"
         r"|ignoriert|umbenannt|überschrieben|nicht|kein\w*|falsch\w*|missverstanden)\b(?!\s*\?)|\bwar absicht\b"
         r"|\babsichtlich\b"),
    rule("de-warum", "opening", 0.7, "asks why the agent did that",
         r"(?:warum|wieso|weshalb) (?:hast du|\w{2,12}st du|(?:ein|eine|einen|noch ein\w*) (?:neue\w*|eigene\w*"
         r"|zweite\w*)|nicht einfach)\b"),
    rule("de-halt", "opening", 0.7, "stops the agent",
         r"(?:stopp?|halt|moment|warte|vorsicht)(?:$|[,!]| mal)|finger weg\b|hört? auf\b"),
    rule("de-zu-viel", "early", 0.7, "says that it is too much",
         r"\bzu (?:kompliziert|umständlich|aufwendig|komplex|langsam|viel des guten)\b|\bübertrieben\b|\bunnötig\b"
         r"|\bbrauchen wir nicht\b"),
    rule("de-wir", "first", 0.7, "states a rule of the team",
         r"\bwir \w{3,14}(?:n|en)\b.{0,40}\b(?:nie|niemals|immer|kein\w*|grundsätzlich)\b"
         r"|\b(?:hier|bei uns) (?:\w+ )?(?:wir )?(?:nie|niemals|immer|kein\w*)\b"),
    rule("de-doch", "first", 0.7, "objects with a doch",
         r"\b(?:wir|das|es|die|der|ich|du) \w+ (?:ja )?doch\b|\bgeht doch\b|\bdas ändert ja\b"),
    rule("de-schadet", "opening", 0.6, "says what harm it does",
         r"(?:das|so|damit) (?:bricht|zerstört|verletzt|blockiert|sperrt|löscht|macht .{1,20}kaputt|geht kaputt)\b"),
    rule("de-ab-jetzt", "early", 0.9, "sets a rule for later",
         r"\bab (?:jetzt|sofort)\b|\bin zukunft\b|\b(?:zu)?künftig\b|\bnächstes mal\b|\bbeim nächsten mal\b"),
    rule("de-lieber", "first", 0.6, "wants something else instead",
         r"\blieber\b|\bstattdessen\b|\bund (?:nicht|kein\w*)\b|, (?:kein\w*|nicht) |\bist generiert\b"),
    rule("de-lass", "opening", 0.8, "forbids what was done or proposed",
         rf"(?:bitte )?{_IMPERATIVE} (?:\w+ ){{0,4}}(?:nicht|kein\w*|nie|niemals)\b|lass .{{1,60}} wie\b|lass (?:das"
         rf"|die finger)\b"),
    rule("de-nicht-mehr", "opening", 0.7, "forbids what was done or proposed", r"nicht \w+ .{0,30}\w+en$"),
    rule("de-fast", "opening", 0.7, "says that it is nearly right", r"(?:fast|beinahe|nicht ganz)(?:$|[,!:]| aber\b)"),
    rule("de-keinesfalls", "opening", 0.8, "refuses it",
         r"(?:auf keinen fall|keinesfalls|bloß nicht|niemals|nie im leben)\b"),
    rule("de-luecke", "opening", 0.6, "names what it leaves out",
         r"(?:das \w+t|dein\w*|damit|.{1,40}(?:ist|sind|wird|werden) (?:damit|so|dabei)) .{0,40}\b(?:nicht|nur"
         r"|doch)\b|das (?:verrät|legt offen|würde|wird)\b"),
    rule("de-muster", "early", 0.6, "points to how it is done elsewhere",
         r"\b(?:halte?|richte?) dich\b|\bwie (?:überall|sonst|in den anderen|bei den anderen|die anderen)\b"
         r"|\bsteht in der (?:anleitung|doku\w*)\b"
         r"|\bfrag\w* .{0,20}\b(?:vorher|bevor|erst)\b|\bbitte (?:immer )?auf (?:englisch|deutsch)\b"),
    rule("de-schlimm", "early", 0.7, "names what is bad about it",
         r"\b(?:das|es) (?:ist|wäre) eine? (?:\w+ )?(?:\w*lücke|breaking change|race|fehler|rückschritt|leck|hack"
         r"|risiko)\b|^falsche\w* \w+,"),
    rule("de-du-musst", "opening", 0.6, "says what the agent must do", r"du musst\b|.{1,60}, sonst\b|.{1,60}\bbei uns\b"),
    rule("de-gehoert", "opening", 0.5, "says where it belongs", r"(?:das|der|die) .{0,40}\bgehör(?:t|en)\b|nimm \w+, "),
    rule("de-ohne", "opening", 0.6, "takes a part of it out", r"(?:bitte )?ohne\b"),
    rule("de-sollte-nicht", "first", 0.6, "says what must or must not be",
         r"\b(?:soll|sollte|sollten|darf|dürfen)\b.{1,40}\b(?:nicht|kein\w*)\b|\bgehör(?:t|en)\b.{1,50}\b(?:nicht|statt)\b"
         r"|\bnicht in diesen?\b"),
)  # fmt: skip
