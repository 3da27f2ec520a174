"""Secrets out of text: the one boundary that everything goes through before it is stored, and again before it is shown.

Promises that keys of common vendors, private keys, tokens, passwords in URLs, headers, flags and assignments, and strings
too random to be words are replaced by ``[redacted]``, in time linear in the text, and that scrubbing twice changes nothing.
Kept on purpose: plain hexadecimal (commit ids, digests), UUIDs, image and font data URIs, integrity hashes, code that
names a secret without holding it (``password=settings.password``, ``token: str``). A secret in plain hexadecimal goes
only where a name or a header beside it says what it is. Cannot be complete: a password in running text is a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from borgd.lessons.sanitize import clean
from borgd.lessons.secret_shapes import REDACTED, redact_shapes

IDENTITY_KEYS = frozenset(
    {
        "id",
        "kind",
        "agent",
        "session",
        "subagent",
        "prompt_id",
        "decision",
        "lesson",
        "episode",
        "machine",
        "channel",
        "near_duplicate",
    }
)
"""design: fields that hold identifiers; an agent's own session ids look as random as keys do."""
RANDOM_CHARS = 18
"""tuned (tests/lessons/test_scrub.py): shortest run without separators that is judged by its randomness."""
RANDOM_DIGITS = 2
"""tuned (tests/lessons/test_scrub.py): digits that a random run of RANDOM_CHARS has at least, all but always."""
RANDOM_PART = 2.6
"""tuned (tests/lessons/test_scrub.py): mean length of its words and numbers: about 1.8 in random text, 4 in names."""
SECRET_CHARS = 4096
"""guard: a longer secret than any pattern here has to see the end of to know it."""
UNCUT = 1 << 30
"""method: a limit that no text reaches."""

_VENDORS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA|LTAI)[A-Z0-9]{12,}"  # AWS, Alibaba
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{16,}"
    r"|xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|hooks\.slack\.com/(?:services|workflows)/[\w/+-]{8,}"
    r"|(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{12,}"  # Stripe
    r"|sk-(?!learn)[A-Za-z0-9_-]{16,}|(?:gsk|xai|pplx|r8|csk|nvapi|fw|tgp_v1)[-_](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}"
    r"|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{16,}|GOCSPX-[0-9A-Za-z_-]{16,}|1//0[0-9A-Za-z_-]{30,}"  # Google
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|rubygems_[0-9a-f]{32,}|hf_[A-Za-z0-9]{24,}|dckr_[a-z]+_[A-Za-z0-9_-]{16,}"
    r"|do[opr]_v1_[0-9a-f]{32,}|shp(?:at|ca|pa|ss|ua)_[0-9A-Fa-f]{24,}|sq0[a-z]{3}-[\w-]{16,}|EAAA[A-Za-z0-9]{40,}"
    r"|SG\.[\w-]{12,}\.[\w-]{12,}|key-[0-9a-f]{32}|(?:SK|AC)[0-9a-f]{32}|dapi[0-9a-f]{32}"  # SendGrid, Mailgun, Twilio
    r"|(?:lin_api|ntn|secret|glsa|glc|sntry[su]|sbp|sb_secret|phc|phx|figd|rnd|pscale_(?:tkn|pw)|oauth2v2|tskey)[-_](?=\w*\d)[\w=+/.-]{20,}"
    r"|hv[sbr]\.[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{30,}"
    r"|NRAK-[A-Z0-9]{20,}|HRKU-[\w-]{20,}|dp\.(?:pt|st|ct|sa|scim)\.[\w.-]{20,}|PMAK-[\w-]{20,}|ATATT3[\w=-]{20,}"
    r"|\d{8,10}:AA[A-Za-z0-9_-]{30,}"  # Telegram
    r"|[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}"  # Discord
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}"  # JSON web tokens
    r")"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PGP MESSAGE)[A-Z ]{0,10}-----.*?(?:-----END [^-]{0,60}-----|\Z)", re.S
)
_URL = re.compile(
    r"(?P<head>\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,200}:)(?!\[redacted\])[^\s/@\"'<>]{1,500}(?=@)"
)
_URL_TOKEN = re.compile(r"(?P<head>\b[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?=[^\s/@]*\d)[A-Za-z0-9_~.-]{16,200}(?=@)")
_QUERY = re.compile(
    r"(?i)(?P<head>[?&;](?:[\w.-]{0,30}(?:token|key|secret|password|passwd|pwd|signature|sig|auth|code))=)(?!\[redacted\])[^\s&#\"'<>]{6,}"
)
_HEADER = re.compile(
    r"(?i)(?P<head>\b(?:proxy-)?authorization(?:\\{0,3}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}[\"'])?"
    r"(?:(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256)\s{1,3})?+"
    r"|\b(?:set-)?cookie\s{0,3}:\s{0,3}(?=[^\s=;]{1,80}=)|\bbearer\s{1,3}(?=[^\s\"']{12,})(?=[^\s\"']{0,400}\d))"
    r"(?!\[redacted\]|[$<{%])[^\s\"',;]{4,}(?:;[^\n\"']{0,2000})?"
)
_FLAG = re.compile(
    r"(?i)(?P<head>(?<![\w-])--?(?:[a-z-]{0,20}(?:password|passwd|passphrase|secret|token|api-?key|access-?key|secret-?key))(?:\s{1,3}|=)(?:\\{0,3}[\"'])?)"
    r"(?!\[redacted\]|[-$<{%])[^\s\"']{4,}"
)
_BASIC_AUTH = re.compile(
    r"(?P<head>(?:\s-u|--user)[\s=]{1,3}(?:\\{0,3}[\"'])?[^\s:\"']{1,80}:)(?!\[redacted\]|[$<{%])[^\s\"']{3,}"
)

