"""What a short program handed to an interpreter evidently writes. Pure; nothing is run.

Only what certainly changes something is named; every other program is unknown, also one that seems to read only.
"""

from __future__ import annotations

import ast
import re
import warnings

_PYTHON_CALLS = frozenset(
    [
        "shutil.rmtree",
        "shutil.move",
        "shutil.copy",
        "shutil.copy2",
        "shutil.copyfile",
        "shutil.copytree",
        "shutil.make_archive",
        "shutil.unpack_archive",
        "os.remove",
        "os.unlink",
        "os.rmdir",
        "os.rename",
        "os.renames",
        "os.replace",
        "os.mkdir",
        "os.makedirs",
        "os.removedirs",
        "os.symlink",
        "os.link",
        "os.chmod",
        "os.chown",
        "os.truncate",
        "os.kill",
    ]
)
_PYTHON_METHODS = frozenset(["write_text", "write_bytes", "unlink", "rmdir", "mkdir", "touch", "symlink_to", "hardlink_to"])
_OTHERS = re.compile(
    r"\b(?:fs|fsp|promises|fse)\.(?:writeFile|appendFile|unlink|rm|rmdir|mkdir|rename|copyFile|cp|truncate|chmod|symlink)(?:Sync)?\s*\("
    r"|\b(?:writeFileSync|appendFileSync|unlinkSync|rmSync|mkdirSync|renameSync|copyFileSync)\s*\("
    r"|\bFile\.(?:write|delete|unlink|rename|binwrite)\b|\bFileUtils\.\w+|\bfile_put_contents\s*\(|\bDeno\.(?:write\w*|remove|rename|mkdir)\b"
)
_PERL = re.compile(r"(?:^|[;{\s])(?:unlink|rename|mkdir|rmdir|chmod)\b|\bopen\s*\(?\s*(?:my\s+)?[\$\w]+\s*,\s*['\"]\+?>")
_TEXTS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`")
MAX_CODE_CHARS = 20_000
"""guard: longer programs are left unknown unread."""


def python_writes(code: str) -> str:
    """The call of ``code`` that evidently writes, or nothing."""
    if len(code) > MAX_CODE_CHARS:
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (found := _call_writes(node)):
            return found
    return ""


def _call_writes(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "open":
        return "open for writing" if _opens_for_writing(node, 1) else ""
    if isinstance(function, ast.Attribute):
        if isinstance(function.value, ast.Name) and f"{function.value.id}.{function.attr}" in _PYTHON_CALLS:
            return f"{function.value.id}.{function.attr}"
        if function.attr in _PYTHON_METHODS:
            return function.attr
        if function.attr == "open" and _opens_for_writing(node, 0):
            return "open for writing"
    return ""


def _opens_for_writing(node: ast.Call, place: int) -> bool:
    mode = node.args[place] if len(node.args) > place else next((k.value for k in node.keywords if k.arg == "mode"), None)
    return (
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and len(mode.value) < 5
        and bool(set("wax+") & set(mode.value))
    )


def other_writes(code: str, name: str) -> str:
    """The call in JavaScript, Ruby, PHP or Perl that evidently writes, or nothing; texts are not calls."""
    if len(code) > MAX_CODE_CHARS:
        return ""
    bare = code if name == "perl" else _TEXTS.sub("''", code)
    found = (_PERL if name == "perl" else _OTHERS).search(bare)
    return found[0].strip("({; ") if found else ""
