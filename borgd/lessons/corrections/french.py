"""French."""

from __future__ import annotations

import re

from borgd.lessons.corrections.languages import rule

HARMLESS = re.compile(
    r"\bnon,? merci\b|\bpas (?:de (?:souci|problème|panique)s?|grave|mal|encore|s[ûu]r|seulement|urgent|joignable)\b"
    r"|\bn'oublie[sz]? pas\b|\bne t'inqui[èe]te pas\b|\bpourquoi pas\b|\bje (?:ne )?(?:sais|comprends) pas\b"
    r"|\bn'existe pas\b"
    r"|\bne (?:l[èe]ve|renvoie) jamais\b|\bne (?:\w+) pas encore\b"
)

RULES = (
    rule("fr-non", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:mais |ah |ben )?non(?:$|[,!:;–-]+|\s+(?=(?:ne|pas|il|on|je|garde|remets|ça|c'|non)))"
         r"(?!.{0,40}\b(?:c'est bon|ça va|d'accord|parfait|merci)\b)"),
    rule("fr-faux", "early", 0.8, "says that it is wrong",
         r"\b(?:c'est|c'était|ce (?:serait|n'est)|ça n'est) (?:\w+ment )?(?:faux|incorrect|une erreur"
         r"|pas (?:ça|bon|correct|vrai|ce que|comme|ainsi|la bonne|le bon))|^(?:faux|incorrect|mauvaise? (?:idée"
         r"|fichier|dossier))\b"),
    rule("fr-annule", "opening", 0.9, "asks to take it back",
         r"(?:annule|reviens|remets|restaure|défais|rétablis)\b"
         r"(?=$|[,!]| (?:ça|cela|tout|comme|l'ancien|la version|le code|les changements|tes|en arrière|à))"
         r"|(?:laisse|garde) .{1,40}\bcomme (?:ils?|elles?|c'était|avant)\b"),
    rule("fr-je-t-ai-dit", "early", 0.8, "repeats what was asked for",
         r"\bje (?:t'|vous )ai (?:déjà |bien )?(?:dit|demandé)|\bj'ai (?:déjà |bien )?(?:dit|demandé)\b"
         r"|\bje voulais (?!savoir|te |vous )|\bje ne veux pas\b|\bcomme (?:je l'ai )?dit\b|\bon avait dit\b"
         r"|\bje parlais d"),
    rule("fr-tu-as", "early", 0.8, "names what the agent did wrong",
         r"\b(?:tu as|vous avez) (?:encore |tout )?(?:oublié|supprimé|cassé|changé|effacé|ignoré|renommé|retiré|raté"
         r"|mal|enlevé)\b"
         r"|\btu t'es tromp|\btu n'aurais pas dû\b|\btu ne (?:dois|devrais|peux) pas\b|\btu (?:casses|oublies"
         r"|confonds|inventes)\b"
         r"|\bétaite? voulue?\b|\bexprès\b"),
    rule("fr-il-faut", "early", 0.7, "says what must be instead",
         r"\bil ne faut (?:pas|jamais)\b|\bil fallait\b|\bil faut plutôt\b|\bne (?:doit|doivent|devrait) (?:pas|jamais)\b"
         r"|\bdoi(?:t|vent) rester\b|\bc'est (?:au|à la|aux) \w+ de\b"),
    rule("fr-pourquoi", "opening", 0.7, "asks why the agent did that",
         r"pourquoi (?:as-tu|tu as|avez-vous|est-ce que tu as|\w+es-tu) (?:\w+ )?(?:supprim|chang|ajout|modif|retir"
         r"|renomm|effac"
         r"|utilis|mis|cré|enlev|touch)|pourquoi (?:ne pas|un nouveau|une nouvelle)\b"),
    rule("fr-ne-pas", "opening", 0.8, "forbids what was done or proposed",
         r"(?:s'il (?:te|vous) pla[îi]t,? )?(?:n'|ne )(?:\w+)(?: \w+)? (?:pas|jamais|plus)\b|arrêtez? (?:de |d'|ça)"
         r"|pas (?:comme ça|de|ici|ainsi|le|la|les)\b"),
    rule("fr-enleve", "opening", 0.7, "has something of the agent's removed",
         r"(?:enlève|retire|supprime|vire|efface) (?:ça|cela|ce|cet|cette|ces)\b|.{0,40}\b(?:ne sert à rien|pas besoin)\b"),
    rule("fr-trop", "early", 0.7, "says that it is too much",
         r"\btrop (?:compliqué|complexe|verbeux|lourd|lent)\w*|\binutilement\b"),
    rule("fr-nous", "first", 0.7, "states a rule of the team",
         r"\b(?:on|nous) (?:n'|ne )?\w+ (?:jamais|toujours)\b|^(?:chez nous|dans ce (?:projet|dépôt))\b|^(?:toujours"
         r"|jamais) "
         r"|^on ne \w+ pas\b"),
    rule("fr-desormais", "early", 0.9, "sets a rule for later",
         r"\bdésormais\b|\bdorénavant\b|\bà partir de maintenant\b|\bà l'avenir\b|\bla prochaine fois\b"),
    rule("fr-plutot", "first", 0.6, "wants something else instead",
         r"\bplutôt\b|\bà la place\b|\bet (?:non|pas) (?:une?|le|la|les|dans|à)\b|, pas (?:une?|le|la|les|en|par"
         r"|\w+[a-z]id)\b"
         r"|\bs'appelle \w+, pas\b|\best généré\b"),
    rule("fr-marche-pas", "opening", 0.6, "says that it does not work",
         r"(?:ça|cela) ne (?:marche|fonctionne|compile|va) (?:toujours |plus )?(?:pas|plus)?"),
    rule("fr-presque", "opening", 0.7, "says that it is nearly right", r"(?:presque|pas tout à fait)(?:$|[,!:]| mais\b)"),
    rule("fr-surtout-pas", "opening", 0.8, "refuses it",
         r"(?:surtout pas|certainement pas|hors de question|jamais de la vie)\b"),
    rule("fr-manque", "opening", 0.6, "names what it leaves out",
         r"(?:ça|cela|ton|ta|tes) (?:\w+ )?(?:ne |n')\w+ (?:pas|que|plus)\b"),
    rule("fr-modele", "opening", 0.6, "points to how it is done elsewhere",
         r"(?:suis|respecte|reprends|garde) (?:le|la|les) (?:même\w*|mod[èe]le|style|conventions?)\b"
         r"|.{0,40}\bcomme (?:partout|ailleurs|les autres|dans les autres)\b"
         r"|demande avant\b"),
    rule("fr-grave", "early", 0.7, "names what is bad about it",
         r"\bc'est une? (?:\w+ )?(?:faille|fuite|bug|régression|risque|changement cassant|hack)\b"),
    rule("fr-tu-dois", "opening", 0.6, "says what the agent must do",
         r"tu dois\b|.{1,60}, sinon\b|.{1,60}\bchez nous\b|utilise \w+, "),
    rule("fr-pas-cela", "first", 0.5, "sets one thing against another",
         r"\b(?:utilise|est|en|dans|avec|par)\b[^,]{1,40}, pas \w+"),
    rule("fr-attends", "opening", 0.7, "stops the agent", r"(?:attends|attendez|stop|halte)(?:$|[,!])"),
)  # fmt: skip