_PHRASE = (
    r"(?:password|passwd|passphrase|passcode|(?<![a-z])pass|(?<![a-z])pwd|passwort|kennwort|mot de passe"
    r"|contrase(?:ñ|n)a|パスワード|暗証番号|密码)"
)
_NAMED = (
    rf"(?:{_PHRASE}|secret|token|credentials?|api[\s_-]?key|access[\s_-]?key(?:[\s_-]?id)?"
    r"|secret[\s_-]?(?:access[\s_-]?)?key|private[\s_-]?key|webhook[\s_-]?url|connection[\s_-]?string"
    r"|(?:account|encryption|signing|master|session|storage|shared[\s_-]?access|license|deploy|ssh)[\s_-]?key)"
)
_ASSIGNMENT = re.compile(
    rf"(?i)(?P<head>(?P<name>{_NAMED})(?:[_-]?(?:\d{{1,3}}|prod|dev|test|live|staging|b64|base64|value|old|new))?"
    r"(?:\\{0,3}[\"'`])?\]?(?P<between>\s{0,3}(?:=>|:=|==?|[:：＝])\s{0,3}))"
    r"(?P<value>\\{1,3}\"[^\"\n]{3,400}\"|\\{1,3}'[^'\n]{3,400}'|\"(?:[^\"\\\n]|\\.){3,400}\"|'(?:[^'\\\n]|\\.){3,400}'|`[^`\n]{3,400}`|[^\s\"'`,;)}\]]{4,400})"
    r"(?P<after>[ \t]*(?:[\n,;)}\]]|\Z))?"
)
_SAID = re.compile(
    rf"(?i)(?P<head>{_NAMED}\s{{0,3}}(?:\b(?:is|was|ist|war|lautet|est|es|era)\b|は|：|:)\s{{0,3}}[\"'`「]?)(?!\[redacted\])"
    r"(?P<value>[^\s\"'`」。,]{5,200})"
)
_NAME_STARTS = re.compile(
    r"p(?=ass|wd|rivate)|k(?=ennwort)|m(?=ot de|aster)|c(?=ontrase|redential|onnection)|t(?=oken)"
    r"|s(?=ecret|igning|ession|torage|hared|sh)|a(?=pi|cc)|w(?=ebhook)|e(?=ncryption)|l(?=icense)|d(?=eploy)|[パ暗密]"
)
"""Where a name of _NAMED can begin in text folded by ``_folded``: nearly all of a text is none of it, and the two
patterns below cost ten times as much a character."""
_PLACEHOLDER = re.compile(
    r"(?i)(?:\[redacted.*|\$\{?\w+\}?|\$?[<{(].*|%\w+%|[*x.…_-]+|.*\*\*\*.*|str|string|bytes|none|null|nil|undefined|true|false"
    r"|int|any|bool|boolean|required|optional|password|secret|token|changeme|example|placeholder|todo|value|empty|missing"
    r"|invalid|hidden|your[-_ ].*)[.!?]?\Z"
)
_CODE = re.compile(
    r"(?i)(?:os\.environ|process\.env|env|getenv|config|settings|self|this|secrets|vars|ctx|request|req|args|options|opts|params"
    r"|inputs)[.\[(]|[A-Za-z_][\w.]*[(\[]"
)
_VARIABLE = re.compile(r"(?i)[\w.-]*(?:password|passwd|secret|token|key|pwd|credentials?)s?\Z")
_WORDS = re.compile(r"[A-Za-z_.]+\Z")
_PLAIN = ((_URL, "://"), (_URL_TOKEN, "://"), (_HEADER, ""), (_FLAG, "-"), (_BASIC_AUTH, ":"), (_QUERY, "="))
"""Patterns replaced as they are, in their order, with a text without which they cannot match."""
_QUOTES = "\"'`\\"
"""What a value stands in; a backslash where the text is inside of a JSON string."""
_ENDS_SENTENCE = ".!?。！？:"

