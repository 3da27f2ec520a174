"""A union reads the same from files and lines in any order; of the versions of an id one is chosen, the same everywhere."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.journal import Journal, encode, latest, read_union

ROWS = st.fixed_dictionaries(
    {"id": st.sampled_from("abc"), "version": st.integers(0, 3)},
    optional={"ms": st.integers(0, 3), "text": st.text(max_size=3)},
)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    ms: int = 0
    version: int = 0


@given(st.lists(st.lists(ROWS, max_size=6), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_order_of_files_lines_and_keys_changes_nothing(
    tmp_path_factory: Any, files: list[list[Any]], chance: random.Random
) -> None:
    directory = tmp_path_factory.mktemp("union")
    paths = [directory / f"{number}.jsonl" for number in range(len(files))]
    for path, rows in zip(paths, files, strict=True):
        path.write_bytes(encode(rows))
    first, first_typed = read_union(paths).records, read_union(paths, Row).records

    every = [row for rows in files for row in rows]
    chance.shuffle(every)
    chance.shuffle(paths)
    for number, path in enumerate(paths):
        lines = [dict(chance.sample(list(row.items()), len(row))) for row in every[number :: len(paths)]]
        path.write_text(
            "".join(json.dumps(line, ensure_ascii=chance.random() < 0.5) + "\n" for line in [*lines, *lines[:2]])
        )
    assert read_union(paths).records == first
    assert read_union([*paths, *paths], Row).records == first_typed
    assert len(first) == len({json.dumps(row, sort_keys=True) for row in every})
    assert latest(first) == latest(every) == latest(reversed(every))


def test_records_come_in_order_of_time(tmp_path: Path) -> None:
    Journal(tmp_path / "b").append([{"ms": 3}, {"ms": 1}])
    Journal(tmp_path / "a").append([{"ms": 2}, {"later": True}, {"ms": "odd"}])
    assert [record.get("ms") for record in read_union([tmp_path / "b", tmp_path / "a"]).records] == [None, "odd", 1, 2, 3]


def test_damage_names_its_file_and_one_bad_file_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"n":1}\nrubbish\n')
    (tmp_path / "b").mkdir()
    (tmp_path / "c").write_bytes(b'{"n":2}\n{"n"')
    reading = read_union([tmp_path / name for name in "abcd"])
    assert reading.records == [{"n": 1}, {"n": 2}]
    assert [(Path(damage.path).name, damage.line) for damage in reading.damage] == [("a", 2), ("b", 0)]
    assert reading.torn is True


def test_the_latest_version_wins_and_of_equal_ones_the_larger_hash() -> None:
    old, new, other = {"id": "a", "version": 1}, {"id": "a", "version": 2, "t": 1}, {"id": "a", "version": 2, "t": 2}
    assert latest([new, old]) == [new]
    winner = latest([new, other])
    assert winner == latest([other, new]) == latest([old, {"t": winner[0]["t"], "version": 2, "id": "a"}])
    assert latest([{"id": "b"}, {"id": "a"}, {"t": 2}, {"t": 1}, {"t": 2}]) == [{"id": "a"}, {"id": "b"}, {"t": 1}, {"t": 2}]
    assert latest([Row(id="a", version=1), Row(id="a", version=3)]) == [Row(id="a", version=3)]


@pytest.mark.parametrize("version", ["9", None, [1], True])
def test_a_version_that_is_no_number_never_beats_one(version: Any) -> None:
    assert latest([{"id": "a", "version": version}, {"id": "a", "version": 2}]) == [{"id": "a", "version": 2}]
