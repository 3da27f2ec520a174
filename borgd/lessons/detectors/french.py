"""French."""

from __future__ import annotations

import re

from borgd.lessons.detectors import rule

HARMLESS = re.compile(
    r"\bnon,? merci\b|\bpas (?:de (?:souci|problème|panique)s?|grave|mal|encore|s[ûu]r|seulement|urgent)\b"
    r"|\bn'oublie[sz]? pas\b"
    r"|\bne t'inqui[èe]te pas\b|\bpourquoi pas\b|\bje (?:ne )?sais pas\b|\bn'existe pas\b|\bne (?:l[èe]ve|renvoie) jamais\b"
)

RULES = (
    rule("fr-non", "opening", 0.8, "starts with a no to what was proposed",
         r"non(?:$|[,!:;–-]+|\s+(?=(?:ne|pas|il|on|je|garde|remets|ça|c')))(?!.{0,40}\b(?:c'est bon|ça va|d'accord"
         r"|parfait|merci)\b)"),
    rule("fr-faux", "early", 0.8, "says that it is wrong",
         r"\b(?:c'est|c'était|ce (?:serait|n'est)|ça n'est) (?:\w+ment )?(?:faux|incorrect|une erreur|pas (?:ça|bon"
         r"|correct|vrai|ce que|comme|ainsi|la bonne))"
         r"|^(?:faux|incorrect|mauvaise? (?:idée|fichier|dossier))\b"),
    rule("fr-annule", "opening", 0.9, "asks to take it back",
         r"(?:annule|reviens|remets|restaure|défais|rétablis)\b(?=$|[,!]| (?:ça|cela|tout|comme|l'ancien|la version"
         r"|le code|les changements|tes|en arrière|à))"),
    rule("fr-je-t-ai-dit", "early", 0.8, "repeats what was asked for",
         r"\bje (?:t'|vous )ai (?:déjà |bien )?(?:dit|demandé)|\bj'ai (?:déjà |bien )?(?:dit|demandé)\b"
         r"|\bje voulais (?!savoir|te |vous )|\bje ne veux pas\b|\bcomme (?:je l'ai )?dit\b"),
    rule("fr-tu-as", "early", 0.8, "names what the agent did wrong",
         r"\b(?:tu as|vous avez) (?:encore |tout )?(?:oublié|supprimé|cassé|changé|effacé|ignoré|renommé|retiré|raté"
         r"|mal)\b|\btu t'es tromp"
         r"|\btu n'aurais pas dû\b|\btu ne (?:dois|devrais|peux) pas\b"),
    rule("fr-il-faut", "early", 0.7, "says what must be instead",
         r"\bil ne faut (?:pas|jamais)\b|\bil fallait\b|\bil faut plutôt\b"),
    rule("fr-pourquoi", "opening", 0.7, "asks why the agent did that",
         r"pourquoi (?:as-tu|tu as|avez-vous|est-ce que tu as|\w+es-tu) (?:\w+ )?(?:supprim|chang|ajout|modif|retir"
         r"|renomm|effac|utilis|mis|cré|enlev|touch)"),
    rule("fr-ne-pas", "opening", 0.8, "forbids what was done or proposed",
         r"(?:s'il (?:te|vous) pla[îi]t,? )?(?:n'|ne )(?:\w+)(?: \w+)? (?:pas|jamais|plus)\b|arrêtez? (?:de |d'|ça)"
         r"|pas (?:comme ça|de|ici|ainsi|le|la|les)\b"),
    rule("fr-trop", "early", 0.7, "says that it is too much",
         r"\btrop (?:compliqué|complexe|verbeux|lourd)\w*|\binutilement\b"),
    rule("fr-nous", "first", 0.7, "states a rule of the team",
         r"\b(?:on|nous) (?:n'|ne )?\w+ (?:jamais|toujours)\b|^(?:chez nous|dans ce (?:projet|dépôt))\b"),
    rule("fr-desormais", "early", 0.9, "sets a rule for later",
         r"\bdésormais\b|\bdorénavant\b|\bà partir de maintenant\b|\bà l'avenir\b|\bla prochaine fois\b"),
    rule("fr-plutot", "first", 0.6, "wants something else instead",
         r"\bplutôt\b|\bà la place\b|\bet (?:non|pas) (?:une?|le|la|les|dans|à)\b"),
    rule("fr-marche-pas", "opening", 0.6, "says that it does not work",
         r"(?:ça|cela) ne (?:marche|fonctionne|compile|va) (?:toujours |plus )?(?:pas|plus)?"),
    rule("fr-attends", "opening", 0.7, "stops the agent", r"(?:attends|attendez|stop|halte)(?:$|[,!])"),
)  # fmt: skip
