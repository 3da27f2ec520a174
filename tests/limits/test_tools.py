"""Which tool call counts as what, per agent, and that any tool with any input gets an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.agents.event import ToolCall
from borgd.limits.investigation.budget import Units
from borgd.limits.investigation.tools import TABLES, count, document


def shown(*names: str) -> Units:
    """One retrieval call that shows these files or pages."""
    return Units(retrieval_calls=1, documents=tuple(map(document, names)))


CALLS: list[tuple[str, str, dict[str, Any], str, Units]] = [
    ("claude-code", "Read", {"file_path": "/r/a.py"}, "retrieval", shown("/r/a.py")),
    ("claude-code", "Read", {"file_path": "a/../b.py"}, "retrieval", shown("/r/b.py")),
    ("claude-code", "NotebookRead", {"notebook_path": "/n"}, "retrieval", shown("/n")),
    ("claude-code", "WebFetch", {"url": "https://x/y#z"}, "retrieval", shown("https://x/y")),
    ("claude-code", "WebSearch", {"query": "x"}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "Grep", {"pattern": "x", "path": "/r"}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "Glob", {"pattern": "*"}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "LSP", {"operation": "findReferences"}, "graph", Units(graph_expansions=1)),
    ("claude-code", "Task", {"subagent_type": "Explore"}, "subquery", Units(subqueries=1)),
    ("claude-code", "Agent", {}, "subquery", Units(subqueries=1)),
    ("claude-code", "Edit", {"file_path": "/r/a.py"}, "change", Units()),
    ("claude-code", "MultiEdit", {}, "change", Units()),
    ("claude-code", "Write", {}, "change", Units()),
    ("claude-code", "NotebookEdit", {}, "change", Units()),
    ("claude-code", "AskUserQuestion", {}, "neutral", Units()),
    ("claude-code", "ExitPlanMode", {}, "neutral", Units()),
    ("claude-code", "TodoWrite", {}, "neutral", Units()),
    ("claude-code", "TaskOutput", {}, "neutral", Units()),
    ("claude-code", "Bash", {"command": "cat a b"}, "retrieval", shown("/r/a", "/r/b")),
    ("claude-code", "Bash", {"command": "grep -rn x ."}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "Bash", {"command": "echo x > y"}, "change", Units()),
    ("claude-code", "Bash", {"command": "cd x"}, "neutral", Units()),
    ("claude-code", "Bash", {"command": "make test"}, "unknown", Units(retrieval_calls=1)),
    ("claude-code", "Bash", {}, "neutral", Units()),
    ("claude-code", "Bash", {"command": 7}, "unknown", Units(retrieval_calls=1)),
    ("claude-code", "mcp__serena__find_referencing_symbols", {}, "graph", Units(graph_expansions=1)),
    ("claude-code", "mcp__lsp__goToDefinition", {}, "graph", Units(graph_expansions=1)),
    ("claude-code", "mcp__x__get_call_graph", {}, "graph", Units(graph_expansions=1)),
    ("claude-code", "mcp__github__list_issues", {}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "mcp__github__create_issue", {}, "change", Units()),
    ("claude-code", "mcp__db__query", {}, "retrieval", Units(retrieval_calls=1)),
    ("claude-code", "mcp__x__frobnicate", {}, "unknown", Units(retrieval_calls=1)),
    ("claude-code", "mcp__x__updateList", {}, "change", Units()),
    ("codex", "Bash", {"command": "sed -n 1,5p x"}, "retrieval", shown("/r/x")),
    ("codex", "shell", {"command": ["bash", "-lc", "rm x"]}, "change", Units()),
    ("codex", "shell", {"command": ["ls", "-la"]}, "retrieval", Units(retrieval_calls=1)),
    ("codex", "apply_patch", {"command": "*** Begin Patch"}, "change", Units()),
    ("codex", "update_plan", {}, "neutral", Units()),
    ("codex", "spawn_agent", {}, "subquery", Units(subqueries=1)),
    ("gemini", "read_file", {"absolute_path": "/a"}, "retrieval", shown("/a")),
    ("gemini", "read_many_files", {"paths": ["a", "b"]}, "retrieval", shown("/r/a", "/r/b")),
    ("gemini", "run_shell_command", {"command": "rm x"}, "change", Units()),
    ("gemini", "replace", {}, "change", Units()),
    ("cursor", "Shell", {"command": "ls"}, "retrieval", Units(retrieval_calls=1)),
    ("cursor", "Delete", {}, "change", Units()),
    ("opencode", "read", {"filePath": "/a"}, "retrieval", shown("/a")),
    ("opencode", "task", {}, "subquery", Units(subqueries=1)),
    ("omp", "bash", {"command": "ls"}, "retrieval", Units(retrieval_calls=1)),
    ("copilot", "view", {"path": "/a"}, "retrieval", shown("/a")),
    ("someone", "list_files", {}, "retrieval", Units(retrieval_calls=1)),
    ("someone", "deleteFile", {}, "change", Units()),
]


@pytest.mark.parametrize(("agent", "name", "given_input", "kind", "units"), CALLS)
def test_what_a_call_counts_as(agent: str, name: str, given_input: dict[str, Any], kind: str, units: Units) -> None:
    assert count(agent, ToolCall(name=name, input=given_input), "/r") == (kind, units)


def test_only_what_certainly_changes_nothing_can_be_stopped() -> None:
    kinds = {
        kind: count(agent, ToolCall(name=name, input=given_input), "/r").stoppable
        for agent, name, given_input, kind, _ in CALLS
    }
    assert kinds == {"retrieval": True, "graph": True, "subquery": True, "change": False, "neutral": False, "unknown": False}


@pytest.mark.parametrize("agent", sorted(TABLES))
def test_every_agent_has_reading_changing_shell_and_neutral_tools(agent: str) -> None:
    assert {"retrieval", "change", "shell", "neutral"} <= set(TABLES[agent].values())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
names = st.sampled_from(sorted({name for table in TABLES.values() for name in table})) | st.text(max_size=30)
keys = st.sampled_from(["command", "cmd", "file_path", "path", "paths", "url", "subagent_type"]) | st.text(max_size=5)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([*TABLES, "other"]),
    names,
    st.dictionaries(keys, json_values, max_size=4),
    st.sampled_from(["", "/r", "x", "\0"]),
)
def test_any_tool_with_any_input_gets_an_answer(agent: str, name: str, given_input: dict[str, Any], cwd: str) -> None:
    counted = count(agent, ToolCall(name=name, input=given_input), cwd)
    assert counted.units.retrieval_calls + counted.units.graph_expansions + counted.units.subqueries <= 1
    assert all(isinstance(document, str) for document in counted.units.documents)
    if counted.kind in ("change", "neutral"):
        assert counted.units == Units()


@pytest.mark.parametrize(
    ("name", "given_input"),
    [
        ("WebFetch", {"url": "https://me:{}@h.example/x"}),
        ("WebFetch", {"url": "https://h.example/x?api_key={}"}),
        ("Read", {"file_path": "/w/{}.txt"}),
        ("Bash", {"command": "curl https://me:{}@h.example/x"}),
        ("Bash", {"command": "cat --password {}"}),
        ("Bash", {"command": "head -n 5 password={}"}),
    ],
)
def test_no_name_of_a_document_is_in_what_is_counted_and_different_ones_count_apart(
    name: str, given_input: dict[str, str]
) -> None:
    calls = [
        ToolCall(name=name, input={key: text.format(secret) for key, text in given_input.items()})
        for secret in ("hunter2Correct9Horse", "hunter3Correct9Horse")
    ]
    first, second = (count("claude-code", call, "/r").units.documents for call in calls)
    assert first
    assert "hunter" not in repr((first, second))
    assert first != second
    assert first == count("claude-code", calls[0], "/r").units.documents
