"""Writes docs/CONFIGURATION.md from the Structs of borgd/config/schema.py: each setting, its default, its range, its words;
docs/AGENTS.md from what each agent's module says that it hears and may answer; and below docs/share/, which the wheel puts
where shells and man look, completions and the manual page from the commands' own parsers.

Usage: python docs/generate.py          (a test fails while a page is not what this writes)
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "borgd" / "config" / "schema.py"
PAGE = ROOT / "docs" / "CONFIGURATION.md"

HEAD = """# Settings

Made by `docs/generate.py` from `borgd/config/schema.py`; do not edit it by hand.

`$XDG_CONFIG_HOME/borgd/config.toml`, usually below `~/.config`. Every setting has a default, so an empty file or none is
fine. A setting that does not exist or has the wrong kind of value is an error that names the file, the line and what was
expected; the daemon then goes on with what it read before (at its start: with the defaults), and `borg doctor` says so.
"""


def structs() -> dict[str, ast.ClassDef]:
    """The classes of the schema by name."""
    tree = ast.parse(SCHEMA.read_text("utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def fields(struct: ast.ClassDef) -> list[tuple[str, ast.expr, str, str]]:
    """(name, annotation, default as written, docstring) of each field."""
    found = []
    for place, node in enumerate(struct.body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            after = struct.body[place + 1] if place + 1 < len(struct.body) else None
            text = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
                text = " ".join(after.value.value.split())
            found.append((node.target.id, node.annotation, ast.unparse(node.value) if node.value else "", text))
    return found


def kind(annotation: ast.expr) -> str:
    """The annotation in words a person writes TOML by."""
    text = ast.unparse(annotation)
    named = {
        "Probability": "a number from 0 to 1",
        "Count": 'a whole number from 0 up, or "none"',
        "Seconds": 'seconds, or "none"',
        "str": "text",
        "bool": "true or false",
        "float": "a number",
        "int": "a whole number",
        "Decimal": "a number",
        "datetime": "a time with its offset",
    }
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = [
            kind(side)
            for side in (annotation.left, annotation.right)
            if ast.unparse(side) not in ("None", "msgspec.UnsetType")
        ]
        return " or ".join(sides)
    if text in named:
        return named[text]
    if isinstance(annotation, ast.Subscript):
        outer, inner = ast.unparse(annotation.value), annotation.slice
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if outer == "Literal":
            return " or ".join(f'"{ast.literal_eval(part)}"' for part in parts)
        if outer == "tuple":
            return f"a list of: {kind(parts[0])}"
        if outer == "dict":
            return f"a table of: {kind(parts[1])}"
        if outer == "Annotated":
            return f"{kind(parts[0])}{bounds(parts[1])}"
    return f"`{text}`"


def bounds(meta: ast.expr) -> str:
    """`` from a up``, `` above a``, `` to b`` of a Meta."""
    words = {"ge": " from {} up", "gt": " above {}", "le": " to {}", "lt": " below {}"}
    if not isinstance(meta, ast.Call):
        return ""
    return "".join(words[one.arg].format(ast.unparse(one.value)) for one in meta.keywords if one.arg in words)


def default(text: str) -> str:
    """The default as TOML would have it."""
    if text in ("None", "msgspec.UNSET", ""):
        return "not set"
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Call):
        return ast.unparse(node.args[0]).strip("'\"") if node.args else "see below"
    if isinstance(node, ast.BinOp):  # 24 * 3600.0
        value: object = eval(compile(ast.Expression(node), "schema", "eval"), {"__builtins__": {}})  # noqa: S307
    else:
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return text
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def rows(struct: ast.ClassDef, known: dict[str, ast.ClassDef]) -> tuple[list[str], list[str]]:
    """The rows of a table, and the names of the Structs that stand for tables of their own."""
    lines, further = [], []
    for name, annotation, value, text in fields(struct):
        inner = [word for word in known if word in ast.unparse(annotation)]
        further += inner
        what = "a table, see below" if inner else kind(annotation)
        shown = "" if inner else f"`{default(value)}`"
        lines.append(f"| `{name}` | {what.replace('|', 'or')} | {shown} | {text.replace('|', '/')} |")
    return lines, further


def page() -> str:
    """The whole page."""
    known = structs()
    sections, seen = [HEAD], set()
    ahead = [annotation.id for _, annotation, _, _ in fields(known["Config"]) if isinstance(annotation, ast.Name)]
    ahead.append("RepositoryConfig")
    while ahead:
        name = ahead.pop(0)
        if name in seen:
            continue
        seen.add(name)
        lines, further = rows(known[name], known)
        ahead[:0] = [one for one in further if one not in seen]
        title, _, more = (ast.get_docstring(known[name]) or name).partition("\n\n")
        title = title.split("\n")[0]
        table = ["| setting | what it takes | default | |", "|---|---|---|---|", *lines]
        sections.append("\n".join([f"## {title}", "", *([" ".join(more.split()), ""] if more else []), *table, ""]))
    return "\n".join(sections)


PLUGIN = (
    "It loads `{module}`, which `borg install` puts beside the client. The same file of `hooks/` can be named to the agent"
    " by itself (opencode: `plugin` in its settings; oh-my-pi: `-e`)."
)
AGENTS_PAGE = ROOT / "docs" / "AGENTS.md"
AGENTS_HEAD = """# Agents

Made by `docs/generate.py` from the modules in `borgd/agents/`; do not edit it by hand.

