"""Secrets that only the format around them gives away: credential files, commands' short flags, webhooks, a password said.

Replaced where their place is, so that the rest can still be read. Patterns are bounded, so time is linear in the text; a
text that lacks a pattern's mark is not looked at by it. Scrubbing twice changes nothing.
"""

from __future__ import annotations

import re

REDACTED = "[redacted]"
"""design: what stands in a secret's place; matched by no rule here or in redact."""
_NOT_YET = r"(?!\[redacted\]|[$<{%]|-)"
_SEGMENT = re.compile(r"[^\n;|&]+")
"""One command of a line, as far as it matters here."""


def _flag(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<head>\s[\"'`]?{pattern}[\"'`]?){_NOT_YET}[^\s\"'`]{{3,}}")


_COMMANDS = tuple(
    (marks, re.compile(rf"\b(?:{tool})\b"), flag)
    for marks, tool, flag in (
        (("mysql", "mariadb", "mycli"), r"mysql\w{0,12}|mariadb\w{0,12}|mycli", _flag("-p")),
        (("7z",), "7z[ar]?", _flag("-p")),
        (("sshpass",), "sshpass", _flag(r"-p\s{0,3}")),
        (
            (" login",),
            r"(?:docker|podman|helm|az|oc|skopeo|buildah)(?:\s{1,3}[\w-]{1,20})?\s{1,3}login",
            _flag(r"-p\s{0,3}"),
        ),
        (("redis-cli",), "redis-cli", _flag(r"-a\s{0,3}")),
        (("ldap",), "ldap(?:search|add|modify|delete|whoami|passwd)", _flag(r"-w\s{0,3}")),
        (("sqlcmd", "isql", "bcp", "zip"), "sqlcmd|isql|bcp|zip|unzip", _flag(r"-P\s{0,3}")),
        (("smbclient", "rpcclient"), "smbclient|rpcclient", _flag(r"-U\s{0,3}[\"']?[^\s%\"']{1,80}%")),
        (("htpasswd",), "htpasswd", _flag(r"-\w{0,6}b\w{0,6}\s{1,3}\S{1,200}\s{1,3}\S{1,80}\s{1,3}")),
        (("openssl",), "openssl", _flag(r"-pass(?:in|out)?\s{1,3}pass:")),
    )
)
_NETRC = re.compile(
    r"(?i)(?P<head>\b(?:machine\s{1,20}\S{1,250}|default)(?:\s{1,20}(?:login|account|user)\s{1,20}\S{1,250}){0,3}"
    rf"\s{{1,20}}password\s{{1,20}}[\"']?){_NOT_YET}[^\s\"']+"
    r"|(?P<head2>\blogin\s{1,20}\S{1,250}\s{1,20}password\s{1,20}[\"']?)(?!\[redacted\])[^\s\"']{2,}"
)
_PGPASS = re.compile(
    r"(?m)(?P<head>^[ \t>\"'`$+-]{0,8}[^\s:#/\"'`]{1,200}:(?:\d{2,5}|\*):(?!\d{1,9}:)[^\s:]{1,100}:[^\s:]{1,100}:)"
    r"(?!\[redacted\])(?:\\.|[^\s\\\"'`]){2,}(?=[\"'`]?[ \t]*$)"
)
_WEBHOOKS = re.compile(
    r"(?i)(?P<head>\bhttps?://(?:"
    r"[\w.-]{0,100}webhook\.office\.com/|outlook\.office(?:365)?\.com/webhook/|[\w.-]{0,60}\bdiscord(?:app)?\.com/api/webhooks/"
    r"|hooks\.zapier\.com/hooks/|maker\.ifttt\.com/(?:trigger|use)/|hook\.[\w-]{0,20}\.?make\.com/|hooks\.[\w.-]{1,80}/"
    r"|[^\s/\"'<>]{1,200}/(?:[\w-]{1,40}/){0,4}(?:webhooks?|webhookb2|incomingwebhook|hooks)/"
    r"))(?![^\s\"'<>)\]]{0,2000}\[redacted\])[^\s\"'<>)\]]{12,}"
)
_SAID = re.compile(
    r"(?i)(?P<head>\b(?:password|passphrase|passcode|passwort|kennwort|passwd|mot de passe|contraseña)"
    r"(?:\s{1,3}(?:for|of|on|für|von|pour|de|para)\s{1,3}(?:the\s{1,3}|den\s|die\s|das\s|la\s|le\s)?[\w.@-]{1,60})?"
    r"\s{1,3}(?:(?:to|is|as|now|auf|ist|jetzt|a|est|es|maintenant|ahora)\s{1,3}){0,2}[\"'`“”„«]?)(?!\[redacted\])(?P<value>[^\s\"'`“”„«»]{4,200})"
)
_QUOTED = re.compile(r"[\"'`“”„«]\Z")
_MARKED = re.compile(r"(?=.*[A-Za-z])(?=.*[\d!@#$%^&*+=?~]).{5,}|(?=.*[a-z])(?=.*[a-z][A-Z]).{8,}")
_CODE = re.compile(r".*[(\[{}<>/\\]|[A-Za-z_]+\.[A-Za-z_.]+[.,;:!?]?\Z|[$%@]\w+")
_ENDS = ".,;:!?)"


def redact_shapes(text: str) -> str:
    """``text`` without the secrets that these formats hold."""
    low = text.lower()
    present = [(tool, flag) for marks, tool, flag in _COMMANDS if any(mark in low for mark in marks)]
    if present and " -" in text:
        text = _SEGMENT.sub(lambda segment: _command(segment[0], present), text)
    if "password" in low and ("login" in low or "machine" in low or "default" in low):
        text = _NETRC.sub(lambda match: f"{match['head'] or match['head2']}{REDACTED}", text)
    if text.count(":") >= 4:
        text = _PGPASS.sub(rf"\g<head>{REDACTED}", text)
    if ("://" in text and "hook" in low) or "ifttt" in low:
        text = _WEBHOOKS.sub(rf"\g<head>{REDACTED}", text)
    return _SAID.sub(_said, text) if "pass" in low or "kennwort" in low or "contrase" in low else text


def _command(segment: str, present: list[tuple[re.Pattern[str], re.Pattern[str]]]) -> str:
    for tool, flag in present:
        if called := tool.search(segment):
            segment = segment[: called.end()] + flag.sub(rf"\g<head>{REDACTED}", segment[called.end() :])
    return segment


def _said(match: re.Match[str]) -> str:
    """A word after ``password`` is one only where it is quoted or no word of a language."""
    value = match["value"].rstrip(_ENDS)
    quoted = bool(_QUOTED.search(match["head"])) and len(value) >= 4
    if _CODE.match(value) or not (quoted or _MARKED.fullmatch(value)):
        return match[0]
    return f"{match['head']}{REDACTED}{match['value'][len(value) :]}"
