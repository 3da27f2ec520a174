"""English."""

from __future__ import annotations

import re

from borgd.lessons.corrections.languages import rule

HARMLESS = re.compile(
    r"\bno (?:rush|worr(?:y|ies)|problems?|hurry|idea|clue|pressure|doubt|matter|thanks|thank you|questions?|longer|one"
    r"|big deal|preference|further|more (?:changes|questions)|tests? (?:exist|yet)|changes needed"
    r"|need to (?:rush|hurry|reply|answer|respond))\b"
    r"|\bnot (?:sure|yet|bad|only|urgent|certain|just|necessarily)\b|\b(?:or|if|whether or|could|may|might) not\b"
    r"|\bwhy not\b(?! just\b| simply\b)"
    r"|\b(?:don'?t|do not) (?:forget|worry|hesitate|know|understand|remember|mind|see (?!why\b|the (?:point|need)\b)"
    r"|start|have time)\b"
    r"|\b(?:don'?t|do not) (?:\w+ ){1,5}(?:yet|until|till|before)\b"
    r"|\bnever (?:mind|seen|heard|used|done|tried|had|worked|got)\b"
    r"|\b(?:don'?t|do not) (?:merge|push|commit|deploy|start|run) (?:it |this |that )?(?:yet|,)"
    r"|\b(?:explain|tell me|wonder|know|understand)(?: to me)? why you\b"
    r"|\b(?:what|everything|how|where|which \w+|whatever)(?: did)? you(?:'ve| have)? \w+"
    r"|\bif you (?:don'?t|do not)\b|\bnothing wrong\b|\bwhat(?:'s| is| was) wrong\b|\bno\. \d"
)

_FINE = (
    r"(?!.{0,40}\b(?:fine|good|ok|okay|great|perfect|all right|that's all|that's it|go on|go ahead|proceed|that works)\b)"
)
_DID = (
    r"(?:forgot|forgotten|missed|broke|broken|ignored|removed|deleted|dropped|skipped|overwrote|overwritten|misunderstood"
    r"|misread|hallucinated|hard-?coded|changed|renamed|reverted|duplicated|left out|mixed up|confused|invented|made up"
    r"|guessed|swallowed|lost|touched|reformatted|edited|assumed|disabled|rewrote|got (?:it|that|this) (?:wrong|backwards)"
    r"|didn'?t|did not|haven'?t)"
)
_RULED = r"(?!(?:have|had|know|see|care|understand|get|got|need|want to|really|yet|think|remember|currently)\b)"
_LATER = r"(?!.{0,60}\b(?:yet|until|before i|first\b))"
_WRONG_PART = (
    r"(?:file|branch|repo|repository|directory|folder|place|approach|way|version|table|class|env|environment|api|endpoint"
    r"|port|unit|module|package|layer|service|function|import|order)"
)

