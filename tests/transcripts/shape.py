"""Reads one JSON document from standard input and prints its keys, so that a transcript can hold them: ``borg … | shape``.

A list shows the shape of its first element. Fails where the input is anything but exactly one document.
"""

from __future__ import annotations

import json
import sys


def shape(value: object, indent: int = 0) -> str:
    """The keys of ``value``, a line each, and what kind of value each has."""
    pad = "  " * (indent + 1)
    if isinstance(value, dict):
        rows = [f"{pad}{key}: {shape(one, indent + 1)}" for key, one in sorted(value.items())]
        return "\n".join(["{", *rows, f"{pad[:-2]}}}"]) if rows else "{}"
    if isinstance(value, list):
        return f"[{shape(value[0], indent)}]" if value else "[]"
    names = {str: "text", bool: "true or false", int: "number", float: "number", type(None): "null"}
    return names[type(value)]


if __name__ == "__main__":
    try:
        print(shape(json.load(sys.stdin)))
    except ValueError as error:
        print(f"not one JSON document: {error}", file=sys.stderr)
        sys.exit(1)
