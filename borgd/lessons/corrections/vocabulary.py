"""Words and phrases by what they mean in a reply to an agent's work: the linear detector's knowledge of languages. Data.

A line of a class is one phrase or several: ``(a|b) c`` stands for ``a c`` and ``b c``, an empty alternative is allowed.
All lower case, straight apostrophes. Languages are mixed on purpose, as people mix them. ``WIDE`` holds what is looked
for as it stands in scripts without spaces. What a class weighs is learnt; nothing here says whether it is a correction.
"""

from __future__ import annotations

from collections.abc import Mapping

MESSAGE: Mapping[str, str] = {
    "negation": """
        no|not|don't|doesn't|didn't|isn't|aren't|won't|can't|cannot|shouldn't|wasn't|weren't|haven't|hasn't|wouldn't
        couldn't
        never|none|nothing|neither|without
        nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne
        ne|pas|non|jamais|rien|aucun|aucune|sans
        nunca|nada|sin|ningún|ninguna|tampoco
        não|nao|nem|sem|nenhum|nenhuma
        niet|geen|nooit|mai|senza""",
    "refusal": """
        no|nope|nah|nay|nein|nee|nö|non|não|nao
        absolutely not|no way|hell no|please no|not like (this|that)|not here|not again|wrong way|other way (round|around)
        (that's|thats|this is|that is|it's) (wrong|incorrect|not right|not correct|not how|not what|not true|backwards)
        wrong|incorrect|falsch|verkehrt|quatsch|faux|c'est faux|mal|incorrecto|equivocado|errado|incorreto
        (so|das) nicht|stimmt nicht|(ist|war) falsch|andersrum|andersherum|genau umgekehrt|c'est l'inverse|pas comme ça
        así no|al revés|no es así|está mal|não é (assim|isso)|ao contrário|está errado""",
    "stop": """
        stop|wait|hold on|hang on|whoa|careful|halt|moment|warte|stopp|vorsicht|attends|attention|arrête|doucement
        espera|para|cuidado|ojo|calma|pera""",
    "lasting": """
        from now on|going forward|in (|the )future|for (|the )(future|record)|next time|as a rule|across the board
        company wide|by convention|by policy|for next time|for future reference|every time|each time|either
        in (all|every|any|none of|our|this) (|our )(repo|repos|project|projects|file|files|service|services|module|modules
        |package|codebase|repository|repositories|team|org|company|house)
        (holds|goes|applies|true|same) for (all|every|everything|any|our)
        ab (jetzt|sofort)|künftig|zukünftig|in zukunft|nächstes mal|beim nächsten mal|gilt (für|überall|immer)
        grundsätzlich
        dorénavant|désormais|à l'avenir|la prochaine fois|en général|partout
        a partir de (ahora|agora)|de ahora en adelante|en adelante|la próxima|siempre que
        daqui (pra|para) frente|da próxima|doravante|sempre que|d'ora in poi|voortaan""",
    "generality": """
        always|never|every|everything|everywhere|all|any|only|each|must|mustn't|exclusively|whenever|wherever|anything
        rule|rules|convention|conventions|policy|policies|standard|guideline|guidelines|nobody|everybody|no one|everyone
        immer|nie|niemals|alle|alles|jeder|jede|jedes|jedem|überall|nur|muss|müssen|regel|regeln|konvention|ausschließlich
        toujours|jamais|tout|tous|toutes|toute|partout|chaque|seulement|uniquement|doit|doivent|règle|convention
        siempre|nunca|todo|todos|toda|todas|cada|solo|sólo|debe|deben|regla|reglas|convención|únicamente
        sempre|nunca|tudo|todo|todos|toda|todas|cada|só|somente|apenas|deve|devem|regra|convenção
        altijd|alleen|elke|ogni|tutti|tutte|soltanto""",
    "ours": """
        we|our|us|ours|we've|we're|here|wir|uns|unser|unsere|unserem|unseren|hier|bei uns|nous|notre|nos|on|ici|chez nous
        nosotros|nuestro|nuestra|nuestros|aquí|acá|nós|nosso|nossa|a gente|aqui|wij|onze|noi|nostro|nostra|in here
        round here|around here|in this (repo|project|codebase|package|module|team|house)""",
    "have": """
        we(| already|'ve) (have|got)|there('s| is| are)|we (use|keep|go|do|put|call|write|run|store|log|pin|set|name|never
        |always|don't|only|test|ship|treat)|we've (always|never|a|an|got)
        wir (haben|nutzen|nehmen|benutzen|verwenden|machen|setzen|schreiben|legen)|es gibt|gibt es|gibt's|dafür (gibt
        |haben)
        on (a|utilise|passe|met|fait|garde|écrit|appelle|range|ne)|il y a|nous (avons|utilisons)
        tenemos|hay|usamos|ponemos|vamos con|temos|tem|existe|existen|a gente (usa|tem|põe|coloca)""",
    "agent": """
        you|your|you've|you're|yours|u|ur|du|dein|deine|deinen|deiner|ihr|ihre|tu|ton|ta|tes|vous|votre|vos|t'as
        tú|te|vos|você|vc|seu|sua|teu|tua|jij|je""",
    "agent did": """
        you (just |also |again |still |)(forgot|missed|broke|removed|deleted|dropped|skipped|overwrote|changed|renamed
        |reverted|duplicated|added|used|put|made|wrote|hardcoded|ignored|swallowed|lost|touched|reformatted|edited|assumed
        |disabled|rewrote|created|moved|called|left|picked|have|did|took|mixed|invented|guessed|copied|committed|pushed)
        you (should|shouldn't|must|mustn't|can't|cannot|may not|need to|have to|didn't|don't|haven't|weren't)
        you(r|'re) (missing|breaking|using|reformatting|overwriting|mixing|guessing|assuming|ignoring)
        (hast|hattest) du|du (hast|darfst|sollst|solltest|musst)|tu (as|n'as|aurais|dois|devrais)|t'as
        (has|habías) (puesto|usado|hecho|borrado|cambiado|creado)|você (usou|colocou|apagou|mudou|criou|fez)""",
    "self": """
        i|i'm|i've|i'd|i'll|my|me|mine|ich|mein|meine|mir|mich|je|j'ai|j'avais|mon|ma|mes|moi|yo|mi|mis|eu|meu|minha
        mim""",
    "own mistake": """
        my (mistake|bad|fault|error|typo)|i (meant|was wrong|mistyped|misread|forgot|mixed up|should have said
        |got it wrong
        |mean|confused|told you)|sorry|oops|scratch that|(on |)second (thought|thoughts)|changed my mind|nevermind
        never mind
        forget (it|that|what)|ignore (that|my)|disregard|i take (that|it) back|wrong (window|chat|file|ticket|branch|repo)
        mein fehler|ich meinte|verschrieben|vertippt|vertan|hab mich|habe mich|doch lieber|vergiss es|entschuldigung|ups
        ma faute|me suis (trompé|trompée|planté)|je voulais dire|finalement|pardon|désolé|désolée|mon erreur|oublie
        error mío|me equivoqué|quise decir|mejor no|pensándolo|perdón|perdona|disculpa|culpa mía|olvídalo
        erro meu|me enganei|quis dizer|pensando bem|desculpa|culpa minha|foi mal|esquece|esqueci""",
    "outside": """
        (the |our |)(client|customer|marketing|legal|boss|ceo|cto|management|design|designer|product|sales|team|support
        |compliance|pm|po|stakeholders|finance|ops|security) (now |just |has |have |)(wants|want|decided|said|asked|called
        |prefers|changed|needs|will|announced|insists|says)
        after all|plan(s|) (has |have |)changed|change of (plan|plans|mind)|decided|decision|just announced|on hold
        planänderung|doch nicht|(kunde|vertrieb|chef|chefin|rechtsabteilung) (will|möchte|hat)|entschieden
        beschlossen|abgesagt
        le client|la direction|changement de plan|décidé|veut plutôt|préfère|tout compte fait
        el cliente|la jefa|el jefe|cambio de planes|decidió|decidieron|prefiere|al final
        o cliente|a chefe|o chefe|mudança de planos|decidiu|decidiram|no fim""",
    "further": """
        also|too|additionally|next|now|then|another|further|likewise|besides|as well|next up|carry on
        continue|go on|go ahead|the rest|the other|the others|remaining|one more|another thing|another one
        while (you're|ur)
        new (file|ticket|task|endpoint|page|branch|issue)|same (for|in|with|thing|treatment)|after that|once (that's|done)
        auch|außerdem|noch|zusätzlich|jetzt|dann|nun|weiter|gleich|dazu|auch noch|als nächstes|mach weiter
        das gleiche|genauso
        aussi|également|ensuite|maintenant|puis|encore|autre|pareil|la suite|en plus|de même|continue
        también|además|ahora|luego|después|otro|otra|mismo|misma|lo mismo|sigue
        também|além|agora|depois|outro|outra|mesmo|mesma|ainda|o mesmo|continua|aproveita""",
    "approval": """
        thanks|thank you|thx|ty|great|nice|perfect|good|cool|awesome|lovely|love|excellent|neat|sweet|fine|lgtm|ok|okay
        yes|yep|yeah|yup|sure|brilliant|impressive|beautiful|wow|amazing|cheers|kudos|looking good|much better
        danke|super|prima|perfekt|toll|klasse|schön|gut|ja|passt|genau|top|sauber|merci|parfait|génial|nickel|bien|oui|ok
        impeccable|exactement|bravo|gracias|perfecto|genial|sí|dale|estupendo|excelente|vale|listo|claro
        obrigado|obrigada|valeu|perfeito|ótimo|otimo|bom|boa|show|sim|beleza|legal|isso""",
    "go": """
        ship it|merge it|go ahead|that's (it|right|correct|perfect|great|how)|looks (good|great|right)|well done
        nicely done
        you got it|love (it|this|that)|how it should be|good (stuff|job|work|call|catch|point)|commit it|merging|shipping
        push it|deploy it|i like|happy with|works for me|do it|sounds good|agreed|approved|exactly (right|how|what|like)
        passt so|genau so|kann so|so lassen|mach das|c'est (bon|parfait|nickel)|tout bon|vas-y|on y va|ça marche
        así (está|me gusta|queda)|queda (bien|perfecto)|adelante|tá (ótimo|bom|certo)|pode (subir|mandar|mergear)
        manda ver""",
    "result": """
        still|again|error|errors|fails|failed|failing|fail|passes|passed|passing|green|red|crash|crashes|crashed|exception
        timeout|returns|returned|got|log|logs|output|says|shows|seeing|hangs|stalls|exits|warnings|works|worked|compiles
        fehler|schlägt|fehlgeschlagen|läuft|grün|rot|kommt|geht|erreur|échoue|plante|marche|affiche
        sigue|error|falla|fallan|falló|fallando|sale|pasa|pasan|aún|erro|falha|falhou|deu|passou|passaram|rodou""",
    "report": """
        still (fails|the same|broken|red|hangs|crashes|slow|there|not|failing|happens|see|getting|throws)|same error
        works (now|here|for me|locally|fine)|passes now|tested|tried|deployed|ran it|it (runs|ran|built|compiles
        |crashes|hangs
        |fails|works|failed|crashed)|exit (code|status)|stack trace|traceback|segfault|down to|went from|confirmed
        verified
        (doesn't|won't|didn't) (start|work|build|compile|load|run|help|change)|(is|are) still|no (errors|warnings|crash
        |crashes|leaks|difference|change)|looks complete|see attached|screenshot
        geht jetzt|läuft jetzt|getestet|ausprobiert|weiterhin|nach wie vor|immer noch|funktioniert|klappt
        ça marche|testé|toujours (pas|le|la)|toujours en|probado|funciona|desplegado|sigue (fallando|igual|sin)
        ya (funciona|no)
        testei|funcionou|continua (dando|falhando|igual)|ainda (dá|está|não)""",
    "why": """
        why|how come|since when|wieso|warum|weshalb|wozu|seit wann|pourquoi|comment ça|depuis quand
        por qué|porqué|desde cuándo|por que|porque|desde quando|waarom|perché""",
    "challenge": """
        why (did|do|are|would|have|is|not|the|a|an|does|don't|isn't|you|on earth)|what('s| is) (that|this|the point) for
        (should|is|are|does|do|did|was|were|has|have|would|could|ca|wo)n't (the|that|this|it|we|there|you|these|those|they
        |a|an|all|every|our)|shouldn't|aren't we|don't we|didn't we|haven't we|did you (just|really|even|check|read|look)
        are you sure|do we (really|need)|is (that|this|it) (really|safe|intended|on purpose)|really
        müsste|sollte|gehört das|haben wir (nicht|dafür)|war das nicht|ist das nicht|doch
        ne (devrait|faudrait|serait)|n'est-ce pas|il ne faut pas|on n'a pas|n'avait|tu crois
        no (debería|deberíamos|tendría|habíamos|era|iba|teníamos)|não (deveria|era|tinha|devia|tínhamos|seria)""",
    "curiosity": """
        out of curiosity|curious|just (asking|wondering)|asking (for|because)|wondering|any idea|do you know|i forget
        i always forget|no need to (change|do|touch)|for my (own |)understanding|roughly|how (long|many|much|big
        |often|far)
        what (does|is|are|do|would|happens)|what's|where (is|are|does|do)|when (is|does|did|was)|who (is|put|owns
        |wrote|has|did)|is there|are there|is it
        does (it|that|this)|do (we|you|they) (have|know)|which (one|of)|can i|how (do|does|is|would)|or (is|are|do
        |does|was)
        nur aus interesse|aus neugier|weißt du|wie (lange|viel|viele|groß|oft)|was (ist|heißt|bedeutet)|eigentlich
        par curiosité|combien|qu'est-ce|c'est quoi|est-ce|y a-t-il|ça change|por curiosidad|cuánto|cuántos|cuántas|cuánta
        qué (es|significa|pasa)|hay (algún|alguna)|quanto|quantos|quantas|o que (é|significa)|só por curiosidade""",
    "should": """
        should|shouldn't|ought|supposed|must|has to|have to|needs|need|belongs|belong|goes|go|comes|come|lives|live
        sollte|sollten|soll|sollen|gehört|gehören|kommt|kommen|muss|darf|dürfen|devrait|doit|faut|va|vont
        debería|debe|tiene que|hay que|va|van|deveria|deve|tem que|vai|vão|precisa""",
    "is so": """
        (goes|go|lives|live|belongs|belong|comes|come|stays|stay|runs|run|gets|get|needs|need|uses|use|takes|take|sits|sit
        |is|are) (in|into|to|through|from|on|under|via|with|always|never|only|by|not|the|its|their|done|made|called|named)
        (gehört|gehören|kommt|kommen|läuft|laufen|geht|gehen|liegt|liegen|heißen|heißt|steht|stehen|wird|werden) (in
        |ins|zu
        |nach|über|durch|immer|nie|nur|bei|unter|mit|aus|hier|alle|bei uns|nicht|im)
        (va|vont|passe|passent|reste|restent) (dans|par|en|sur|avec|toujours)|se (met|fait|range|nomme)|il faut|on met
        (va|van) (en|con|por|siempre)|se (usa|usan|pone|hace|llama|guarda|escribe|prueba|hacen|ponen)|tiene que
        (vai|vão|fica|ficam) (em|no|na|nos|nas|sempre|com)|tem que""",
    "forbid": """
        never|don't|do not|must not|mustn't|nobody|not allowed|off limits|hands off|keep out|forbidden|no more|stop (doing
        |using|writing|adding|putting|making|touching|changing)|no (raw|new|direct|hardcoded|inline|global)
        niemals|nicht (mehr |)(in|direkt|von|so)|verboten|bitte nicht|kein|keine|keinen|interdit|pas de|jamais de
        prohibido|nada de|no se|no (uses|pongas|toques|metas|hagas)|proibido|não (use|coloque|mexa|se)""",
    "harm": """
        break|breaks|broke|leak|leaks|loses|lost|cost|costs|blows up|blew up|incident|outage|complain|complains|complained
        oom|race|lock|locks|deadlock|security|gdpr|dsgvo|audit|otherwise|or else|that's how|that is how|which is why
        last (time|week|month|year|summer|spring|winter|autumn)|we had|burned|bitten|postmortem|wakes|page|paged|breaking
        sonst|kaputt|vorfall|fliegt|knallt|platzt|sinon|casse|incident|perd|coûte|si no|rompe|se cae|pierde|duplica
        senão|quebra|cai|perde|duplica|estoura""",
    "reason": """
        because|since|otherwise|so that|due to|reason|cos|cause|that's why|weil|sonst|denn|deshalb|damit|sinon
        parce que|car
        donc|puisque|porque|si no|pues|así que|senão|pois|já que|por isso""",
    "text": """
        translate|reword|rephrase|proofread|word for word|verbatim|with the text|saying|wording|draft|reply|respond|answer
        (write|reply|tell|send|message|email|mail) (to |)(him|her|them|the|back)|(slack|email|mail|post) (him|her
        |them|the|this
        |that)|the (label|title|message|banner|text|copy) (should |)(say|says|read|reads)|commit message|release note
        politely
        übersetz|übersetze|formulier|formuliere|antworte|antwort|schreib ihm|schreib ihr|schreib dem|schreib der|höflich
        traduis|traduire|reformule|réponds|répondre|poliment|traduce|responde|responder|redacta|amablemente
        traduz|traduza|responda|escreve|escreva|educadamente""",
    "exists": """
        already|exists|exist|bereits|schon|gibt|déjà|existe|ya|já|we have one|there is one|instead of rolling""",
    "legacy": """
        legacy|deprecated|generated|obsolete|vendored|overwritten|frozen|read-only|readonly|reserved|outdated
        autogenerated
        veraltet|generiert|généré|générée|obsolète|generado|generados|obsoleto|gerado|gerados""",
    "condition": """
        if|when|once|unless|until|wenn|falls|sobald|si|quand|dès|cuando|se|quando|caso""",
    "comparison": """
        than|instead|rather|rather than|instead of|sondern|statt|anstatt|plutôt|au lieu|lieber|besser|sino|en lugar|en vez
        mejor|em vez|melhor|better|simpler|and not|but not|not the""",
    "past": """
        was|were|had|did|been|used to|before|earlier|months ago|yesterday|war|waren|hatte|hatten|wurde|gestern|damals
        était|avait|hier|dernier|era|fue|tuvimos|tenía|ayer|foi|tivemos|tinha|ontem""",
    "repair": """
        (i|i've|i have|i had to|i just|i already|we) (reverted|fixed|changed|moved|put|undid|removed|restored|repaired
        |corrected|renamed|swapped|replaced|rewrote|cleaned|deleted|redid)|(had to|having to) (revert|fix|change|undo
        redo)
        by hand|myself|manually|put (it|them|that) back|habe? (ich |es |das |die |den |)(korrigiert|geändert
        |zurückgesetzt|
        repariert|umbenannt|rückgängig)|von hand|selbst|j'ai (corrigé|remis|annulé|changé|dû)|à la main|moi-même
        (he|lo he|los he|la he) (corregido|cambiado|revertido|arreglado)|corregí|cambié|revertí|arreglé|a mano
        corrigi|mudei|reverti|arrumei|desfiz|na mão|à mão""",
    "is": """
        is|are|be|was|it's|that's|this|that|ist|sind|sei|das|est|sont|c'est|es|son|está|están|é|são""",
    "place": """
        there|here|everywhere|anywhere|elsewhere|hier|dort|überall|ici|là|partout|aquí|ahí|allí|aqui|lá|ali""",
    "people": """
        customer|customers|user|users|people|nobody|everyone|reviewers|support|ops|finance|legal|clients|kunden|leute
        niemand|nutzer|utilisateurs|personne|gens|usuarios|nadie|gente|usuários|ninguém|pessoal""",
    "turn": """
        but|however|though|although|allerdings|aber|nur|jedoch|par contre|mais|cependant|pero|sin embargo|aunque|mas|porém
        só que""",
    "request": """
        please|pls|plz|can you|could you|would you|let's|lets|bitte|kannst du|könntest du|s'il te|s'il vous|tu peux
        peux-tu
        pourrais|por favor|porfa|puedes|podrías|pode|poderia|você pode|dá pra|va bene|per favore""",
}
"""Classes of what the person says."""