RULES = (
    rule("en-no", "opening", 0.8, "starts with a no to what was proposed",
         rf"(?:no|nope|nah|nay)(?:$|[\s,!:;—–-]+(?=(?:no|nope)\b)|[,!:;—–-]+"
         rf"|\s+(?=(?:that|this|it|we|you|don|do|not|the|i|keep|use|leave|please|just|never|always|more|way)\b)){_FINE}"),
    rule("en-no-thing", "opening", 0.7, "forbids a thing",
         r"(?:(?:please|pls),? )?no (?:more )?[\w-]+(?: [\w-]+){0,2},? (?:please|pls|here|in (?:this|the)|for this)\b"
         r"|no [\w-]+ (?:magic|hacks?|tricks?)\b"),
    rule("en-a-no", "opening", 0.8, "says that it is a no", r"(?:that'?s|it'?s|that is) a (?:hard |big |clear )?no\b"),
    rule("en-wrong", "early", 0.8, "says that it is wrong",
         r"\b(?:that|this|it|which)(?:'?s| is| was| looks| seems)(?: just| simply| still| also| completely| totally| plain"
         r"| all| clearly)? (?:wrong|incorrect|backwards|nonsense|false|a mistake|inside out|the wrong|off\b(?! limits)"
         r"|not (?:right|correct|true|what|how|where|the way|our|needed|necessary|acceptable|good enough))\b"),
    rule("en-wrong-thing", "opening", 0.8, "names what is wrong",
         rf"(?:the )?(?:wrong|incorrect)(?:$|[,!:]| {_WRONG_PART}\b|(?: [\w-]+){{1,2}}[,!:])"),
    rule("en-wrong-part", "early", 0.7, "names what is wrong", rf"\byou(?:'re| are)? .{{1,30}}\bthe wrong {_WRONG_PART}\b"),
    rule("en-that-is-not", "opening", 0.7, "says what it is not",
         r"(?:that|this|it)(?:'?s| is| was)? ?(?:still |really )?(?:not|isn'?t|wasn'?t)\b(?! (?:a problem|an issue|urgent"
         r"|too bad|possible|clear|available|there))"),
    rule("en-do-not", "opening", 0.8, "forbids what was done or proposed",
         rf"(?:please,? |pls )?(?:do not|don'?t|never|let'?s not|stop (?:\w+ing|that|this|it)"
         rf"|(?:can|could) (?:you|we) (?:please )?(?:not|stop)|quit \w+ing)\b{_LATER}"),
    rule("en-undo", "opening", 0.9, "asks to take it back",
         r"(?:please,? |can you |could you |just )*(?:revert|undo|roll ?back|restore|(?:put|take|change|turn|rename"
         r"|move|switch)"
         r" (?:it|that|this|them) (?:back|out)|(?:put|bring|add) the .{1,30} back|go back to|back to the)\b"
         r"(?=$|,|!| (?:and|please|that|this|it|those|these|them|your|everything|all|to (?:the|what|how)|what you|the way"
         r"|the (?:last|changes?|renam\w+|edits?|previous|old|original))|(?<=back to)|(?<=back to the))"),
    rule("en-back", "early", 0.8, "asks to take it back",
         r"\b(?:put|bring|change|rename|move|turn|switch) (?:it|that|this|them|the [\w-]+(?: [\w-]+)?) back\b"),
    rule("en-i-said", "early", 0.8, "repeats what was asked for",
         r"\bi (?:(?:already|just|clearly|specifically|explicitly|only) )?(?:said|told you|asked (?:you|for)|meant"
         r"|never (?:asked|said|wanted|told)|did(?:n't| not) (?:ask|say|want|mean)|(?:don'?t|do not) (?:want|like|agree)"
         r"|disagree|wasn'?t clear)\b|\bi wanted (?!to )|\bi (?:only|just) wanted\b|\bas (?:i said|we agreed"
         r"|discussed|agreed)\b|^we (?:said|agreed)\b"
         r"|^(?:once )?again:"),
    rule("en-expected", "early", 0.7, "says what was expected instead",
         r"\bi(?:'d| would)(?: have)? expect(?:ed)?\b|\bi expected\b|\bnot what i (?:had|meant|want|asked|need)"),
    rule("en-rather", "opening", 0.7, "prefers something else",
         r"i(?:'d| would) (?:much )?(?:rather|prefer)\b|i prefer\b|i think .{1,60}\b(?:better|cleaner|simpler) than\b"),
    rule("en-i-do-not-think", "opening", 0.7, "doubts it",
         r"i (?:don'?t|do not) (?:think (?:that|this|so|we|it|you)|see (?:why|the (?:point|need)))\b|are you sure\b"
         r"|i'?m not (?:a fan|happy|convinced)\b|not a fan\b|i hate\b"),
    rule("en-you-did", "early", 0.8, "names what the agent did wrong",
         rf"\byou(?:'ve| have)?(?: just| also| again| still| completely| even){{0,2}} {_DID}\b"),
    rule("en-you-wrote", "opening", 0.6, "sets what the agent did against what holds",
         r".{1,60}, (?:but )?you (?:wrote|used|put|made|return\w*|call\w*|have|did)\b"),
    rule("en-you-are", "early", 0.8, "names what the agent is doing wrong",
         r"\byou(?:'re| are|re)(?: again| still| just)? (?:over\w+ing|hallucinating|guessing|missing|mixing"
         r"|confusing|ignoring"
         r"|repeating|assuming|wrong|not supposed|supposed to|editing the|using the wrong)\b"),
    rule("en-you-should", "early", 0.8, "says what the agent should have done",
         r"\byou (?:should(?:n't| not|'ve| have)|must(?:n't| not)|can'?t just|cannot just|were(?:n't| not)? supposed"
         r"|keep \w+ing)\b|^you (?:can'?t|cannot|can not|may not)\b"),
    rule("en-why", "opening", 0.7, "asks why the agent did that",
         r"(?:and |but |so )?why (?:did|would|are|do|have|were) you (?:still |even |just |now )?"
         r"(?:delet|remov|chang|renam|add|drop|ignor|skip|touch|rewrit|revert|edit|overwr|import|creat|disabl|comment|mov"
         r"|catch|us[ei]|mock|hard)|why (?:a|another|yet another) (?:new|separate|second|whole)\b"),
    rule("en-why-not", "opening", 0.6, "asks for something simpler",
         r"(?:why not|why don'?t (?:we|you)|can'?t (?:we|you|this|it)|couldn'?t (?:we|you|this|it)|wouldn'?t it) "
         r"(?:just|simply|be (?:simpler|easier|better))\b|(?:just|simply) use\b|keep it simple\b|simpler,? please\b"),
    rule("en-is-it-not", "opening", 0.6, "asks whether it does not do harm",
         r"(?:isn'?t|won'?t|doesn'?t|wouldn'?t|shouldn'?t) (?:that|this|it)\b"),
    rule("en-actually", "opening", 0.6, "corrects with an actually",
         r"actually,? (?!.{0,30}\b(?:great|good|fine|nice|works|perfect|yes)\b)"
         r"(?:no|don|use|we|it|that|this|the|you|keep|put|make|leave|do|not)\b"),
    rule("en-wait", "opening", 0.7, "stops the agent",
         r"(?:wait|hold on|hang on|whoa|stop|careful)(?:$|[,!.]+(?! ?for\b)| that| this| no\b| why)"),
    rule("en-fails", "opening", 0.6, "says that it does not work",
         r"(?:that|this|it|your \w+)(?: still| also| just| now)? (?:doesn'?t|does not|didn'?t|did not|won'?t|will not|can'?t"
         r"|cannot|broke|breaks|fails|failed)\b|(?:that|this|your)(?: \w+)? (?:will|would) (?:break|lock|fail|crash"
         r"|leak|lose"
         r"|delete|drop|block|overwrite|cause|deadlock|race)\b"
         r"|still (?:broken|failing|wrong|the same|the old|not)\b|same (?:error|problem|result) (?:as before|again)\b"),
    rule("en-worked-before", "early", 0.6, "says that it was right before",
         r"\b(?:regression|worked (?:fine )?before|was fine before|old code (?:did|handled|had|worked)|there for a reason"
         r"|on purpose|intentional)\b"),
    rule("en-not-like-that", "opening", 0.7, "says not like that",
         r"not (?:like (?:that|this)|that|this|here|again|the|in (?:this|the|a)|what|how|with)\b"),
    rule("en-too-much", "early", 0.7, "says that it is too much",
         r"\b(?:way|far) too (?:complicated|complex|long|verbose|clever|much|big|generic|abstract)\b|\boverkill\b"
         r"|\bover-?(?:engineer|complicat)\w*|\b(?:that|this|it)(?:'s| is) (?:a bit |much )?(?:too (?:complicated|complex"
         r"|verbose|clever|much|generic|abstract)|unnecessary|redundant|pointless|useless|hacky|ugly|a hack)\b"
         r"|^too (?:many|much|complicated|complex|verbose|clever|generic)\b"),
    rule("en-our-rule", "first", 0.6, "states a rule of the team",
         rf"\bwe (?:always|never|don'?t|do not)(?: ever)? {_RULED}\w+|^(?:but )?we log\b|\bwe(?:'re| are) not (?:on"
         rf"|using)\b"),
    rule("en-our-way", "early", 0.7, "states how it is done here",
         r"\bnot how (?:our|we|the)\b|\bour (?:convention|rule|policy|style) (?:is|here)\b|\blike (?:everywhere"
         r"|anywhere) else\b"
         r"|^(?:in|for) (?:this|our) (?:repo|project|team|code ?base)\w*,? we\b|\bwe already have\b"),
    rule("en-it-is-so", "opening", 0.6, "says what it really is",
         r"(?:that|this)(?: [\w-]+)?(?:'?s| is| are) (?:the old|auto-?generated|generated|deprecated|public"
         r"|read-?only|vendored"
         r"|legacy|already|how|a regression|outdated|stale|off limits)\b"),
    rule("en-exists", "early", 0.6, "says that it is there already",
         r"\b(?:duplicates what|(?:that|this|it|there)(?:'s| is)? (?:\w+ )?already (?:exists|does)"
         r"|already does (?:that|this|it)\b|reinvent\w* the wheel"
         r"|instead of rolling your own)\b"),
    rule("en-from-now-on", "early", 0.9, "sets a rule for later",
         r"\bfrom now on\b|\bgoing forward\b|^in (?:the )?future,|\bnext time\b"),
    rule("en-remove-yours", "early", 0.7, "has something of the agent's removed",
         r"\b(?:remove|drop|delete|take out|get rid of|lose) (?:that|those|these|it)(?=$|[,! .]*$|[,!.] "
         r"| (?:again|please|and|one|ones|thing|things|you)\b)|\byou(?:'ve)? (?:just )?(?:added|introduced|put in)\b"),
    rule("en-judgement", "early", 0.7, "rejects it",
         r"\b(?:bad|terrible|horrible) idea\b|\bnot a good idea\b|\b(?:doesn'?t|does not) make (?:any )?sense\b"
         r"|\bmakes no sense\b|^(?:wtf|ugh|yuck|please no)\b|\bmisleading\b"),
    rule("en-instead", "opening", 0.6, "wants something else instead",
         r"(?:please,? )?(?:use|do|make|put|keep|call|take|return|write|pick|move|change|extend|edit)\b.{1,60}\binstead\b"
         r"(?! of (?:fail|crash|throw))|instead\b|.{1,60}\binstead$"),
    rule("en-should-be", "first", 0.6, "says what it should be and what not",
         r"\b(?:should|must|has to|needs to|belongs?|want(?:ed)?)\b.{1,60}(?:, not| and not| instead of| rather than)\b"
         r"|^it should(?:n't| not)\b"),
    rule("en-not-that", "first", 0.5, "sets one thing against another",
         r"\b(?:is|are|in|per|with|applies|use|called|named|to)\b[^,]{1,50}, not (?:a |an |the |in |per |with |from "
         r"|by |to )?[\w.]+"),
    rule("en-must-not", "opening", 0.5, "says what must not be",
         r"(?:the|this|that|it|these|those) .{0,40}\b(?:must|may|can)(?:n't|not| not)\b|only (?:touch|change|edit)\b"
         r"|(?:the|this|that) .{1,40}\b(?:has|have|needs?) to be .{1,30}\bbefore\b"),
    rule("en-almost", "opening", 0.7, "says that it is nearly right",
         r"(?:not (?:quite|exactly|really)|almost|nearly|close)(?:$|[,!:]| but\b)"),
    rule("en-by-no-means", "opening", 0.8, "refuses it",
         r"(?:absolutely not|no way|under no circumstances|hell no|god no|sigh)\b"),
    rule("en-gap", "opening", 0.6, "names what it leaves out",
         r"(?:that|this|it|your \w+|the \w+ you (?:wrote|added|made))(?: still| also)? (?:doesn'?t|does not|don'?t"
         r"|won'?t|only|fails? to|ignores?"
         r"|misses|forgets)\b"),
    rule("en-that-would", "opening", 0.6, "says what would come of it",
         r"(?:that|this|it)(?:'d| would|'ll| will) (?!be (?:great|nice|good|helpful|all|enough)|do\b|work\b)\w+"),
    rule("en-it-must", "opening", 0.6, "says what it must be",
         r"(?:it|that|this|they|these|those) (?:has to|have to|must|needs? to|should)\b(?! also\b)"),
    rule("en-pattern", "early", 0.6, "points to how it is done elsewhere",
         r"\b(?:follow|match|stick to|keep to|use|copy) (?:the|our) (?:existing|same|usual|other"
         r"|current) (?:\w+ )?(?:pattern|style|convention|way|approach"
         r"|structure|layout)s?\b|\bconsistent with\b|\bwe (?:already )?have (?:a|an|one)\b.{0,30}\b(?:rule|helper"
         r"|util\w*|function|convention|guideline"
         r"|policy|class|component|hook)\b|\bwe have one in\b"),
    rule("en-yours", "early", 0.6, "speaks of the agent's own work",
         r"^your (?:tests?|code|change|fix|version|patch|commit|solution|implementation|regex|query|script|approach)\b"
         r"|\bthe [\w-]+(?: [\w-]+)? you (?:wrote|added|made|introduced|created|put)\b|\bwhere did .{1,30} come from\b"),
    rule("en-i-would", "opening", 0.6, "would do it differently",
         r"i(?:'d| would) (?:move|put|use|keep|do|make|call|name|split|write|go with|have|not)\b|let'?s step back\b"
         r"|i only (?:need|want)\b"),
    rule("en-please-use", "opening", 0.5, "wants something else used",
         r"(?:please|pls),? use\b|ask (?:me |us )?(?:before|first)\b"),
    rule("en-harm", "early", 0.7, "names what is bad about it",
         r"\b(?:that|this|it)(?:'s| is| would be) an? (?:\w+ )?(?:breaking change|race|deadlock|hole|leak"
         r"|vulnerability|regression|bug"
         r"|hack|footgun|anti-?pattern|risk|problem for)\b|^(?:seriously|come on|really)\b"),
    rule("en-you-must", "opening", 0.6, "says what the agent must do", r"you (?:have to|need to|must|gotta)\b"),
    rule("en-otherwise", "first", 0.5, "says what happens otherwise", r"\b(?:otherwise|or else)\b"),
    rule("en-belongs", "opening", 0.5, "says where it belongs",
         r"(?:the|that|this|it) .{0,40}\bbelongs?\b|can we (?:keep|avoid|drop|skip)\b"),
    rule("en-use-that", "opening", 0.5, "gives a reason for something else", r"use [\w.]+, |[\w-]+ go(?:es)? through\b"),
    rule("en-no-need", "opening", 0.6, "says that it is not needed", r"no need (?:for|to)\b|(?:not|un)necessary\b"),
    rule("en-leave", "opening", 0.6, "has something left as it was",
         r"(?:please,? |just )?(?:keep|leave) .{1,60}\b(?:as (?:is|it was|they were|before)|alone|the way"
         r"|out of (?:this|it))\b"
         r"|(?:please,? )?keep (?:commits|changes|the diff|it|this) (?:small|minimal|simple)\b"),
    rule("en-without", "opening", 0.6, "takes a part of it out",
         r"(?:please,? )?do (?:it|that|this) without\b|without (?:a|the|any)\b"),
    rule("en-look-again", "early", 0.6, "sends the agent back to read",
         r"\b(?:read|look at|check)\b.{1,40}\b(?:again|properly|carefully)\b|^please read the (?:contributing|style"
         r"|spec|docs)"
         r"|\bthe (?:spec|docs?|style guide|ticket) says?\b"),
)  # fmt: skip
