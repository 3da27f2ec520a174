"""What curl, wget, httpie and ``gh api`` do: by method, by what they send, and by where they put the answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from borgd.limits.shell.options import option_values
from borgd.limits.shell.tables.tool import Effect, words

_SINKS = frozenset({"/dev/null", "-", "/dev/stdout", "/dev/stderr", "%"})
_READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"})

_CURL_LETTERS = "AbcCdDeEFHhKmoPQrtTuUwxXyYz"
_CURL_LONG = words(
    """
    --request --output --data --data-raw --data-binary --data-ascii --data-urlencode --form --form-string
    --json --upload-file --header --user --user-agent --referer --cookie --cookie-jar --dump-header --config
    --proxy --max-time --connect-timeout --retry --retry-delay --retry-max-time --write-out --range --resolve
    --cacert --cert --key --proto --proto-redir --interface --limit-rate --max-redirs --output-dir --trace
    --trace-ascii --stderr --etag-save --etag-compare --hsts --alt-svc --libcurl --quote --url --url-query
    --unix-socket --noproxy --ciphers --tls-max --oauth2-bearer --aws-sigv4 --variable --mail-from --mail-rcpt
    --continue-at --time-cond --speed-limit --speed-time --dns-servers --connect-to --capath --pass
    --max-filesize --tlsv
    """
)
_CURL_SENDS = words("-d -F --data --data-raw --data-binary --data-ascii --data-urlencode --form --form-string --json")
_CURL_WRITES = words(
    "-o -D -c --output --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc"
)
_CURL_CHANGES = words("-O -T -Q --remote-name --remote-name-all --upload-file --quote --mail-from --mail-rcpt --append")


def judge_curl(arguments: Sequence[str]) -> tuple[Effect, str]:
    """What curl does, and why: with ``-G`` data goes into the address, a file is written unless it is a sink."""
    options = option_values(arguments, _CURL_LETTERS, _CURL_LONG)
    names = {name for name, _ in options}
    method = next((value.upper() for name, value in reversed(options) if name in ("-X", "--request")), "")
    for name, value in options:
        if name in _CURL_CHANGES:
            return Effect.CHANGE, f"curl {name} saves or sends"
        if name in _CURL_WRITES and value not in _SINKS:
            return Effect.CHANGE, f"curl {name} writes {value}"
        if name in ("-w", "--write-out") and "%output{" in value:
            return Effect.CHANGE, "curl -w writes a file"
    if method and method not in _READING:
        return Effect.CHANGE, f"curl sends {method}"
    sends = names & _CURL_SENDS and not names & {"-G", "--get"}
    if sends and method not in _READING:
        return Effect.CHANGE, "curl sends data"
    if names & {"-K", "--config"}:
        return Effect.UNKNOWN, "curl takes options from a file"
    return Effect.READ, "curl fetches"


_WGET_LETTERS = "oaeiBtTwQPRAUDIXOlpK"
_WGET_LONG = words(
    "--output-document --output-file --append-output --directory-prefix --header --user "
    "--password --timeout --tries --user-agent "
    "--post-data --post-file --method --body-data --body-file --save-cookies "
    "--load-cookies --input-file --execute --level --wait"
)


def judge_wget(arguments: Sequence[str]) -> tuple[Effect, str]:
    """What wget does: it saves, unless it prints or only asks whether something is there."""
    options = option_values(arguments, _WGET_LETTERS.replace("p", "").replace("K", ""), _WGET_LONG)
    named = dict(options)
    if {"--post-data", "--post-file", "--body-data", "--body-file"} & named.keys():
        return Effect.CHANGE, "wget sends data"
    if named.get("--method", "GET").upper() not in _READING:
        return Effect.CHANGE, "wget sends"
    if any(
        name in ("-o", "-a", "--output-file", "--append-output", "--save-cookies") and value not in _SINKS
        for name, value in options
    ):
        return Effect.CHANGE, "wget writes a file"
    target = named.get("-O", named.get("--output-document", ""))
    if target in _SINKS or "--spider" in named:
        return Effect.READ, "wget prints or only asks"
    return Effect.CHANGE, "wget saves"


def judge_httpie(arguments: Sequence[str]) -> tuple[Effect, str]:
    """``http [METHOD] URL [ITEM…]``: data fields make it a POST."""
    options = option_values(
        arguments, "aosAp", words("--auth --output --session --verify --timeout --proxy --style --print --auth-type --raw")
    )
    given = [value for name, value in options if not name]
    names = {name for name, _ in options}
    if names & {"-d", "--download", "-o", "--output"}:
        return Effect.CHANGE, "it writes a file"
    method = given[0] if given and given[0].isalpha() and given[0].isupper() else ""
    if method:
        return (Effect.READ if method in _READING else Effect.CHANGE), f"it sends {method}"
    items = given[1:]
    sends = (
        any(re.match(r"^[^=:]*(:=|=|@)(?!=)", item) and "==" not in item for item in items)
        or "--raw" in names
        or names & {"-f", "--form"}
    )
    return (Effect.CHANGE, "it sends data") if sends else (Effect.READ, "it fetches")


_API_LETTERS = "XfFHqtpR"
_API_LONG = words("--method --field --raw-field --header --jq --template --preview --hostname --cache --input")
_TEXT = re.compile(r'"""(?:.|\n)*?"""|"(?:[^"\\]|\\.)*"|#[^\n]*')


def judge_gh_api(arguments: Sequence[str]) -> tuple[Effect, str]:
    """``gh api``: by method; a graphql call by the operation of its query."""
    options = option_values(arguments, _API_LETTERS, _API_LONG)
    given = [value for name, value in options if not name]
    fields = [value for name, value in options if name in ("-f", "-F", "--field", "--raw-field")]
    method = next((value.upper() for name, value in reversed(options) if name in ("-X", "--method")), "")
    body = any(name == "--input" for name, _ in options)
    if given[:1] == ["graphql"]:
        query = next((field.partition("=")[2] for field in fields if field.startswith("query=")), "")
        return judge_graphql(query)
    if method:
        return (Effect.READ if method in _READING else Effect.CHANGE), f"gh api sends {method}"
    if fields or body:
        return Effect.CHANGE, "gh api sends fields, which makes it a POST"
    return Effect.READ, "gh api gets"


def judge_graphql(query: str) -> tuple[Effect, str]:
    """The worst operation of a query; one that is in a file or a variable is unknown."""
    bare = _TEXT.sub(" ", query).strip()
    if not bare or bare.startswith(("@", "$", "`")):
        return Effect.UNKNOWN, "the query is not in the command"
    depth, operations, word = 0, [], ""
    for character in bare + " ":
        if character.isalnum() or character == "_":
            word += character
            continue
        if depth == 0 and word:
            operations.append(word)
        word = ""
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
        if character == "$" and depth == 0:
            return Effect.UNKNOWN, "the query is not in the command"
    if "mutation" in operations:
        return Effect.CHANGE, "a graphql mutation"
    if "subscription" in operations:
        return Effect.UNKNOWN, "a graphql subscription"
    if bare.startswith("{") or "query" in operations:
        return Effect.READ, "a graphql query"
    return Effect.UNKNOWN, "a graphql text that cannot be read"
