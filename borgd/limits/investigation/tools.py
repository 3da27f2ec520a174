"""Which tool call counts as what: one table per coding agent, one rule for tools that are in no table.

Retrieval: a search or a read. Evidence: the distinct file or page a read shows (searches show none). Graph expansion: a
lookup of symbols, references or callers. Subquery: a spawned agent. Iterations are assistant turns and are not counted here.
``change`` ends an investigation and is never stopped. ``unknown`` may change something: it costs one retrieval call and is
never stopped either. ``neutral`` is neither (questions, plans, to-do lists). What was read is known by a digest of its
name: counts are stored, and a file's name or an address may hold a secret.

To teach it a tool, add it to its agent's row. Pure; tool input is untrusted and whatever shape it has, there is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from posixpath import isabs, join, normpath
from typing import Any, Literal, NamedTuple

from borgd.agents.event import ToolCall
from borgd.limits.investigation.budget import Units
from borgd.limits.shell.judge import judge
from borgd.limits.shell.tables.tool import Effect, words

Kind = Literal["retrieval", "graph", "subquery", "change", "shell", "neutral", "unknown"]


class ToolCount(NamedTuple):
    """What one call is and what it uses. Only ``retrieval``, ``graph`` and ``subquery`` can be stopped."""

    kind: Kind
    units: Units = Units()

    @property
    def stoppable(self) -> bool:
        """Whether a spent budget stops it."""
        return self.kind in ("retrieval", "graph", "subquery")


def _table(
    *, retrieval: str, change: str, commands: str, neutral: str, graph: str = "", subquery: str = ""
) -> dict[str, Kind]:
    rows: dict[str, Kind] = {}
    rows |= dict.fromkeys(retrieval.split(), "retrieval")
    rows |= dict.fromkeys(graph.split(), "graph")
    rows |= dict.fromkeys(subquery.split(), "subquery")
    rows |= dict.fromkeys(change.split(), "change")
    rows |= dict.fromkeys(commands.split(), "shell")
    rows |= dict.fromkeys(neutral.split(), "neutral")
    return rows


SPAWNING = frozenset({"Agent", "Task", "spawn_agent", "task"})
"""host: tools that start another agent, of all agents."""

CLAUDE_CODE = _table(
    retrieval="Read Grep Glob LS WebFetch WebSearch NotebookRead ListMcpResourcesTool ReadMcpResourceTool ToolSearch",
    graph="LSP",
    subquery="Task Agent",
    change="Edit Write MultiEdit NotebookEdit EnterWorktree ExitWorktree",
    commands="Bash PowerShell",
    neutral="""AskUserQuestion ExitPlanMode EnterPlanMode TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate
        TaskOutput TaskStop BashOutput KillShell KillBash Skill SlashCommand SendMessage StructuredOutput Monitor""",
)
"""host: Claude Code's built-in tools."""

CODEX = _table(
    retrieval="web_search view_image read_file list_dir grep_files read_mcp_resource list_mcp_resources tool_search",
    subquery="spawn_agent",
    change="apply_patch Edit Write",
    commands="Bash shell exec_command local_shell unified_exec",
    neutral="update_plan request_user_input wait wait_agent send_input close_agent resume_agent write_stdin",
)
"""host: Codex reports shell calls as Bash and edits as apply_patch."""

GEMINI = _table(
    retrieval="read_file read_many_files list_directory glob search_file_content grep_search web_fetch google_web_search",
    graph="codebase_investigator",
    change="write_file replace save_memory",
    commands="run_shell_command",
    neutral="write_todos ask_user enter_plan_mode exit_plan_mode activate_skill",
)
CURSOR = _table(
    retrieval="Read Grep Glob LS WebFetch WebSearch SemanticSearch",
    subquery="Task",
    change="Write Edit Delete StrReplace",
    commands="Shell",
    neutral="TodoWrite AskQuestion",
)
OPENCODE = _table(
    retrieval="read grep glob list webfetch websearch codesearch",
    graph="lsp",
    subquery="task",
    change="edit write patch multiedit apply_patch",
    commands="bash",
    neutral="todowrite todoread question skill plan_enter plan_exit invalid",
)
OMP = _table(
    retrieval="read grep glob find search ls web_search web_fetch recall",
    graph="lsp ast_grep",
    subquery="task",
    change="edit write ast_edit memory_edit retain learn manage_skill",
    commands="bash",
    neutral="todo ask checkpoint rewind context_notes new_context reflect yield goal think hub",
)
COPILOT = _table(
    retrieval="view grep glob web_fetch web_search read_bash",
    graph="lsp",
    subquery="task",
    change="edit create apply_patch str_replace_editor",
    commands="bash powershell",
    neutral="ask_user update_todo report_intent stop_bash write_bash",
)

