"""What commands do whose options or verbs decide: one small function each, one table of all. Pure.

To teach the judge such a command, add it to ``SPECIAL``; one whose name alone decides goes into ``shell_tables``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from borgd.limits.shell.tables import TAKES_VALUE, Effect, words


def operands(arguments: Sequence[str], takes_value: frozenset[str] = frozenset()) -> list[str]:
    """What is left of ``arguments`` without options and their values."""
    found: list[str] = []
    skip = False
    for place, argument in enumerate(arguments):
        if skip:
            skip = False
        elif argument == "--":
            return found + list(arguments[place + 1 :])
        elif argument.startswith("-") and len(argument) > 1:
            skip = argument in takes_value
        else:
            found.append(argument)
    return found


def has(arguments: Sequence[str], *options: str) -> bool:
    """Whether one of ``options`` is given: long ones with or without a value, short ones alone or in a cluster."""
    for argument in arguments:
        if argument == "--":
            return False
        for option in options:
            if argument == option or (option.startswith("--") and argument.startswith(option + "=")):
                return True
            short = len(option) == 2 and argument.startswith("-") and not argument.startswith("--")
            if short and option[1] in argument[1:]:
                return True
    return False


Judge = Callable[[Sequence[str]], Effect]


def _unless(*options: str, otherwise: Effect = Effect.READ) -> Judge:
    """Changes something with one of ``options``."""
    return lambda arguments: Effect.CHANGE if has(arguments, *options) else otherwise


def _verbs(reads: str, changes: str, takes_value: frozenset[str] = frozenset(), nothing: Effect = Effect.READ) -> Judge:
    """Judged by the first operand; a verb in neither list is unknown; without an operand ``nothing``."""
    read, change = frozenset(reads.split()), frozenset(changes.split())

    def judge(arguments: Sequence[str]) -> Effect:
        verbs = operands(arguments, takes_value)
        if not verbs:
            return nothing
        return Effect.READ if verbs[0] in read else Effect.CHANGE if verbs[0] in change else Effect.UNKNOWN

    return judge


_CURL_VALUES = frozenset("AbcCdDeEFHKmoPQrTtuUwxXyYz")
_CURL_SENDS = (
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--form",
    "--json",
    "--upload-file",
)
_CURL_SAVES = ("--remote-name", "--remote-name-all", "--cookie-jar", "--dump-header")


def _curl_options(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Each short option with its value, clusters taken apart; long ones that matter under their short name."""
    found: list[tuple[str, str]] = []
    for place, argument in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        if argument.startswith("--"):
            name, equals, value = argument.partition("=")
            short = {"--request": "X", "--output": "o"}.get(name)
            if short:
                found.append((short, value if equals else following))
        elif argument.startswith("-"):
            for at, letter in enumerate(argument[1:], 1):
                takes_value = letter in _CURL_VALUES
                found.append((letter, (argument[at + 1 :] or following) if takes_value else ""))
                if takes_value:
                    break
    return found


def _curl(arguments: Sequence[str]) -> Effect:
    if has(arguments, *_CURL_SENDS, *_CURL_SAVES):
        return Effect.CHANGE
    for letter, value in _curl_options(arguments):
        saves = letter in "OTcD" or (letter == "o" and value not in ("/dev/null", "-"))
        sends = letter in "dF" or (letter == "X" and value.upper() not in ("GET", "HEAD", "OPTIONS"))
        if saves or sends:
            return Effect.CHANGE
    return Effect.READ


def _wget(arguments: Sequence[str]) -> Effect:
    if has(arguments, "--post-data", "--post-file", "--method"):
        return Effect.CHANGE
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    to_stdout = any(
        (option.startswith("-") and not option.startswith("--") and option.endswith("O") and target in ("-", "/dev/null"))
        or option in ("-O-", "-qO-", "--output-document=-", "-O/dev/null")
        for option, target in pairs
    )
    return Effect.READ if to_stdout or has(arguments, "--spider") else Effect.CHANGE


def _tar(arguments: Sequence[str]) -> Effect:
    mode = "".join(argument.lstrip("-") for argument in arguments[:1] if not argument.startswith("--"))
    if "t" in mode or has(arguments, "--list"):
        return Effect.READ
    if "x" in mode and ("O" in mode or has(arguments, "--to-stdout", "-O")):
        return Effect.READ
    return Effect.CHANGE


def _find(arguments: Sequence[str]) -> Effect:
    writes = {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}
    return Effect.CHANGE if writes & set(arguments) else Effect.READ


def _sed(arguments: Sequence[str]) -> Effect:
    if has(arguments, "--in-place") or any(
        a.startswith("-") and not a.startswith("--") and "i" in _flags(a) for a in arguments
    ):
        return Effect.CHANGE
    scripts = operands(arguments, frozenset({"-e", "-f"}))[:1] if not has(arguments, "-e", "--expression") else arguments
    writes = any(_writes_file(script) for script in scripts)
    return Effect.CHANGE if writes else Effect.READ


