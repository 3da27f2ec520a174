"""Is a question about how a person wants to work, or about one change? Only the first kind's answer is worth anything later.

A few reasoned rules over its words, English. In doubt it is about one change: such an answer goes to nobody else. Pure.
"""

from __future__ import annotations

import re

from borgd.limits.interrupts.stakes import DEFAULT_STAKES, MAX_TEXT, rule

_WAYS = re.compile(
    r"\b(?:conventions?|code style|style guide|coding standards?|house rules?|guidelines?|preferences?|prefer(?:red|s)?|"
    r"tabs|spaces|indent(?:ation|ed)?|line (?:length|endings?)|quotes|naming (?:scheme|style)|camel ?case|snake[ _]?case|"
    r"package manager|test (?:framework|runner)|type checker|formatter|linter|docstrings?|commit messages?|changelogs?|"
    r"branch names?|(?:in|by) (?:general|default)|always|usually|normally|generally|from now on|every time|"
    r"do (?:we|you) (?:use|write|want|like|name|keep)|how (?:do|should) (?:we|i|you) (?:name|format|write)|"
    r"spelling|(?:british|american) english|license headers?)\b",
    re.IGNORECASE,
)
_ONE_CHANGE = re.compile(
    r"\b(?:this|that|these|those|now|today|here|above|below|again|yet)\b"
    r"|\bthe (?:plan|change|diff|patch|fix|bug|branch|commit|pr|file|function)\b"
    r"|\bthe (?:table|database|migration|test|error|issue|ticket)\b"
    r"|\b(?:approve|proceed|go ahead|continue|ship|merge|deploy|delete|drop|remove|revert|roll ?back|push|release)\b"
    r"|\b(?:rename|apply|run|execute|install|upgrade|migrate|overwrite|keep the|shall i)\b"
    r"|\bshould i (?!use|write|follow|format|name)\b"
    r"|[\w.-]+/[\w./-]+|\b[\w-]+\.(?:[a-z]{1,4}|toml|json|yaml)\b|`|#\d|\bv?\d+\.\d+|\b[0-9a-f]{7,40}\b|\bline \d",
    re.IGNORECASE,
)
"""Words, paths, numbers of versions, commits and issues that point at something that is there now and will be gone."""


def about_ways_of_working(question: str, options: tuple[str, ...] = ()) -> bool:
    """Whether an answer may be quoted to a later session of the same scope: a way of working, nothing else at stake."""
    text = "\n".join([question, *options])[:MAX_TEXT]
    matched = rule(text)
    if matched is not None and matched.stakes > DEFAULT_STAKES:
        return False
    return bool(_WAYS.search(question)) and not _ONE_CHANGE.search(text)