PROPOSAL: Mapping[str, str] = {
    "did": """
        added|changed|moved|renamed|created|wrote|implemented|set|put|removed|replaced|updated|fixed|switched|used|stored
        made|extracted|introduced|configured|wrapped|copied|bumped|deleted|ran|deployed|committed|pushed|i've
        registered|wired
        raised|lowered|dropped|enabled|disabled|marked|pulled|installed|split|merged|sorted|rebased|hardcoded|mapped
        turned
        hinzugefügt|geändert|angelegt|erstellt|geschrieben|umgestellt|eingebaut|ergänzt|umbenannt|verschoben|gesetzt
        entfernt
        ajouté|changé|créé|mis|déplacé|renommé|remplacé|supprimé|branché|j'ai|he|añadí|agregué|creé|cambié|puse|moví|quité
        añadido|creado|cambiado|eliminé|guardé|adicionei|criei|mudei|coloquei|movi|troquei|removi|salvei|alterei
        edited""",
    "plan": """
        i'll|will|going to|would|propose|suggest|plan|i'd|werde|würde|vorschlag|vais|prévu|propose|voy a|plan|vou|plano
        pretendo|proposta|next step|planning to|about to""",
    "passes": """
        pass|passes|passed|green|works|working|build|builds|done|ready|finished|fixed|live|deployed|grün|läuft|fertig
        passt
        passent|prêt|prête|fini|marche|pasan|listo|lista|terminado|funciona|passam|pronto|pronta|passaram|merged""",
    "explains": """
        found|cause|caused|because|reason|due|came from|comes from|ursache|grund|liegt an|trouvé|vient|causa|viene
        encontré
        vem|encontrei|traced|turns out|root cause""",
    "listed": """
        listed|list|compared|profile|shows|above|diff|reviewed|read|analysed|analyzed|explained|investigated|narrowed
        looked
        measured|checked|gelistet|gefunden|analysiert|geprüft|listé|analysé|vérifié|analicé|revisé|analisei|revisei
        summary""",
    "now": """now|jetzt|nun|maintenant|désormais|ahora|agora""",
    "choice": """
        option|options|either|or|which|shall|should i|want|prefer|oder|soll ich|welche|welcher|ou|dois-je|quelle|quel
        je dois
        o|quieres|prefieres|cuál|qué|quer|prefere|devo|qual|do you want|ok to|okay to|want me to""",
    "as asked": """
        as you (asked|wanted|said|wished|requested|suggested|like)|as (requested|discussed|agreed|planned|before|asked)
        (as|like) in the (ticket|spec|issue|mock-up|mockup|design)|per the (ticket|spec)|wie (gewünscht|besprochen|du
        |im ticket
        |bisher|abgesprochen)|comme (demandé|convenu|tu|vous|prévu)|como (pediste|acordamos|querías|dijiste|você|combinado
        |pedido)""",
    "untouched": """
        untouched|(did not|didn't|have not|haven't|not yet) (touch|touched|open|opened|change|changed|look|looked)
        changed nothing|still (has|have|use|uses|repeats|repeat|read|reads|had)|remaining|the (other|others|rest)
        further|only (read
        |listed|looked)|next (on|is|would|up)|(are|is) left|already (had|there|existed)|as it was|nicht angefasst
        noch nicht
        nur gelesen|reste|restent|pas touché|falta|faltan|quedan|no he tocado|sin tocar|não (toquei|mexi)|faltam
        restam""",
    "trial": """
        please (try|check|test)|try (it|again)|can you (check|test|try|confirm|boot|run)|let me know|probier
        teste bitte|schau
        essaie|essayez|peux-tu (tester|vérifier)|prueba|dime|avísame|testa|me avisa|confirma""",
    "by me": """i|i've|i'll|ich|j'ai|je|he|yo|eu""",
}
"""Classes of what the agent said or did."""

