"""The line that an error names is the line of the file, whatever stands before it and however often was read before."""

from __future__ import annotations

from pathlib import Path

from borgd.config.schema import Config
from borgd.paths import private_dir, user_paths
from borgd.stores.knowledge import Knowledge
from borgd.stores.record_lines import record_lines

GOOD = b'{"id": "La", "question": "Is a done?", "consequence": "No a."}\n'
BAD = b'{"id": "Lb", "question": 7, "consequence": "No b."}\n'


def test_lines_of_records_skip_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "lessons.jsonl"
    path.write_bytes(GOOD + b"\nnot json\n" + BAD + GOOD)
    assert record_lines(path) == [1, 4, 5]
    assert record_lines(tmp_path / "none.jsonl") == []


def test_a_bad_line_is_named_by_its_place_in_the_file_also_when_it_came_later(home: Path) -> None:
    where = user_paths()
    private_dir(where.data)
    path = where.journal("lessons")
    path.write_bytes(GOOD + b"not json\n" + GOOD)
    known = Knowledge(where, Config(), "mira")
    known.refresh()
    with path.open("ab") as file:
        file.write(GOOD + BAD)
    known.refresh()
    assert [problem for problem in known.problems if "question" in problem] == [
        f"{path}:5: question: expected `str`, got `int`"
    ]
