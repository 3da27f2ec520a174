"""What a stranger may rely on when reading the package: unique names, small modules, no code for tests alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "borgd"
MAX_LINES = 400
MAX_MODULES = 24
ENTRIES = {"borgd.__main__", "borgd.cli"}
"""Modules that something outside the package starts."""


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = (path, ast.parse(path.read_text("utf-8")))
    return found


def is_data(tree: ast.Module) -> bool:
    return not any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in tree.body)


def referred(tree: ast.Module, name: str, *, is_package: bool) -> set[str]:
    """Modules that ``tree`` imports, and those that it names in a table of dotted names (imported when they are needed)."""
    found: set[str] = set()
    package = name if is_package else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[a-z_0-9.]+", node.value):
            ahead = node.value.rpartition(".")[0]  # of ``module.function``
            found |= {node.value, f"{package}.{node.value}", *([f"{package}.{ahead}"] if ahead else [])}
    return found


def test_no_class_name_twice() -> None:
    names = Counter(
        node.name
        for _, tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_no_module_is_long() -> None:
    long = {
        str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n")
        for path, tree in modules().values()
        if not is_data(tree) and path.read_text("utf-8").count("\n") > MAX_LINES
    }
    assert long == {}


def test_no_folder_is_crowded() -> None:
    folders = Counter(path.parent for path, _ in modules().values() if path.name != "__init__.py")
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in folders.items() if count > MAX_MODULES}
    assert crowded == {}


def test_no_module_is_there_for_tests_alone() -> None:
    reached, ahead = set(ENTRIES), list(ENTRIES)
    while ahead:
        name = ahead.pop()
        path, tree = modules()[name]
        further = {one for one in referred(tree, name, is_package=path.name == "__init__.py") if one in modules()}
        further |= {".".join(one.split(".")[:depth]) for one in further for depth in range(1, one.count(".") + 1)}
        ahead += further - reached
        reached |= further
    assert sorted(set(modules()) - reached) == []


def test_each_module_says_what_it_promises() -> None:
    assert [name for name, (_, tree) in modules().items() if not ast.get_docstring(tree) and tree.body] == []


def test_no_machine_path_and_no_reference_outside() -> None:
    outside = re.compile(r"\.\./shared|/work/|/home/[a-z]+/")
    pages = [path for path, _ in modules().values()] + sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md"))
    found = [f"{path.relative_to(ROOT)}: {hit}" for path in pages for hit in outside.findall(path.read_text("utf-8"))]
    assert found == []
