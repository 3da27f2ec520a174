"""Spanish."""

from __future__ import annotations

import re

from borgd.lessons.detectors import rule

HARMLESS = re.compile(
    r"\bno,? gracias\b|\bno (?:hay (?:problema|prisa)|pasa nada|te preocupes|(?:te )?olvides|sé|estoy segur[oa]"
    r"|corre prisa|solo|existe)\b"
    r"|\b(?:todavía|aún) no\b|\bnada mal\b|\b(?:por qué|o) no\b|\bqué está mal\b|\bnunca (?:lance|devuelva)\b"
)

RULES = (
    rule("es-no", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:no|nada de eso|qué va)(?:$|[,!:;–-]+|\s+(?=(?:eso|así|el|la|los|es|lo)\b))(?!.{0,40}\b(?:está bien"
         r"|vale|perfecto|gracias|de acuerdo|sigue)\b)"),
    rule("es-mal", "opening", 0.8, "says that it is wrong",
         r"(?:eso |esto )?(?:está|es|estaba) (?:muy |completamente )?(?:mal|incorrecto|equivocado|un error|falso)\b"
         r"|(?:incorrecto|mala idea|falso)\b|eso no (?:es|va|era|vale)\b"),
    rule("es-deshaz", "opening", 0.9, "asks to take it back",
         r"(?:deshaz|revierte|restaura|vuelve a (?:poner|dejar)|déjal[oa]|devuélvel[oa])\b(?=$|[,!]| (?:eso|esto"
         r"|todo|como|los cambios|la versión|lo|a))|.{0,30}\bcomo estaba\b"),
    rule("es-te-dije", "early", 0.8, "repeats what was asked for",
         r"\b(?:te|ya) (?:dije|pedí|he dicho)\b|\byo (?:quería|pedí|decía)\b|\bno (?:es lo que )?(?:pedí|quería"
         r"|quiero)\b|\bcomo (?:ya )?(?:te )?dije\b|\bno es lo que\b"),
    rule("es-has", "early", 0.8, "names what the agent did wrong",
         r"\b(?:te olvidaste|se te olvidó|(?:te )?has (?:olvidado|borrado|cambiado|roto|ignorado|eliminado"
         r"|equivocado|confundido|renombrado)|te equivocaste|rompiste|no deberías|no debiste|no debes)\b"),
    rule("es-por-que", "opening", 0.7, "asks why the agent did that",
         r"¿?por qué (?:has |estás )?(?:borr|cambi|elimin|quit|añad|modific|renombr|us|toc|cre)\w*(?:aste|iste|ado"
         r"|ido|as|es|ando)\b"),
    rule("es-no-hagas", "opening", 0.8, "forbids what was done or proposed",
         r"(?:por favor,? )?(?:(?:no|nunca) (?:me |lo |la |los |las |te )?"
         r"(?:us|hag|cambi|añad|toqu|pong|borr|met|modifiqu|cre|elimin|escrib|reescrib|renombr|agregu|quit|llam"
         r"|import|sub|dej|mezcl|guard|muev|inclu|captur|ignor|devuelv|lanc)\w{0,3}(?:es|as)\b|deja de \w+)"),
    rule("es-asi-no", "opening", 0.8, "says not like that", r"así no\b|no así\b"),
    rule("es-demasiado", "early", 0.7, "says that it is too much",
         r"\bdemasiado (?:complicado|complejo|largo|verboso)\w*|\binnecesari[oa]\b"),
    rule("es-nosotros", "first", 0.7, "states a rule of the team",
         r"\b(?:aquí|en este (?:proyecto|repo\w*)|nosotros) (?:nunca|siempre|no)\b|\b(?:nunca|siempre) \w+(?:amos"
         r"|emos|imos)\b|\bno \w+(?:amos|emos|imos)\b"),
    rule("es-a-partir", "early", 0.9, "sets a rule for later",
         r"\ba partir de ahora\b|\bde ahora en adelante\b|\ben (?:el )?futuro,|\bla próxima vez\b"),
    rule("es-mejor", "first", 0.6, "wants something else instead",
         r"^(?:mejor|en (?:su )?lugar)\b|\by no (?:en|un|una|el|la|con)\b"),
    rule("es-espera", "opening", 0.7, "stops the agent", r"(?:espera|alto|para|cuidado)(?:$|[,!])"),
)  # fmt: skip