TABLES: Mapping[str, Mapping[str, Kind]] = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "gemini": GEMINI,
    "cursor": CURSOR,
    "opencode": OPENCODE,
    "omp": OMP,
    "copilot": COPILOT,
}

SHOWS = words(
    "Read NotebookRead WebFetch ReadMcpResourceTool read view view_image read_file web_fetch webfetch read_many_files"
)
"""Retrieval tools whose target is a document that is shown."""

_TARGETS = ("file_path", "notebook_path", "filePath", "path", "absolute_path", "uri", "url")
COMMAND_FIELDS = ("command", "cmd", "script")
"""host: where tools of shells carry the command line."""

_GRAPH = words(
    """
    references definition definitions symbol symbols callers callees callgraph hierarchy implementations usages
    dependents dependencies
    """
)
_CHANGES = words(
    """
    create update delete write set send post edit remove add insert move rename upload push merge close commit
    apply replace publish deploy assign comment submit save put patch drop cancel start stop restart click type
    fill navigate
    """
)
_READS = words(
    """
    get list read search find fetch query describe view show lookup count status browse resolve check ls cat
    grep select screenshot snapshot
    """
)
DOCUMENT_CHARS = 16
"""design: hexadecimal digits that stand for what was read: 64 bits, and no two of a session's documents meet."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def count(agent: str, tool: ToolCall, cwd: str = "") -> ToolCount:
    """What ``tool`` counts as for ``agent``. Files are named as seen from ``cwd``, so that one file has one name."""
    kind = TABLES.get(agent, {}).get(tool.name) or _by_name(tool.name)
    if kind == "shell":
        return _shell(tool, cwd)
    if kind == "retrieval":
        shown = _documents(tool, cwd) if tool.name in SHOWS else ()
        return ToolCount(kind, Units(retrieval_calls=1, documents=shown))
    if kind == "graph":
        return ToolCount(kind, Units(graph_expansions=1))
    if kind == "subquery":
        return ToolCount(kind, Units(subqueries=1))
    return ToolCount(kind, Units(retrieval_calls=1) if kind == "unknown" else Units())


def _by_name(name: str) -> Kind:
    """A tool of another server or agent, by the verb in its name; only a clear verb says more than unknown."""
    own = name.rpartition("__" if name.startswith("mcp__") else ":")[2]
    parts = [part.lower() for part in _PART.findall(own)]
    if _CHANGES & set(parts[:1]):
        return "change"
    if _GRAPH & set(parts) or {"call", "graph"} <= set(parts):
        return "graph"
    if _READS & set(parts[:1]):
        return "retrieval"
    return "change" if _CHANGES & set(parts) else "retrieval" if _READS & set(parts) else "unknown"


def command_line(given: Any) -> str:
    """The command line that ``given`` holds: a text, or an argv, of which a shell's text is its last word."""
    if isinstance(given, list):
        argv = _texts(given)
        return argv[-1] if len(argv) == 3 and argv[1].startswith("-") and "c" in argv[1] else " ".join(argv)
    return given if isinstance(given, str) else ""


def _shell(tool: ToolCall, cwd: str) -> ToolCount:
    given = next((tool.input[name] for name in COMMAND_FIELDS if name in tool.input), "")
    if not isinstance(given, str | list):
        return ToolCount("unknown", Units(retrieval_calls=1))
    command = command_line(given)
    judged = judge(command)
    if judged.effect is Effect.CHANGE:
        return ToolCount("change")
    if judged.effect is Effect.NOTHING:
        return ToolCount("neutral")
    documents = tuple(_name(name, cwd) for name in judged.files)
    kind: Kind = "retrieval" if judged.effect is Effect.READ else "unknown"
    return ToolCount(kind, Units(retrieval_calls=1, documents=documents))


def _documents(tool: ToolCall, cwd: str) -> tuple[str, ...]:
    listed = tool.input.get("paths")
    if isinstance(listed, list):
        return tuple(_name(name, cwd) for name in _texts(listed))
    return tuple(_name(name, cwd) for name in _texts(tool.input.get(key) for key in _TARGETS))[:1]


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str) and value]


def _name(name: str, cwd: str) -> str:
    """One name for one file or page: absolute and without ``..`` for files, as written for pages."""
    if "://" in name:
        return document(name.partition("#")[0])
    return document(normpath(name if isabs(name) or not cwd else join(cwd, name)))


def document(name: str) -> str:
    """What stands for the file or page ``name`` wherever documents are counted."""
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DOCUMENT_CHARS]
