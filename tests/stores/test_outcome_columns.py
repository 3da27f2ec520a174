"""What is kept of outcome files saves time and changes nothing, whatever state it or the files are in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.journal import Journal, TypedFollower
from borgd.memory.columns import FoldColumns, Packed
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome, OutcomeKind
from borgd.stores.outcome_columns import OutcomeColumns

KINDS: list[OutcomeKind] = ["changed", "ignored", "not_arisen", "corrected", "not_corrected", "tested", "vetoed", "unclear"]

rows = st.builds(
    Outcome,
    id=st.text("ab", min_size=1, max_size=2),
    ms=st.integers(-5, 50),
    lesson=st.sampled_from(["L1", "L2", "L\n3"]),
    kind=st.sampled_from(KINDS),
    evidence=st.just("e"),
    decision=st.sampled_from(["", "d1"]),
    agent=st.sampled_from(["", "a"]),
    session=st.sampled_from(["", "s1", "s2", "s\n3"]),
    held=st.booleans(),
    credit=st.sampled_from([1.0, 0.5, -3.0]),
    repo=st.sampled_from(["", "r1", "r2"]),
    engineer=st.sampled_from(["", " ", "mira", "tobin"]),
)


def exported(columns: FoldColumns) -> str:
    return json.dumps(Memory.of_columns({}, columns).export(), sort_keys=True)


@given(st.lists(st.lists(rows, max_size=8), max_size=4), st.randoms())
@settings(max_examples=150, deadline=None)
def test_taking_packed_columns_is_taking_the_outcomes(files: list[list[Outcome]], random: object) -> None:
    plain, packed = FoldColumns(), []
    for outcomes in files:
        plain.extend(outcomes)
        own = FoldColumns()
        own.extend(outcomes)
        packed.append(own.packed())
    random.shuffle(packed)  # type: ignore[attr-defined]
    taken = FoldColumns()
    for one in packed:
        assert one.sound()
        taken.take(one)
    assert exported(taken) == exported(plain)


class File:
    """A file of outcomes that was last written long ago, and what a memory of it says."""

    def __init__(self, root: Path) -> None:
        self.path = root / "mira@box.outcomes.jsonl"
        self.kept = root / "kept"
        self.write(*(outcome(number) for number in range(20)))

    def write(self, *outcomes: Outcome) -> None:
        Journal(self.path).append(outcomes)
        self.age(1)

    def age(self, hours: int) -> None:
        then = self.path.stat().st_mtime_ns - hours * 3600 * 10**9
        os.utime(self.path, ns=(then, then))

    def gather(self) -> tuple[str, int]:
        """The memory of it, and how many files were read for it."""
        columns, store = FoldColumns(), OutcomeColumns(self.kept, least=0)
        follower = TypedFollower(Journal(self.path), Outcome)
        store.gather(columns, follower)
        assert follower.read().records == []
        return exported(columns), store.read

    def plain(self) -> str:
        columns = FoldColumns()
        columns.extend(Journal(self.path).read(Outcome).records)
        return exported(columns)

    def stored(self) -> Path:
        (found,) = self.kept.iterdir()
        return found


def outcome(number: int) -> Outcome:
    return Outcome(
        id=f"o{number}", ms=number, lesson=f"L{number % 3}", kind=KINDS[number % 5], evidence="e", session=f"s{number % 7}"
    )  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    made = File(tmp_path)
    assert made.gather() == (made.plain(), 1)
    yield made
    assert made.gather()[0] == made.plain()


def test_a_file_that_did_not_change_is_not_read(file: File) -> None:
    assert file.gather() == (file.plain(), 0)
    assert stat.S_IMODE(file.stored().stat().st_mode) == 0o600
    assert stat.S_IMODE(file.kept.stat().st_mode) == 0o700


def test_what_comes_later_is_read_from_where_the_kept_ends(file: File) -> None:
    columns, follower = FoldColumns(), TypedFollower(Journal(file.path), Outcome)
    OutcomeColumns(file.kept, least=0).gather(columns, follower)
    Journal(file.path).append([outcome(99)])
    assert [one.id for one in follower.read().records] == ["o99"]


@pytest.mark.parametrize("how", ["grown", "shrunk", "edited", "replaced", "touched", "gone"])
def test_a_file_that_changed_in_any_way_is_read_anew(file: File, how: str) -> None:
    data = file.path.read_bytes()
    if how == "grown":
        file.write(outcome(50))
    elif how == "shrunk":
        file.path.write_bytes(data[: len(data) // 2])
    elif how == "edited":
        file.path.write_bytes(data.replace(b'"L1"', b'"L7"'))
    elif how == "replaced":
        times = file.path.stat()
        file.path.rename(file.path.with_name("away"))
        file.path.write_bytes(data.replace(b'"L1"', b'"L8"'))
        os.utime(file.path, ns=(times.st_mtime_ns, times.st_mtime_ns))
    elif how == "touched":
        file.age(2)
    else:
        file.path.unlink()
    assert file.gather() == (file.plain(), 1)


@pytest.mark.parametrize("size", [0, 1, 100, -1])
def test_what_is_kept_may_be_cut_or_anything(file: File, size: int) -> None:
    stored = file.stored()
    stored.write_bytes(stored.read_bytes()[:size] if size >= 0 else b"\x80\x04." * 99)
    assert file.gather() == (file.plain(), 1)


@given(st.integers(0, 10_000), st.integers(0, 255))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_byte_of_what_is_kept_crashes_nothing(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    file = File(tmp_path_factory.mktemp("flip"))
    file.gather()
    data = bytearray(file.stored().read_bytes())
    data[at % len(data)] = byte
    file.stored().write_bytes(data)
    assert file.gather()[0] == file.plain()


def test_a_file_that_changed_a_moment_ago_is_not_kept(tmp_path: Path) -> None:
    file = File(tmp_path)
    os.utime(file.path)
    file.gather()
    assert not file.kept.exists()


def test_damage_is_told_from_what_is_kept_as_well(file: File) -> None:
    with file.path.open("ab") as stream:
        stream.write(b"nonsense\n")
    file.age(3)
    told = []
    for _ in range(2):
        store = OutcomeColumns(file.kept, least=0)
        told.append(store.gather(FoldColumns(), TypedFollower(Journal(file.path), Outcome)))
    assert told[0] == told[1] != []
    assert store.read == 0


def test_what_is_kept_of_files_that_are_gone_is_removed(file: File) -> None:
    other = OutcomeColumns(file.kept, least=0)
    other.tidy()
    assert list(file.kept.iterdir()) == []


def test_another_conversion_is_another_reading(file: File) -> None:
    store, columns = OutcomeColumns(file.kept, least=0), FoldColumns()
    store.gather(columns, TypedFollower(Journal(file.path), Outcome), lambda one: outcome(1), "salt")
    assert store.read == 1
    assert exported(columns) != file.plain()


@pytest.mark.parametrize("field", ["lessons", "sessions", "pairs", "values", "begun"])
def test_columns_that_do_not_fit_together_are_not_sound(field: str) -> None:
    columns = FoldColumns()
    columns.extend(outcome(number) for number in range(9))
    packed: Packed = columns.packed()
    assert packed.sound()
    assert not packed._replace(**{field: getattr(packed, field)[:-1]}).sound()


def test_a_directory_that_cannot_be_made_costs_only_time(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.kept.write_text("in the way")
    assert file.gather() == (file.plain(), 1)
    assert file.gather() == (file.plain(), 1)
