"""What SQL handed to a database's client does: its statements by their first word. Pure.

A ``select`` may call a function that changes something, so that it is unknown; only what cannot call one looks.
"""

from __future__ import annotations

import re

from borgd.limits.shell.tables.tool import Effect, words

_CHANGES = words(
    "insert update delete drop create alter truncate grant revoke replace merge copy "
    "vacuum reindex comment rename lock refresh "
    "cluster import load optimize repair flush kill reset analyze upsert attach detach "
    "\\copy .import .restore .save .backup .output .once .read"
)
_LOOKS = words(
    "show describe desc use explain \\d \\dt \\d+ \\dn \\du \\df \\di \\l \\l+ \\dv "
    "\\conninfo \\timing \\dx \\z \\dp "
    ".tables .schema .databases .indexes .mode .headers .dbinfo .width .show .separator "
    ".help .quit .exit \\q \\x \\pset \\dt+ "
    "\\ds \\encoding .fullschema .dump .timeout"
)
_NOISE = re.compile(r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\$\$.*?\$\$", re.DOTALL)
_INTO = re.compile(r"\binto\s+(outfile|dumpfile|table|temp|temporary|\w+)\b|\bfor\s+update\b", re.IGNORECASE)
_WRITES = re.compile(
    r"\b(insert\s+into|update\s+\S+\s+set|delete\s+from|drop\s+(table|database|index|schema))\b", re.IGNORECASE
)


def judge_sql(text: str) -> Effect:
    """What the statements in ``text`` do, the worst of them; of none: unknown."""
    bare = _NOISE.sub("''", text)
    worst = Effect.NOTHING
    for statement in bare.replace("\n\\", ";\\").split(";"):
        parts = statement.split(None, 1)
        if parts:
            worst = max(worst, _judge_statement(parts[0].lower(), statement))
    return worst or Effect.UNKNOWN


def _judge_statement(verb: str, statement: str) -> Effect:
    if verb in _CHANGES:
        if verb == "copy" and re.search(r"\bto\s+stdout\b", statement, re.IGNORECASE):
            return Effect.UNKNOWN
        return Effect.CHANGE
    if verb == "explain":
        return Effect.READ if not re.search(r"\banalyze\b", statement, re.IGNORECASE) else _explained(statement)
    if verb in _LOOKS:
        return Effect.READ
    if verb in ("select", "with", "table", "values"):
        return Effect.CHANGE if _INTO.search(statement) or _WRITES.search(statement) else Effect.UNKNOWN
    return Effect.UNKNOWN


def _explained(statement: str) -> Effect:
    return Effect.CHANGE if re.search(r"\b(insert|update|delete|merge)\b", statement, re.IGNORECASE) else Effect.UNKNOWN
