"""Codex's apply_patch text as an edit: which files, what is taken out, what is put in. Pure."""

from __future__ import annotations

from typing import Any

FILE_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def edit_of(patch: str) -> dict[str, Any]:
    """The patch as an edit's input: ``file_path`` the first file, ``paths`` all, ``old_string``, ``new_string`` lines."""
    paths: list[str] = []
    old: list[str] = []
    new: list[str] = []
    for line in patch.split("\n"):
        named = next((line.removeprefix(start).strip() for start in FILE_LINES if line.startswith(start)), "")
        if named:
            paths.append(named)
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
    if not paths:
        return {}
    return {"file_path": paths[0], "paths": paths, "old_string": "\n".join(old), "new_string": "\n".join(new)}