WIDE_MESSAGE: Mapping[str, str] = {
    "negation": "ない ません なく じゃな ではな 不 没 别 無 않 안 없",
    "refusal": "違います 違う そうじゃ ではなく じゃなくて 不对 错了 不行 不是这样 反了 아니 틀렸",
    "lasting": "今後 次から これから 以后 下次 今后 앞으로 다음부터 毎回 每次",
    "generality": """
        必ず 常に すべて 全て 全部 いつも ルール 決まり 規約 原則 のみ だけ 都 必须 一律 所有 每 规定 规范 只 从来
        统一 一直 절대 항상 모든 반드시 규칙""",
    "ours": "うち 弊社 社内 ここ こちら 我们 咱们 这边 公司 우리 저희",
    "have": "があります 使って うちは 我们有 有个 已有 用的是 走的",
    "agent": "君 あなた 你 您",
    "own mistake": """
        すみません ごめん 失礼 つもり 私の 言い間違 やっぱり 抱歉 我说 我写 我记 我搞 不好意思 改主意 算了 죄송
        미안""",
    "outside": "仕様変更 方針 お客様 クライアント 決まりまし 需求变 需求改 计划有变 老板 客户 产品 변경",
    "further": "も 次 あと ついでに 続けて 同じ 同様 也 还 再 接着 接下来 顺便 另外 그리고 다음 또 도",
    "approval": """
        ありがとう 助かり 完璧 いいです 良い 了解 はい お願い 素晴らし バッチリ 谢谢 好的 完美 不错 可以 辛苦
        太好了 没问题 赞 고마 감사 좋""",
    "go": "これで このまま 問題ない 大丈夫 就这样 可以了 合并 提交吧 进行",
    "result": "まだ エラー 失敗 落ち 出ます 出まし 通り 还是 报错 错误 失败 仍然 超时 에러 실패 아직",
    "report": "動きまし 動い 動か 試し 確認し 出なく 治り 直りまし 好了 通了 还在 正常 跑了 测了 试了 여전히",
    "why": "なぜ なんで どうして 何で 为什么 为啥 怎么 干嘛 왜",
    "challenge": """
        んじゃ ではないです じゃないです のでは はずでは でしたっけ べきでは 必要あり 不是 不应该 不该 难道 않나
        아닌가""",
    "curiosity": "ですか でしょうか ますか 教えて 気になった 吗 多少 什么意思 是否 얼마 인가요 나요",
    "should": "べき はず です べ 应该 应当 要 得 该 해야",
    "is so": "になってい こと。 決まり ます。 ですよ ています 走 放在 放到 用 统一 属于",
    "forbid": "しないで 禁止 ダメ だめ ません 不要 不能 别 禁止 不准 하지 마 안 돼",
    "harm": "でないと 壊れ 漏れ 困り 否则 不然 会出 事故 出过 炸",
    "reason": "から ので ため 因为 不然 否则 所以 때문",
    "text": "訳 翻訳 文面 返信 文言 翻译 回复 邮件 文案 改写 번역",
    "exists": "すでに 既に もう ある あり 已经 有 现成 이미",
    "legacy": "自動生成 非推奨 古い 废弃 自动生成 旧的",
    "condition": "なら たら れば 場合 如果 要是 的话",
    "comparison": "ではなく じゃなく より 代わり 而不是 而是 不是 대신",
    "past": "以前 前回 昨日 先週 でした 之前 上次 上周 昨天 去年 전에",
    "repair": "戻して 戻しました 直して 直しました 修正しておき 改回 恢复了 我改 我修 고쳤",
    "turn": "ただ けど ですが 但 不过 就是 하지만 근데",
    "request": "ください 下さい して お願いし 頼み 请 帮我 麻烦 把 해주세요 해줘",
    "people": "ユーザー お客 みんな 用户 客户 大家 没人",
}  # fmt: skip
"""As MESSAGE, for scripts without spaces: substrings, apart by spaces."""