`borg install AGENT` shows what would change in the agent's settings, `--apply` does it; `borg install --all` takes every
agent that has settings on this machine. One daemon serves them all: a lesson learned in one agent is recalled in the others.

A word in a cell is the agent's own name of the event. An empty cell: the agent tells of no such moment.
"""
LABELS = {
    "session_start": "session starts",
    "prompt": "a person's prompt",
    "before_tool": "before a tool call",
    "after_tool": "after a tool call",
    "stop": "about to finish",
    "subagent_start": "a subagent starts",
    "subagent_stop": "a subagent finishes",
    "permission": "a permission is asked for",
    "notification": "a notification",
    "model_switch": "another model is chosen",
    "session_end": "session ends",
}


def answers(name: str) -> dict[str, str]:
    """What of a reply leaves in each event's answer, tried on the module itself."""
    from borgd.agents import agent
    from borgd.agents.event import Event, Moment, Reply

    module, found = agent(name), {}
    kinds = {"context": "text for the model", "block": "go on instead", "deny": "refuse", "note": "line for the person"}
    for event, moment in module.MOMENTS.items():
        said = []
        for kind, words in kinds.items():
            asked = Event(agent=name, name=event, moment=Moment(moment), session="s")
            if module.render(asked, Reply(**{kind: "x"})):
                said.append(words)
        found[event] = ", ".join(said)
    return found


ASKS = (
    "a question is seen",
    "a question is deferred",
    "its dialog is seen",
    "a permission is refused",
    "answers are told",
)


def asks_table(names: list[str]) -> list[str]:
    """Which of the agents' questions and approvals can be seen, deferred or answered, tried on each agent's module."""
    from borgd.agents import agent
    from borgd.agents.event import Event, Moment, Reply

    def able(name: str, moments: tuple[str, ...], reply: Reply) -> list[str]:
        events = {event: of for event, of in agent(name).MOMENTS.items() if of in moments}
        asked = {event: Event(agent=name, name=event, moment=Moment(of), session="s") for event, of in events.items()}
        return [f"`{event}`" for event, one in asked.items() if reply == Reply() or agent(name).render(one, reply)]

    columns = []
    for name in names:
        tools = [f"`{tool}`" for tool in agent(name).CAPABILITIES.questions]
        gated = able(name, ("before_tool",), Reply(deny="x"))
        dialogs = able(name, ("permission", "notification"), Reply())
        refused = able(name, ("permission",), Reply(deny="x"))
        told = able(name, ("prompt", "after_tool"), Reply(context="x"))
        columns.append([tools, gated if tools else [], dialogs, refused, told])
    rows = [
        f"| {label} | {' | '.join(', '.join(column[row]) or 'no' for column in columns)} |" for row, label in enumerate(ASKS)
    ]
    head = [f"| | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    words = (
        "A question is seen by its tool, and deferred by refusing that call with a reason; an answer given in `borg inbox`"
        " is told with the session's next event of the last row. A dialog (a permission, a question's own) is counted where"
        " it is seen; a permission is refused only where the settings meter permissions."
    )
    return ["## Questions and approvals", "", words, "", *head, *rows, ""]


def agents_page() -> str:
    """The whole page of agents."""
    sys.path.insert(0, str(ROOT))
    from borgd.agents import AGENTS, agent
    from borgd.agents.transcripts import SESSION_FILES, line_reader_of
    from borgd.agents.wiring import WIRINGS

    names = list(AGENTS)
    rows = [f"| | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for moment, label in LABELS.items():
        cells = [", ".join(f"`{event}`" for event, of in agent(name).MOMENTS.items() if of == moment) for name in names]
        rows.append(f"| {label} | {' | '.join(cells)} |")
    followed = ["as it grows" if line_reader_of(name) else "by `borg assimilate`" for name in names]
    rows.append(f"| its session file is read | {' | '.join(followed)} |")
    places = [f"`{SESSION_FILES[name].place({}, '~')}`" if name in SESSION_FILES else "" for name in names]
    rows.append(f"| where `borg assimilate` looks | {' | '.join(places)} |")
    parts = [AGENTS_HEAD, "## What is heard", "", *rows, "", *asks_table(names)]
    for name in names:
        parts += [
            f"## {name}",
            "",
            f"{'Plugin' if WIRINGS[name].plugin else 'Settings'}: `{WIRINGS[name].path({}, '~')}`.",
            "",
            *([PLUGIN.format(module=form.module), ""] if (form := WIRINGS[name].plugin) else []),
            "| event | an answer may hold |",
            "|---|---|",
        ]
        parts += [f"| `{event}` | {text or 'nothing'} |" for event, text in answers(name).items()]
        parts.append("")
        gaps = agent(name).CAPABILITIES.gaps
        parts += ["What borgd cannot do there:", "", *(f"- {gap}" for gap in gaps), ""] if gaps else []
    return "\n".join(parts)


def shared() -> dict[Path, str]:
    """What the wheel installs below share/, by path: completions for three shells, the manual page."""
    from borgd.cli.service.completion import SHARED, text_of

    return {ROOT / "docs/share" / place: text_of(kind) for kind, place in SHARED.items()}


if __name__ == "__main__":
    pages = {PAGE: page(), AGENTS_PAGE: agents_page(), **shared()}
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write("written: " + ", ".join(str(path.relative_to(ROOT)) for path in pages) + "\n")
