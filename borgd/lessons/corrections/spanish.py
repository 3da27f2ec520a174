"""Spanish."""

from __future__ import annotations

import re

from borgd.lessons.corrections.languages import rule

HARMLESS = re.compile(
    r"\bno,? gracias\b|\bno (?:hay (?:problema|prisa)|pasa nada|te preocupes|(?:te )?olvides|sé|entiendo|estoy segur[oa]"
    r"|corre prisa|solo|existe|responde)\b|\bno \w+ .{0,20}(?:todavía|aún)\b|\b(?:todavía|aún) no\b|\bnada mal\b"
    r"|\bpor qué no\b(?! una| un| usar)|\bo no\b|\bqué está mal\b|\bnunca (?:lance|devuelva)\b|\bno se permitan\b"
)

_NOT_DO = (
    r"(?:us|hag|cambi|añad|toqu|pong|borr|met|modifiqu|cre|elimin|escrib|reescrib|renombr|agregu|quit|llam|import"
    r"|sub|dej|mezcl"
    r"|guard|muev|inclu|captur|ignor|devuelv|lanc|edit|rompas|rompa|traduzc|adivin)\w{0,4}(?:es|as)"
)

RULES = (
    rule("es-no", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:que |pues )?(?:no|nada de eso|qué va)(?:$|[,!:;–-]+|\s+(?=(?:eso|así|el|la|los|es|lo|no)\b))"
         r"(?!.{0,40}\b(?:está bien|vale|perfecto|gracias|de acuerdo|sigue)\b)"),
    rule("es-mal", "opening", 0.8, "says that it is wrong",
         r"(?:eso |esto )?(?:está|es|estaba) (?:muy |completamente )?(?:mal|incorrecto|equivocado|un error|falso)\b"
         r"|(?:incorrecto|mala idea|falso)\b|eso no (?:es|va|era|vale)\b|no me refería\b|no era eso\b"),
    rule("es-deshaz", "opening", 0.9, "asks to take it back",
         r"deshaz (?:el|la|los|las)\b|(?:deshaz|revierte|restaura|rehaz(?:la|lo)?|vuelve a (?:poner|dejar)|déjal[oa]"
         r"|devuélvel[oa])\b"
         r"(?=$|[,!]| (?:eso|esto|todo|como|los cambios|la versión|lo|a))|.{0,40}\bcomo estaban?\b"
         r"|.{0,80}\brehaz(?:la|lo)\b"),
    rule("es-te-dije", "early", 0.8, "repeats what was asked for",
         r"\b(?:te|ya) (?:dije|pedí|he dicho)\b|\byo (?:solo |sólo )?(?:quería|pedí|decía)\b"
         r"|\bno (?:es lo que )?(?:pedí|quería|quiero)\b"
         r"|\bcomo (?:ya )?(?:te )?dije\b|\bno es lo que\b|\b(?:habíamos quedado|quedamos) en\b|\bhablaba de\b"),
    rule("es-has", "early", 0.8, "names what the agent did wrong",
         r"\b(?:te olvidaste|se te olvidó|te equivocaste|rompiste|no deberías|no debiste|no debes|a propósito)\b"
         r"|(?<!qué )(?<!archivos )"
         r"\b(?:te )?has (?:olvidado|borrado|roto|ignorado|eliminado|equivocado|confundido|renombrado|quitado|\w+do mal)\b"),
    rule("es-por-que", "opening", 0.7, "asks why the agent did that",
         r"¿?por qué (?:has |estás )?(?:borr|cambi|elimin|quit|añad|modific|renombr|us|toc|cre)\w*(?:aste|iste|ado"
         r"|ido|as|es|ando)\b"
         r"|¿?por qué (?:no (?:una?|usar)|otr[oa]|un nuevo|una nueva)\b"),
    rule("es-no-hagas", "opening", 0.8, "forbids what was done or proposed",
         rf"(?:por favor,? )?(?:no|nunca) (?:me |lo |la |los |las |te )?{_NOT_DO}\b|deja de \w+|.{{1,60}}, no (?:lo "
         rf"|la |los |las ){_NOT_DO}\b"),
    rule("es-asi-no", "opening", 0.8, "says not like that", r"así no\b|no así\b"),
    rule("es-quita", "opening", 0.7, "has something of the agent's removed",
         r"(?:quita|elimina|borra|saca) (?:es[ao]s?|est[ao]s?|eso|esto)\b|.{0,40}\b(?:no sirve de nada"
         r"|no lo necesitamos)\b"),
    rule("es-rompe", "opening", 0.6, "says what harm it does",
         r"(?:eso|esto|así) (?:rompe|bloquea|va a ser|borra|no funciona)\b"),
    rule("es-demasiado", "early", 0.7, "says that it is too much",
         r"\bdemasiado (?:complicado|complejo|largo|verboso|lento)\w*|\binnecesari[oa]\b"),
    rule("es-nosotros", "first", 0.7, "states a rule of the team",
         r"\b(?:aquí|en este (?:proyecto|repo\w*)|nosotros) (?:nunca|siempre|no)\b|\b(?:nunca|siempre) \w+(?:amos"
         r"|emos|imos)\b"
         r"|\bno \w+(?:amos|emos|imos)\b|\b(?:siempre|nunca) en\b"),
    rule("es-no-debe", "first", 0.6, "says what must or must not be",
         r"\bno (?:se (?:debe|deben|puede|pueden)|debe|deben)\b|\btiene que (?:ser|ir|estar)\b|\bes (?:auto)?generado\b"),
    rule("es-a-partir", "early", 0.9, "sets a rule for later",
         r"\ba partir de ahora\b|\bde ahora en adelante\b|\ben (?:el )?futuro,|\bla próxima vez\b"),
    rule("es-mejor", "first", 0.6, "wants something else instead",
         r"^(?:mejor|en (?:su )?lugar)\b|\by no (?:en|un|una|el|la|con)\b|\bse llama \w+, no\b|^deja .{1,40}\bcomo\b"),
    rule("es-casi", "opening", 0.7, "says that it is nearly right",
         r"(?:casi|no del todo|no exactamente)(?:$|[,!:]| pero\b)"),
    rule("es-de-ninguna", "opening", 0.8, "refuses it", r"(?:de ninguna manera|ni hablar|en absoluto|para nada|jamás)\b"),
    rule("es-falta", "opening", 0.6, "names what it leaves out",
         r"(?:eso|esto|tus?) (?:\w+ )?(?:no|solo|sólo) \w+"),
    rule("es-patron", "opening", 0.6, "points to how it is done elsewhere",
         r"(?:sigue|respeta|usa|mantén) (?:el|la|los|las) (?:mism\w+|patrón|estilo|convenci\w+)\b"
         r"|.{0,40}\bcomo en (?:los|las|todos|el resto)\b|pregunta (?:antes|primero)\b"),
    rule("es-grave", "early", 0.7, "names what is bad about it",
         r"\b(?:eso|esto|es) (?:es )?una? (?:\w+ )?(?:agujero|fuga|fallo|error|bug|regresión|riesgo"
         r"|cambio incompatible|chapuza)\b"),
    rule("es-tienes-que", "opening", 0.6, "says what the agent must do",
         r"tienes que\b|.{1,60}, si no\b|aquí (?:los|las|el|la|se|todo)\b|usa \w+, "),
    rule("es-no-eso", "first", 0.5, "sets one thing against another",
         r"\b(?:usamos|usa|es|en|va|llama)\b[^,]{1,40}, no \w+"),
    rule("es-espera", "opening", 0.7, "stops the agent", r"(?:espera|alto|para|cuidado)(?:$|[,!])"),
)  # fmt: skip
