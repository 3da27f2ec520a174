"""The papers say what is: the page of settings is made from the schema, and the places ARCHITECTURE.md names are there."""

from __future__ import annotations

import ast
import importlib.util
import re
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DECISIONS = (
    "early recall",
    "a Stop block",
    "a denied read",
    "a deferred question",
    "who is there",
    "a correction",
    "an outcome",
    "an OPE number",
)


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_settings_is_up_to_date() -> None:
    assert (ROOT / "docs" / "CONFIGURATION.md").read_text("utf-8") == generator().page(), "run python docs/generate.py"


def test_the_page_of_agents_is_up_to_date() -> None:
    assert (ROOT / "docs" / "AGENTS.md").read_text("utf-8") == generator().agents_page(), "run python docs/generate.py"


def test_completions_and_the_manual_page_are_up_to_date() -> None:
    stale = [path.name for path, text in generator().shared().items() if path.read_text("utf-8") != text]
    assert not stale, "run python docs/generate.py"


def test_every_setting_is_explained() -> None:
    made = generator()
    silent = [
        f"{name}.{field}"
        for name, struct in made.structs().items()
        if name not in ("Config", "InvestigationConfig")
        for field, _, _, text in made.fields(struct)
        if not text
    ]
    assert silent == []


def named_places() -> list[tuple[str, str, str]]:
    """(what is decided, file, function or Class.method) of the table "Who decides what" in ARCHITECTURE.md."""
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    section = text.split("## Who decides what")[1].split("\n## ")[0]
    return [
        (row.split("|")[1].strip(), path, name)
        for row in section.split("\n")
        if row.startswith("| ") and "`" in row
        for path, name in re.findall(r"`([a-z_/]+\.py):([A-Za-z_.]+)`", row)
    ]


def test_every_decision_has_its_place() -> None:
    assert {what for what, _, _ in named_places()} >= set(DECISIONS)


@pytest.mark.parametrize(("what", "path", "name"), named_places())
def test_the_named_places_exist(what: str, path: str, name: str) -> None:
    tree: ast.AST = ast.parse((ROOT / "borgd" / path).read_text("utf-8"))
    for part in name.split("."):
        inside = [
            node
            for node in ast.iter_child_nodes(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == part
        ]
        assert inside, f"{what}: {path} has no {name}"
        tree = inside[0]


def calls_in(path: str, name: str) -> set[str]:
    tree: ast.AST = ast.parse((ROOT / "borgd" / path).read_text("utf-8"))
    for part in name.split("."):
        tree = next(
            node
            for node in ast.iter_child_nodes(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == part
        )
    return {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    }


@pytest.mark.parametrize("what", DECISIONS)
def test_from_the_stage_to_the_rule_in_two_calls(what: str) -> None:
    """The places of a row are named in the order of the calls: each is mentioned in the one before it."""
    places = [(path, name) for row, path, name in named_places() if row == what]
    assert 2 <= len(places) <= 3
    for (path, name), (_, inner) in pairwise(places):
        assert inner.rpartition(".")[2] in calls_in(path, name), f"{path}:{name} does not mention {inner}"


def test_each_promise_of_security_names_a_test_that_is_there() -> None:
    text = (ROOT / "docs" / "SECURITY.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 10
    assert [row[:60] for row in rows if "`tests/" not in row] == []
    for file, function in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text):
        source = (ROOT / file).read_text("utf-8")
        assert not function or re.search(rf"def {function}\(", source), f"{file} has no {function}"
