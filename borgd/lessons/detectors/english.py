"""English."""

from __future__ import annotations

import re

from borgd.lessons.detectors import rule

HARMLESS = re.compile(
    r"\bno (?:rush|worr(?:y|ies)|problems?|hurry|idea|clue|pressure|doubt|matter|thanks|thank you|questions?|longer"
    r"|one|big deal"
    r"|further|more (?:changes|questions)|tests? (?:exist|yet)|changes needed|need to (?:rush|hurry|reply|answer|respond))\b"
    r"|\bnot (?:sure|yet|bad|only|urgent|certain|just|necessarily)\b|\b(?:or|if|why|whether or|could|may|might) not\b"
    r"|\b(?:don'?t|do not) (?:forget|worry|hesitate|know|understand|remember|mind|see|start|have time)\b"
    r"|\b(?:don'?t|do not) (?:\w+ ){1,5}(?:yet|until|till|before)\b|\bnever (?:mind|seen|heard|used|done|tried|had|worked)\b"
    r"|\b(?:explain|tell me|wonder|know|understand)(?: to me)? why you\b|\b(?:what|everything|how|where"
    r"|whatever) you(?:'ve| have)? \w+"
    r"|\bnothing wrong\b|\bwhat(?:'s| is| was) wrong\b|\bno\. \d"
)

_FINE = (
    r"(?!.{0,40}\b(?:fine|good|ok|okay|great|perfect|all right|that's all|that's it|go on|go ahead|proceed|that works)\b)"
)
_DID = (
    r"(?:forgot|forgotten|missed|broke|broken|ignored|removed|deleted|dropped|skipped|overwrote|overwritten"
    r"|misunderstood|misread"
    r"|hallucinated|hard-?coded|changed|renamed|reverted|duplicated|left out|mixed up|confused|invented|made up"
    r"|guessed|swallowed"
    r"|lost|touched|reformatted|edited|assumed|disabled|rewrote)"
)
_DO = (
    r"(?:use|do|call|put|write|commit|mock|import|log|edit|touch|push|merge|expose|hard-?code|add|name|return|throw"
    r"|catch|deploy"
    r"|ship|rely|squash|rebase|keep|wrap|pass|delete|round|bump|vendor|test|format|depend|swallow|raise|ignore)"
)

