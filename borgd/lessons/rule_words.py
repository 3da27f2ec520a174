"""What makes a sentence a rule, in the languages of rules files; and how a rule is turned into a question. Pure.

Scripts without spaces are told by their own words and endings; nothing here counts their characters as if they were Latin.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

NOT = r"(?:never|do not|don't|don’t|dont|must not|mustn't|should not|shouldn't|shall not|cannot|can't)"
VERBS = (
    r"(?:accept|acknowledge|add|adhere|adjust|adopt|aim|align|allow|annotate|apply|append|ask|assert|assign|assume|attach|avoid"
    r"|await|base|batch|be|begin|bind|block|break|build|bump|call|cancel|capture|catch|centrali[sz]e|change|check|choose|clarify"
    r"|clean|clear|close|collect|combine|comment|commit|compare|complete|compose|compute|conduct|configure|confirm|consider|consult"
    r"|convert|copy|cover|create|debug|declare|decouple|default|defer|define|delegate|delete|deploy|derive|describe|design"
    r"|disable|discuss|dispose|do|document|drop|edit|embed|emit|employ|enable|encapsulate|encode|encrypt|end|enforce|ensure"
    r"|escape|establish|evaluate|examine|execute|explain|export|expose|extend|extract|fail|favor|favour|fetch|fill|filter|find"
    r"|finish|fix|flag|focus|follow|force|format|gate|generate|get|give|group|guard|handle|hash|hide|highlight|identify|ignore"
    r"|implement|import|improve|include|increase|indent|inform|inherit|initiali[sz]e|inject|insert|inspect|install|instantiate"
    r"|integrate|introduce|invoke|isolate|iterate|justify|keep|label|lazy-load|leave|let|leverage|limit|link|lint|list|load"
    r"|localize|lock|log|look|lower|maintain|make|manage|map|mark|match|measure|memoi[sz]e|mention|merge|migrate|mimic|minimi[sz]e"
    r"|mirror|mock|modify|monitor|move|name|nest|normali[sz]e|note|notify|omit|open|optimi[sz]e|order|organi[sz]e|override|parse"
    r"|pass|paste|perform|persist|pick|pin|place|plan|pool|prefer|prefix|prepare|present|preserve|prevent|print|prioriti[sz]e"
    r"|produce|propagate|propose|protect|prove|provide|publish|pull|push|put|query|quote|raise|rate-limit|re-?run|re-?use|read"
    r"|rebase|record|redact|reduce|refactor|refer|reference|refrain|refuse|register|reject|release|rely|remain|remember|remove"
    r"|rename|render|reorder|repeat|replace|reply|report|request|require|research|reserve|reset|resolve|respect|respond|restart"
    r"|restrict|retry|return|reuse|reveal|revert|review|rewrite|rotate|round|route|run|sanitize|save|scale|schedule|scope|search"
    r"|secure|select|send|separate|serialize|serve|set|share|ship|show|sign|simplify|skip|solve|sort|specify|split|squash"
    r"|stage|standardi[sz]e|start|state|stay|stick|stop|store|stream|strip|strive|structure|stub|style|submit|suggest|summari[sz]e"
    r"|suppress|surface|suspend|switch|sync|tag|take|target|tell|test|think|throw|throttle|track|transform|translate|treat|trim"
    r"|trust|try|tune|turn|type|understand|unwrap|update|upgrade|use|utili[sz]e|validate|verify|version|wait|walk|warn|watch|wrap"
    r"|write)"
)
_STRONG = re.compile(
    rf"(?i)\b(?:must|never|always|should|shall|{NOT}|only ever|required?"
    r"|forbidden|prohibited|not allowed|mandatory|disallowed"
    r"|instead of|rather than|`x`,? not `x`|need(?:s)? to be|has to|have to|is banned)\b"
    r"|\b(?:immer|nie|niemals|nicht|kein\w*|muss|müssen|darf|dürfen|soll(?:en|te)?|verwende\w*|vermeide\w*|bitte"
    r"|toujours|jamais|ne pas|n'utilise\w*|doit|doivent|évite[rz]?|utilise[rz]?|interdit\w*|il faut"
    r"|siempre|nunca|usa[r]?|evita[r]?|debe[n]?|no (?:uses|hagas|usar)|prohibid\w+"
    r"|sempre|não|evite|deve[m]?|mai|devono|non (?:usare|fare))\b"
    r"|(?i:\b(?:всегда|никогда|нельзя|должн\w+|обязательно|используй\w*|избегай\w*|не \w+(?:й|йте|ть))\b)"
)
_VERB_FIRST = re.compile(
    rf"(?i)^(?:(?:please|then|also|first,?|otherwise,?|\w+ly)\s+)?(?:no\s+\S|only\s+\S|{VERBS}(?=\s+[^\s:=])|do\s+)"
)
_AFTER_LABEL = re.compile(rf"(?i)^[^:.]{{2,60}}[:：]\s+(?:please\s+)?(?:no\s|only\s|avoid\s|{VERBS}\s+[^\s:=])")
_CONDITION = re.compile(
    rf"(?i)^(?:when|if|before|after|for|in|on|while|unless|once|whenever)\b[^,]{{3,120}},\s*(?:{NOT}|{VERBS})\b"
)
_STATES = re.compile(
    r"(?i)^(?:the\s+|an?\s+)?[\w`/.*-]+(?:\s+[\w`/.*-]+){0,4}\s+(?:is|are|was|were|lives?|contains?|lies|provides?|handles?"
    r"|consists?|belongs?|comes?|happens?|works?|means?|describes?|holds?)\b(?!\s+(?:not\s+)?(?:required|forbidden|mandatory|banned"
    r"|allowed|to\s))"
)
_ONLY_CODE = re.compile(r"^[^`]{0,60}[:：–—-]\s*(?:`[^`]+`[\s,;/|+&.]*(?:and|or|und|then)?\s*)+$|^(?:`[^`]+`[\s,;/|.]*)+$")

_JA = re.compile(
    r"こと[。．.!！]?$|(?:くだ|下)さい|ましょう|しない(?:で|よう)?|ないで|禁止|厳禁|必ず|必須|べき|てはいけない|てはならない|ならない|なければ"
    r"|避ける|優先|のみ(?:を|と|に|使)|推奨|せよ|[うくぐすつぬぶむる][。．.]?$|ません[。．.]?$|不可|原則|徹底"
)
_ZH = re.compile(
    r"必须|必需|必須|务必|務必|应当|應當|应该|應該|[应應](?:使用|为|為|在|与|與|先|避免|保持)|不要|不得|不能|不可|不应|不應"
    r"|不允许|不允許|禁止|严禁|嚴禁|避免|请|請"
    r"|总是|總是|始终|始終|永远|永遠|切勿|勿|只能|只用|仅|僅|优先|優先|需要|确保|確保|保持|先[^，。]{1,20}再|一律|统一|統一"
    r"|不准|尽量|盡量|^(?:使用|采用|採用|遵循|遵守|添加|编写|編寫|运行|執行|执行|检查|檢查)"
)
_KO = re.compile(
    r"(?:하|으)?(?:세요|십시오)|해라|[할될] 것|말 것|지 ?(?:마|말)|금지|반드시|항상|절대|[해어아]야 (?:한다|합니다)"
    r"|않는다|않습니다|않도록"
    r"|사용(?:한다|합니다|하기|할)|피하|우선|[한는]다[.]?$|하기[.]?$|합니다[.]?$|필수"
)
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u3400-\u9fff]")
WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that say a word in one or two of them."""