_CANDIDATE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9+/=_.~-]{18,}")
_DATA_URI = re.compile(r"data:(?:image|font|application/font)[\w/+.-]*;(?:charset=[\w-]+;)?base64,\Z")
_INTEGRITY = re.compile(r"sha(?:1|256|384|512)[-:]\Z|sha(?:1|256|384|512)-")
_SEPARATORS = re.compile(r"[+/=_.~-]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HEXADECIMAL = re.compile(r"(?:[0-9a-f]+|[0-9A-F]+)\Z")


def _is_random(run: str) -> bool:
    if len(run) < RANDOM_CHARS or _HEXADECIMAL.match(run):
        return False
    digits = sum(character.isdigit() for character in run)
    if digits < RANDOM_DIGITS or run.upper() == run or digits > 0.7 * len(run):
        return False
    return len(run) / len(_PARTS.findall(run)) < RANDOM_PART


def _random(match: re.Match[str]) -> str:
    text, start = match[0], match.start()
    before = match.string[max(0, start - 60) : start]
    if _DATA_URI.search(before) or _INTEGRITY.search(before) or _INTEGRITY.match(text):
        return text
    return REDACTED if any(_is_random(run) for run in _SEPARATORS.split(text)) else text


def _assigned(match: re.Match[str]) -> str:
    value = match["value"]
    quoted = value.lstrip("\\").startswith(('"', "'", "`"))
    bare = value.strip(_QUOTES) if quoted else value
    if not bare or _PLACEHOLDER.match(bare) or (bare == value and _names_only(match)):
        return match[0]
    before, _, after = value.partition(bare)
    return f"{match['head']}{before}{REDACTED}{after}{match['after'] or ''}"


def _names_only(match: re.Match[str]) -> bool:
    """Whether the unquoted value looks like code or prose about a secret rather than one."""
    value, between = match["value"], match["between"]
    if _CODE.match(value):
        return True
    environment = between == "=" and match["name"].isupper()
    if environment:
        return False
    if _VARIABLE.match(value):
        return True
    words = value.rstrip(_ENDS_SENTENCE)
    if not _WORDS.match(words):
        return False
    if "=" in between:
        return between.strip() != between or "." in words or "_" in words
    return match["after"] is None or re.fullmatch(f"(?i){_PHRASE}", match["name"]) is None


def _said(match: re.Match[str]) -> str:
    value = match["value"].rstrip(_ENDS_SENTENCE)
    mixed = any(character.isdigit() for character in value) and any(character.isalpha() for character in value)
    if not mixed or _PLACEHOLDER.match(value) or _CODE.match(value):
        return match[0]
    return f"{match['head']}{REDACTED}{match['value'][len(value) :]}"


def _folded(text: str) -> str:
    """``text`` in lower case as a pattern that ignores case sees it; of another length where the text holds an İ."""
    low = text.lower()
    return low if low.isascii() else low.replace("ſ", "s").replace("ı", "i")


def _replace_named(pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str], text: str) -> str:
    """``pattern.sub(replace, text)`` for a pattern that begins with _NAMED, tried only where such a name can begin."""
    low = _folded(text)
    if len(low) != len(text):
        return pattern.sub(replace, text)
    pieces: list[str] = []
    end = 0
    for start in _NAME_STARTS.finditer(low):
        if start.start() >= end and (match := pattern.match(text, start.start())):
            pieces += [text[end : match.start()], replace(match)]
            end = match.end()
    return "".join([*pieces, text[end:]]) if pieces else text


def redact(text: str) -> str:
    """``text`` with every secret that a rule here knows replaced by REDACTED."""
    if "-----BEGIN" in text:
        text = _PRIVATE_KEY.sub(REDACTED, text)
    for pattern, mark in _PLAIN:
        if mark in text:
            text = pattern.sub(rf"\g<head>{REDACTED}", text)
    text = redact_shapes(_VENDORS.sub(REDACTED, text))
    text = _replace_named(_ASSIGNMENT, _assigned, text)
    text = _replace_named(_SAID, _said, text)
    return _CANDIDATE.sub(_random, text)


def redact_head(text: str, limit: int) -> str:
    """The first ``limit`` characters of ``text`` scrubbed, with no half of a secret at their end; in bounded time.

    Somewhat shorter than ``limit`` where the text is longer and secrets were taken out of it.
    """
    window = limit + SECRET_CHARS
    if len(text) <= window:
        return redact(text)[:limit]
    return redact(text[:window])[:-SECRET_CHARS]


def seal(text: str, limit: int) -> str:
    """``text`` fit to be stored: scrubbed as it came, since line ends part values, and cleaned, and scrubbed again, since
    invisible characters hide them; cut last, so that no half of a secret stays."""
    return clean(redact(clean(redact(text), UNCUT)), limit)


def redact_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """``record`` with every string in it scrubbed, however deep, except what IDENTITY_KEYS hold."""
    return {key: value if key in IDENTITY_KEYS else _redact_value(value) for key, value in record.items()}


def _redact_value(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return redact_record(value)
    if isinstance(value, (list, tuple)):
        return [_redact_value(item) for item in value]
    return value
