"""What clients of databases, editors and interpreters do with what they are given on their command line. Pure.

One small function each; what certainly changes something is named, nearly all else is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from borgd.limits.shell.inline_code import other_writes, python_writes
from borgd.limits.shell.options import has, option_values
from borgd.limits.shell.reading import Read, Reader
from borgd.limits.shell.sql import judge_sql
from borgd.limits.shell.tables.tool import Effect, words

SQL_LETTERS = {
    "psql": "cdfhLopUvPFRT",
    "mysql": "eDhuPSp",
    "mariadb": "eDhuPSp",
    "duckdb": "c",
    "clickhouse-client": "qhud",
    "sqlcmd": "QqiSdUP",
}
_SQL_LONG = words(
    "--command --dbname --file --host --port --username --output --execute --database "
    "--user --query --variable --set --log-file --init-command"
)


def sql_client(name: str) -> Reader:
    letters = SQL_LETTERS[name]
    takes = words("-c --command -e --execute -q --query -Q")

    def judge(arguments: Sequence[str]) -> Read:
        options = option_values(arguments, letters.replace("p", "") if name in ("mysql", "mariadb") else letters, _SQL_LONG)
        names = {option for option, _ in options}
        if names & {"-o", "--output", "-L", "--log-file"} and name == "psql":
            return Read(Effect.CHANGE, f"{name} writes a file")
        if names & {"--help", "--version", "-l", "--list", "-V"} and name == "psql":
            return Read(Effect.READ, f"{name} lists")
        statements = [value for option, value in options if option in takes]
        if name == "duckdb":
            statements += [value for option, value in options if not option][1:]
        if names & {"--help", "--version"}:
            return Read(Effect.READ, f"{name} tells about itself")
        if not statements:
            return Read(Effect.UNKNOWN, f"{name} runs what it is given")
        return Read(max(judge_sql(statement) for statement in statements), f"the SQL of {name}")

    return judge


def given_writes(name: str, text: str) -> str:
    """What ``text``, handed to ``name`` as its program by a here-document, certainly changes; or nothing."""
    if name in SQL_LETTERS or name in ("sqlite3", "sqlite"):
        return f"the SQL given to {name}" if judge_sql(text) is Effect.CHANGE else ""
    if name == "python":
        found = python_writes(text)
    elif name in ("node", "ruby", "perl", "php"):
        found = other_writes(text, name)
    else:
        return ""
    return f"the {name} code calls {found}" if found else ""


def judge_sqlite3(arguments: Sequence[str]) -> Read:
    values = words("-cmd -init -separator -newline -nullvalue -maxsize -mmap")
    given: list[str] = []
    commands: list[str] = []
    skip = ""
    for argument in arguments:
        if skip:
            commands += [argument] if skip == "-cmd" else []
            skip = ""
        elif argument.startswith("-") and len(argument) > 1:
            skip = argument if argument.replace("--", "-", 1) in values else ""
        else:
            given.append(argument)
    statements = commands + given[1:]
    if {"-version", "--version", "-help", "--help"} & set(arguments):
        return Read(Effect.READ, "sqlite3 tells about itself")
    if not statements:
        return Read(Effect.UNKNOWN, "sqlite3 runs what it is given")
    return Read(max(judge_sql(statement) for statement in statements), "the SQL of sqlite3")


_MONGO_CHANGES = re.compile(
    r"\.(?:drop\w*|insert\w*|update\w*|delete\w*|remove|replaceOne|renameCollection|create\w*|bulkWrite|save)\s*\("
)


def judge_mongo(arguments: Sequence[str]) -> Read:
    code = " ".join(
        value
        for name, value in option_values(arguments, "upf", words("--eval --host --port --username --password --file"))
        if name == "--eval"
    )
    found = _MONGO_CHANGES.search(code)
    return Read(Effect.CHANGE, f"mongo {found[0]}…)") if found else Read(Effect.UNKNOWN, "mongo runs code")


_EDITS = re.compile(r"(?:^|[|:\s])(?:w|wq|wqa|wa|x|xa|xit|up|update|saveas|write)!?(?:$|[\s|])")


def judge_vim(arguments: Sequence[str]) -> Read:
    commands = [value for name, value in option_values(arguments, "cSuUTi", words("--cmd")) if name in ("-c", "--cmd")]
    commands += [argument[1:] for argument in arguments if argument.startswith("+")]
    if any(_EDITS.search(command) for command in commands):
        return Read(Effect.CHANGE, "the editor is told to write")
    if has(arguments, "-R", "-M", "--version", "--help") and not commands:
        return Read(Effect.READ, "the editor only shows")
    return Read(Effect.UNKNOWN, "an editor")


def judge_perl(arguments: Sequence[str]) -> Read:
    """Clusters end at a letter that takes a value, so that ``-MList::Util`` holds no ``-i``."""
    codes: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--" or not argument.startswith("-") or len(argument) == 1:
            if place and arguments[place - 1][-1:] in "eE" and arguments[place - 1].startswith("-"):
                continue
            break
        for at, letter in enumerate(argument[1:], 1):
            if letter == "i":
                return Read(Effect.CHANGE, "-i changes files")
            if letter in "eE":
                codes += arguments[place + 1 : place + 2] if at == len(argument) - 1 else [argument[at + 1 :]]
                break
            if letter in "MmIFxDCVr":
                break
    return _coded("perl", codes)


def _coded(name: str, codes: Sequence[str]) -> Read:
    for code in codes:
        found = python_writes(code) if name == "python" else other_writes(code, name)
        if found:
            return Read(Effect.CHANGE, f"the {name} code calls {found}")
    return Read(Effect.UNKNOWN, f"{name} runs code")


def interpreter(name: str, letters: str, checks: str = "") -> Reader:
    """``-e CODE`` and its like; options that only check or tell look."""

    def judge(arguments: Sequence[str]) -> Read:
        if arguments and (set(arguments) <= words("--version --help -v -V -h") or arguments[0] in words(checks)):
            return Read(Effect.READ, f"{name} only checks or tells")
        codes: list[str] = []
        for place, argument in enumerate(arguments):
            if argument in ("--eval", "--print"):
                codes += arguments[place + 1 : place + 2]
            elif argument.startswith("-") and not argument.startswith("--"):
                at = next((n for n, letter in enumerate(argument[1:], 1) if letter in letters), 0)
                if at:
                    codes += [argument[at + 1 :]] if argument[at + 1 :] else list(arguments[place + 1 : place + 2])
                    break
            else:
                break
        return _coded(name, codes)

    return judge


def judge_ruby(arguments: Sequence[str]) -> Read:
    if arguments[:1] == ["-c"]:
        return Read(Effect.READ, "ruby only checks")
    if any(a.startswith("-") and not a.startswith("--") and "i" in re.split(r"[rIeECFKx]", a[1:])[0] for a in arguments):
        return Read(Effect.CHANGE, "-i changes files")
    return interpreter("ruby", "e")(arguments)