class QuestionForm(NamedTuple):
    """``question`` is made of the named groups of what ``pattern`` matched."""

    pattern: re.Pattern[str]
    question: str


FORMS = (
    QuestionForm(
        re.compile(rf"(?i)^(?:please\s+)?(?:you\s+)?{NOT}\s+(?:ever\s+)?(?P<rest>[a-z`].+)$"),
        "Did I make sure not to {rest}?",
    ),
    QuestionForm(re.compile(r"(?i)^(?:please\s+)?(?:always\s+)?avoid\s+(?P<rest>.+)$"), "Did I avoid {rest}?"),
    QuestionForm(re.compile(r"(?i)^no\s+(?P<rest>[^,]+)$"), "{be} there no {rest}?"),
    QuestionForm(
        re.compile(r"(?i)^(?:please\s+)?(?:always\s+)?(?:make sure|be sure|ensure)\s+(?P<rest>(?:that\s+|to\s+)?.+)$"),
        "Did I make sure {rest}?",
    ),
    QuestionForm(
        re.compile(rf"(?i)^(?:please\s+)?(?:you\s+)?(?:must|should|shall|have to)\s+(?:always\s+)?(?P<rest>{VERBS}\b.*)$"),
        "Did I {rest}?",
    ),
    QuestionForm(re.compile(rf"(?i)^(?:please\s+)?always\s+(?P<rest>{VERBS}\b.*)$"), "Did I {rest}?"),
    QuestionForm(
        re.compile(
            rf"(?i)^(?P<when>(?:when|if|before|after|while|unless|once|whenever)\b[^,]{{3,120}}),\s*(?:always\s+)?(?P<rest>{VERBS}\b.+)$"
        ),
        "{when}: did I {rest}?",
    ),
    QuestionForm(
        re.compile(rf"(?i)^(?:please\s+)?(?!be\s+(?:aware|careful))(?P<rest>{VERBS}\s+[^\s:=].*)$"), "Did I {rest}?"
    ),
)
_QUOTING: tuple[tuple[Callable[[str], object], str], ...] = (
    (_KANA.search, "次を守ったか：{rule}？"),
    (_HANGUL.search, "다음을 지켰는가: {rule}?"),
    (_HAN.search, "是否遵守了：{rule}？"),
    (lambda _: True, "Does this hold here: {rule}?"),
)


def is_rule(text: str) -> bool:
    """Whether ``text``, without its bullet, tells what to do or not to do."""
    bare = text.strip().strip("\"'")
    if _KANA.search(bare):
        return _JA.search(bare) is not None
    if _HANGUL.search(bare):
        return _KO.search(bare) is not None
    if _HAN.search(bare):
        return _ZH.search(bare) is not None
    if _STRONG.search(_without_code(bare)):
        return True
    if _ONLY_CODE.match(bare):
        return False
    if _VERB_FIRST.match(bare):
        return _STATES.match(bare) is None
    return _AFTER_LABEL.match(bare) is not None or _CONDITION.match(bare) is not None


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", "`x`", text)


def quoted(rule: str) -> str:
    """A question about ``rule`` in its own script, for where no form turns it around."""
    return next(form for fits, form in _QUOTING if fits(rule)).format(rule=rule)