def _flags(argument: str) -> str:
    """The letters of a cluster up to one that takes a value."""
    letters = argument[1:]
    for place, letter in enumerate(letters):
        if letter in "efl":
            return letters[:place]
    return letters


def _writes_file(script: str) -> bool:
    """A ``w FILE`` command or flag, or GNU's ``e``, in a sed script."""
    pieces = [piece.strip(" {}") for piece in script.replace("\n", ";").split(";")]
    for piece in pieces:
        command = piece.lstrip("0123456789,$!~ ")
        if command.startswith(("w ", "W ", "e ")):
            return True
        if command.startswith("s") and len(command) > 3:
            flags = command[2:].split(command[1])[2:]
            if flags and (flags[0].lstrip("gIMp0123456789").startswith(("w ", "e"))):
                return True
    return False


def _awk(arguments: Sequence[str]) -> Effect:
    if "inplace" in arguments:
        return Effect.CHANGE
    program = " ".join(operands(arguments, frozenset({"-F", "-v"}))[:1])
    bare = '""'.join(program.split('"')[::2])
    worst = Effect.UNKNOWN if "system" in bare else Effect.READ
    for statement in re.split(r"[;{}\n]", bare):
        printed = re.sub(r"\([^()]*\)", "", statement.strip())
        if printed.startswith("print"):
            worst = max(worst, Effect.CHANGE if ">" in printed else Effect.UNKNOWN if "|" in printed else Effect.READ)
    return worst