WIDE_PROPOSAL: Mapping[str, str] = {
    "did": "しました ました 了。 已 把 했습니다 加了 改成",
    "plan": "予定 します。 つもり 打算 计划 会",
    "passes": "通り 完了 通过 完成 できました 成功",
    "choice": "ますか しょうか 吗 还是 까요 どちら",
    "as asked": "ご指定 ご要望 言われた 按你 按要求 按照 如你",
    "untouched": "まだ 触って 还没 没动 没改 剩下 残り",
    "listed": "一覧 調べ 見つけ 列出 找到 分析",
    "trial": "試して 確認して 试试 看一下 确认",
    "by me": "我把 我在 我用 我给 我已",
}
"""As PROPOSAL, for scripts without spaces."""

IMPERATIVES = """
add adjust apply ask bail benchmark bring build bump call change check clean clear close collect commit compare compress
convert copy cover create cut debug define delete deploy describe disable do document draft drop dump enable estimate explain
export expose extend extract fetch figure find finish fix follow format generate get give go grab grep group hide implement
import improve include increase inspect install integrate investigate kill limit link list look lower make map mark measure
merge migrate mock move open optimise optimize order pick pin plot point port prepare print profile publish pull push raise
rebase record refactor regenerate release remove rename render replace report rerun restart return review rewrite rip roll
rotate run save schedule seed send set ship show shrink skip sort split squash start store summarise summarize swap switch
take tell test track translate trim try turn tweak undo unify update upgrade validate verify wire wrap write
füge mach mache leg lege bau baue schreib schreibe zeig zeige prüf prüfe nimm stell stelle benenne lösch lösche such suche
erstelle starte ändere pack packe schick schicke übersetz vergiss ergänze teste aktualisiere
ajoute crée fais mets écris montre vérifie supprime renomme lance regarde passe change corrige traduis remplace génère envoie
añade agrega crea haz pon escribe muestra revisa borra elimina cambia ejecuta lanza corre mira mueve actualiza sube genera
traduce prueba adiciona cria faz coloca escreve mostra verifica apaga muda roda executa olha move atualiza sobe gera
testa põe
"""
"""First words of a sentence that has something done."""

LEADERS = """
please pls plz now then and ok okay also so great nice thanks bitte jetzt dann und ahora maintenant y et e agora let's lets
can could you next hey well sure yes cool perfect
"""
"""Words before the first word that counts."""

SPELLINGS = {
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't", "wont": "won't",
    "cant": "can't", "shouldnt": "shouldn't", "wasnt": "wasn't", "werent": "weren't", "havent": "haven't",
    "hasnt": "hasn't", "wouldnt": "wouldn't", "couldnt": "couldn't", "im": "i'm", "ive": "i've", "youre": "you're",
    "youve": "you've", "thats": "that's", "whats": "what's", "theres": "there's", "lets": "let's", "teh": "the",
    "becuase": "because", "shoudl": "should", "pq": "porque", "vc": "você", "tb": "también", "tbm": "também",
    "nao": "não", "plz": "please", "pls": "please", "thx": "thanks", "u": "you", "ur": "your", "w/o": "without",
}  # fmt: skip
"""How a word is also written."""