RULES = (
    rule("en-no", "opening", 0.8, "starts with a no to what was proposed",
         rf"(?:no|nope|nah)(?:$|[,!:;—–-]+|\s+(?=(?:that|this|it|we|you|don|do|not|the|i|keep|use|leave|please|just"
         rf"|never|always|more)\b)){_FINE}"),
    rule("en-wrong", "early", 0.8, "says that it is wrong",
         r"\b(?:that|this|it|which)(?:'?s| is| was| looks| seems)(?: just| simply| still| also| completely| totally"
         r"| plain| all| clearly)? "
         r"(?:wrong|incorrect|backwards|nonsense|false|a mistake|inside out|the wrong|not (?:right|correct|true|what"
         r"|how|where|the way|our))\b"),
    rule("en-wrong-thing", "opening", 0.8, "names what is wrong", r"(?:wrong|incorrect)(?:$|[,!:]|(?: [\w-]+){1,2}[,!:])"),
    rule("en-that-is-not", "opening", 0.7, "says what it is not",
         r"(?:that|this)(?:'s| is| was)? ?(?:still |really )?(?:not|isn't|wasn't)\b(?! (?:a problem|an issue|urgent"
         r"|too bad))"),
    rule("en-do-not", "opening", 0.8, "forbids what was done or proposed",
         r"(?:please,? )?(?:do not|don'?t|never|let'?s not|stop (?:\w+ing|that|this|it)|can you (?:please )?not"
         r"|quit \w+ing)\b"),
    rule("en-undo", "opening", 0.9, "asks to take it back",
         r"(?:please,? |can you |could you |just )*(?:revert|undo|roll ?back|restore|(?:put|take|change|turn) (?:it"
         r"|that|this|them) (?:back|out))\b"
         r"(?=$|,|!| (?:and|that|this|it|those|these|them|your|everything|all|to (?:the|what|how)|what you|the way"
         r"|the (?:last|changes?|renam\w+|edits?|previous|old)))"),
    rule("en-i-said", "early", 0.8, "repeats what was asked for",
         r"\bi (?:(?:already|just|clearly|specifically|explicitly|only) )?(?:said|told you|asked (?:you|for)|meant"
         r"|never (?:asked|said|wanted|told)"
         r"|did(?:n't| not) (?:ask|say|want|mean)|wanted (?!to )|(?:don'?t|do not) (?:want|like|agree)|disagree)\b"
         r"|\bas (?:i said|we agreed|discussed|agreed)\b"
         r"|^we (?:said|agreed)\b"),
    rule("en-rather", "opening", 0.7, "prefers something else", r"i(?:'d| would) (?:much )?(?:rather|prefer)\b"),
    rule("en-you-did", "early", 0.8, "names what the agent did wrong",
         rf"\byou(?:'ve| have)?(?: just| also| again| still| completely| even){{0,2}} {_DID}\b"),
    rule("en-you-are", "early", 0.8, "names what the agent is doing wrong",
         r"\byou(?:'re| are) (?:again |still |just )?(?:over\w+ing|hallucinating|guessing|missing|mixing|confusing"
         r"|ignoring|repeating|assuming|wrong|not supposed)\b"),
    rule("en-you-should", "early", 0.8, "says what the agent should have done",
         r"\byou (?:should(?:n't| not|'ve| have)|must(?:n't| not)|can'?t just|cannot just|were(?:n't| not)? supposed"
         r"|keep \w+ing)\b"),
    rule("en-why", "opening", 0.7, "asks why the agent did that",
         r"(?:and |but |so )?why (?:did|would|are|do|have|were) you (?:still |even |just |now )?"
         r"(?:delet|remov|chang|renam|add|drop|ignor|skip|touch|rewrit|revert|edit|overwr|import|creat|disabl"
         r"|comment|mov|catch|us[ei]|mock|hard)"),
    rule("en-actually", "opening", 0.6, "corrects with an actually",
         r"actually,? (?!.{0,30}\b(?:great|good|fine|nice|works|perfect|yes)\b)(?:no|don|use|we|it|that|this|the|you"
         r"|keep|put|make|leave|do|not)\b"),
    rule("en-wait", "opening", 0.7, "stops the agent",
         r"(?:wait|hold on|hang on|whoa|stop|careful)(?:$|[,!]+(?! for\b)| that| this| no\b| why)"),
    rule("en-fails", "opening", 0.6, "says that it does not work",
         r"(?:that|this|it|your \w+)(?: still| also| just| now)? (?:doesn'?t|does not|didn'?t|did not|won'?t"
         r"|will not|broke|breaks|will break|would break|fails|failed)\b"
         r"|still (?:broken|failing|wrong|the same|the old|not)\b"),
    rule("en-not-like-that", "opening", 0.7, "says not like that",
         r"not (?:like (?:that|this)|that|this|here|again|the|in|what|how|with)\b"),
    rule("en-too-much", "early", 0.7, "says that it is too much",
         r"\b(?:way|far) too (?:complicated|complex|long|verbose|clever|much|big|generic|abstract)\b|\boverkill\b"
         r"|\bover-?(?:engineer|complicat)\w*"
         r"|\b(?:that|this|it)(?:'s| is) (?:a bit |much )?(?:too (?:complicated|complex|verbose|clever|much|generic"
         r"|abstract)|unnecessary|redundant)\b"),
    rule("en-our-rule", "first", 0.6, "states a rule of the team",
         rf"\bwe (?:always|never|don'?t|do not)(?: ever)? {_DO}\b"),
    rule("en-our-way", "early", 0.7, "states how it is done here",
         r"\bnot how (?:our|we|the)\b|\bour (?:convention|rule|policy|style) (?:is|here)\b|^(?:in|for) (?:this"
         r"|our) (?:repo|project|team|code ?base)\w*,? we\b"),
    rule("en-from-now-on", "early", 0.9, "sets a rule for later",
         r"\bfrom now on\b|\bgoing forward\b|^in (?:the )?future,|\bnext time\b"),
    rule("en-remove-yours", "first", 0.7, "has something of the agent's removed",
         r"\b(?:remove|drop|delete|take out|get rid of|lose) (?:that|those|these)(?=$|[,!]| (?:again|please|and|one"
         r"|ones|thing|things|you)\b)|\byou(?:'ve)? (?:just )?(?:added|introduced|put in)\b"),
    rule("en-judgement", "early", 0.7, "rejects it",
         r"\b(?:bad|terrible|horrible) idea\b|\bnot a good idea\b|\b(?:doesn'?t|does not) make (?:any )?sense\b"
         r"|\bmakes no sense\b|^(?:wtf|ugh)\b"),
    rule("en-instead", "opening", 0.6, "wants something else instead",
         r"(?:please,? )?(?:use|do|make|put|keep|call|take|return|write|pick|move)\b.{1,60}\binstead\b(?! of (?:fail"
         r"|crash|throw))|instead\b"),
    rule("en-should-be", "first", 0.6, "says what it should be and what not",
         r"\b(?:should|must|has to|needs to|belongs?)\b.{1,60}(?:, not| and not| instead of| rather than)\b"
         r"|^it should(?:n't| not)\b"),
    rule("en-no-need", "opening", 0.6, "says that it is not needed", r"no need (?:for|to)\b"),
    rule("en-leave", "opening", 0.6, "has something left as it was",
         r"(?:please,? |just )?(?:keep|leave) (?:the|it|that|this|them|my|our)\b.{0,60}\b(?:as (?:is|it was"
         r"|they were|before)|alone|the way)\b"),
)  # fmt: skip
