"""A bad line is named by its line of the file, also one that came while the daemon ran."""

from __future__ import annotations

import json
from pathlib import Path

from borgd.config.schema import Config
from borgd.paths import user_paths
from borgd.stores.knowledge import Knowledge
from tests.server.support import lesson


def test_damage_is_named_by_its_line_however_often_was_read(home: Path) -> None:
    files = [user_paths().journal("lessons"), user_paths().journal("outcomes")]
    files[0].parent.mkdir(parents=True)
    good = [
        json.dumps(lesson("A", "Is A?")) + "\n",
        json.dumps({"id": "o", "ms": 1, "lesson": "A", "kind": "changed", "evidence": "e"}) + "\n",
    ]
    bad = ["damaged\n", '{"id": "D", "version": 1, "ms": "x"}\n']
    knowledge = Knowledge(user_paths(), Config(), "mira")
    expected = []
    line = 0
    for _ in range(3):
        for path, sound in zip(files, good, strict=True):
            with path.open("a") as file:
                file.write(sound * 2 + bad[0] + sound + bad[1])
            expected += [f"{path}:{line + 3}:", f"{path}:{line + 5}:"]
        line += 5
        knowledge.refresh()
    assert sorted(problem.partition(": ")[0] + ":" for problem in knowledge.problems) == sorted(expected)