def _date(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if has(arguments, "--set", "-s") and not has(arguments, "-d") else Effect.NOTHING


def _tee(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if [name for name in operands(arguments) if not name.startswith("/dev/")] else Effect.NOTHING


def _sort(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if has(arguments, "--output") or any(a.startswith("-o") for a in arguments) else Effect.READ


def _uniq(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if len(operands(arguments, TAKES_VALUE["uniq"])) > 1 else Effect.READ


def _hostname(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if operands(arguments) else Effect.READ


def _xxd(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if len(operands(arguments, TAKES_VALUE["xxd"])) > 1 else Effect.READ


def _yq(arguments: Sequence[str]) -> Effect:
    return Effect.CHANGE if has(arguments, "--inplace", "-i") else Effect.READ


_GH_CHANGES = words(
    """
    create edit close reopen merge comment delete clone fork sync rerun cancel run enable disable upload ready review
    checkout lock pin set add remove rename transfer develop download login logout
    """
)


def _gh(arguments: Sequence[str]) -> Effect:
    words = operands(arguments, frozenset({"-R", "--repo"}))
    if not words:
        return Effect.NOTHING
    if words[0] == "api":
        method = next((b for a, b in zip(arguments, [*arguments[1:], ""], strict=True) if a in ("-X", "--method")), "")
        if method:
            return Effect.READ if method.upper() == "GET" else Effect.CHANGE
        return Effect.CHANGE if has(arguments, "-f", "-F", "--field", "--raw-field", "--input") else Effect.READ
    if words[0] in ("search", "status", "browse", "version"):
        return Effect.READ
    verb = words[1] if len(words) > 1 else ""
    if verb in ("view", "list", "status", "diff", "checks", "watch", "verify", "ls"):
        return Effect.READ
    if verb in _GH_CHANGES:
        return Effect.CHANGE
    return Effect.UNKNOWN


_PIP = _verbs("list show freeze check search index help debug inspect", "install uninstall download wheel cache config")
_PACKAGES = "install i add remove uninstall update upgrade ci publish link unlink init create prune dedupe rebuild audit-fix"
_DOCKER_READS = "ps images logs inspect version info top stats port diff history search events"
_DOCKER_CHANGES = (
    "run rm rmi build pull push stop start restart kill exec create cp commit tag load save import export prune"
)
_DOCKER = f"{_DOCKER_CHANGES} login logout rename update pause unpause network volume system image container compose"

SPECIAL: Mapping[str, Judge] = {
    "curl": _curl,
    "wget": _wget,
    "tar": _tar,
    "find": _find,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "date": _date,
    "tee": _tee,
    "sort": _sort,
    "uniq": _uniq,
    "hostname": _hostname,
    "xxd": _xxd,
    "yq": _yq,
    "gh": _gh,
    "fd": lambda _: Effect.READ,
    "fdfind": lambda _: Effect.READ,
    "http": _verbs("GET HEAD", "POST PUT PATCH DELETE"),
    "perl": _unless("-i", otherwise=Effect.UNKNOWN),
    "ruby": _unless("-i", otherwise=Effect.UNKNOWN),
    "gofmt": _unless("-w"),
    "black": _unless("--never", otherwise=Effect.CHANGE),
    "prettier": _unless("--write", "-w"),
    "ruff": lambda a: Effect.CHANGE if "format" in a and not has(a, "--check", "--diff") else _unless("--fix")(a),
    "eslint": _unless("--fix"),
    "mypy": lambda _: Effect.READ,
    "shellcheck": lambda _: Effect.READ,
    "npm": _verbs("ls list view info outdated search help why explain root prefix config ping whoami", _PACKAGES),
    "pnpm": _verbs("ls list view info outdated why root", _PACKAGES),
    "yarn": _verbs("list info why outdated", _PACKAGES, nothing=Effect.CHANGE),
    "pip": _PIP,
    "pip3": _PIP,
    "uv": _verbs("version tree help", "add remove sync lock venv init pip tool build publish"),
    "poetry": _verbs("show check version about search env", "add remove install update lock init build publish"),
    "cargo": _verbs("tree metadata search version help locate-project",
                    "add remove install update init new publish fmt clean fix"),
    "go": _verbs("list doc version env vet", "get install mod fmt clean generate work"),
    "rustup": _verbs("show which", "install update default target component toolchain self"),
    "brew": _verbs("list info search deps uses outdated doctor config",
                   "install uninstall upgrade update tap untap link unlink"),
    "apt": _verbs("list show search policy depends rdepends", "install remove purge update upgrade autoremove full-upgrade"),
    "apt-cache": lambda _: Effect.READ,
    "dpkg": _unless("-i", "--install", "-r", "--remove", "-P", "--purge", "--configure"),
    "rpm": _unless("-i", "-U", "-e", "-F"),
    "yum": _verbs("list info search repolist", "install remove update upgrade"),
    "dnf": _verbs("list info search repolist repoquery", "install remove update upgrade"),
    "pacman": _unless("-S", "-R", "-U"),
    "systemctl": _verbs("status list-units list-unit-files show cat is-active is-enabled list-timers list-dependencies",
                        "start stop restart reload enable disable mask unmask daemon-reload kill edit set-property"),
    "journalctl": _unless("--vacuum-size", "--vacuum-time", "--rotate", "--flush"),
    "service": lambda a: Effect.READ if a and a[-1] == "status" else Effect.CHANGE,
    "docker": _verbs(_DOCKER_READS, _DOCKER, frozenset({"-H", "--context"})),
    "podman": _verbs(_DOCKER_READS, _DOCKER),
    "kubectl": _verbs("get describe logs top explain version api-resources api-versions cluster-info diff",
                      "apply create delete edit patch replace scale rollout set label annotate drain cordon taint cp "
                      "exec uncordon run expose autoscale", frozenset({"-n", "--namespace", "--context", "-f"})),
    "helm": _verbs("list status get show history search version template lint",
                   "install upgrade uninstall rollback repo create"),
    "terraform": _verbs("show output version providers graph validate",
                        "apply destroy import taint untaint init state workspace"),
    "aws": lambda _: Effect.UNKNOWN,
    "svn": _verbs("status st log diff info cat list ls blame annotate propget proplist",
                  "commit ci update up checkout co add delete rm move mv copy cp merge revert switch resolve"),
    "hg": _verbs("status st log diff annotate cat files heads id parents branches tags",
                 "commit ci update pull push add remove rename merge revert"),
    "ip": lambda a: Effect.CHANGE if {"add", "del", "set", "flush", "change"} & set(a) else Effect.READ,
    "ss": lambda _: Effect.READ,
    "netstat": lambda _: Effect.READ,
    "ifconfig": lambda a: Effect.READ if len(operands(a)) < 2 else Effect.CHANGE,
    "sysctl": _unless("-w", "-p", "--write", "--load"),
    "defaults": _verbs("read domains find", "write delete rename import"),
    "crontab": lambda a: Effect.READ if list(a) == ["-l"] else Effect.CHANGE,
    "zstd": lambda a: Effect.READ if has(a, "-c", "-l", "--stdout") else Effect.CHANGE,
    "gzip": lambda a: Effect.READ if has(a, "-c", "-l", "--stdout", "--list") else Effect.CHANGE,
    "gunzip": lambda a: Effect.READ if has(a, "-c", "-l", "--stdout", "--list") else Effect.CHANGE,
    "unzip": lambda a: Effect.READ if has(a, "-l", "-p", "-t", "-v", "-Z") else Effect.CHANGE,
    "patch": lambda a: Effect.READ if has(a, "--dry-run") else Effect.CHANGE,
    "rsync": lambda a: Effect.READ if has(a, "--dry-run", "--list-only", "-n") else Effect.CHANGE,
    "mount": lambda a: Effect.CHANGE if operands(a) else Effect.READ,
    "kill": lambda a: Effect.NOTHING if a[:1] in (["-l"], ["-L"], ["-0"]) else Effect.CHANGE,
    "make": lambda a: Effect.READ if has(a, "-n", "--dry-run", "--just-print") else Effect.UNKNOWN,
    "borg": _verbs("status doctor recall why trust report", "", nothing=Effect.NOTHING),
}  # fmt: skip
"""Commands whose options or verbs decide. A name here goes before the sets above."""
