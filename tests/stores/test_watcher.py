"""The watcher: growth is told once, by whoever found it first; a directory that goes and comes is watched again."""

from __future__ import annotations

import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import anyio
import pytest

from borgd.journal import watch as watcher_module
from borgd.journal.watch import Watcher

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def watching(watcher: Watcher) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watcher.run)
        yield
        tasks.cancel_scope.cancel()


async def until(condition: Callable[[], object], what: str, each: Callable[[], object] = bool) -> None:
    """Wait for ``condition``, doing ``each`` time and again: nothing tells when the operating system's watch stands."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        each()
        await anyio.sleep(0.02)


def grow(file: Path) -> None:
    with file.open("a") as out:
        out.write("new\n")


async def test_an_append_is_noticed(tmp_path: Path) -> None:
    seen: list[Path] = []
    file = tmp_path / "a.jsonl"
    file.write_text("old\n")
    watcher = Watcher()
    watcher.track(file, seen.append)
    async with watching(watcher):
        await until(lambda: watcher.found["watch"], "the append", lambda: grow(file))
    assert set(seen) == {file}


async def test_files_to_come_in_a_directory_are_noticed(tmp_path: Path) -> None:
    seen: list[Path] = []
    watcher = Watcher()
    watcher.track_directory(tmp_path, seen.append)
    names = count()
    async with watching(watcher):
        await until(lambda: watcher.found["watch"], "the new file", lambda: grow(tmp_path / f"s{next(names)}.ctx"))
    assert {path.suffix for path in seen} == {".ctx"}


async def test_a_directory_that_goes_and_comes_is_watched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_module, "RESCAN_S", 0.1)
    directory = tmp_path / "d"
    directory.mkdir()
    file = directory / "a.jsonl"
    seen: list[Path] = []
    file.write_text("1\n")
    watcher = Watcher()
    watcher.track(file, seen.append)
    async with watching(watcher):
        await until(lambda: watcher.found["watch"], "growth", lambda: grow(file))
        shutil.rmtree(directory)
        await until(lambda: watcher.rearmed >= 1, "the watch noticing that its directory is gone")
        directory.mkdir()
        watcher.found["watch"] = 0
        await until(lambda: watcher.found["watch"], "growth after the directory came back", lambda: grow(file))
    assert set(seen) == {file}


async def test_what_only_the_rescan_finds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_module, "RESCAN_S", 0.05)

    async def blind(self: Watcher, directories: set[Path]) -> None:
        await self._stop.wait()

    monkeypatch.setattr(Watcher, "_watch", blind)
    file = tmp_path / "a"
    seen: list[Path] = []
    file.write_text("1")
    watcher = Watcher()
    watcher.track(file, seen.append)
    async with watching(watcher):
        file.write_text("12")
        await until(lambda: seen, "the rescan")
    assert watcher.found == {"watch": 0, "hook": 0, "rescan": 1}


async def test_a_hook_event_finds_it_at_once_and_only_once(tmp_path: Path) -> None:
    file = tmp_path / "a"
    seen: list[Path] = []
    file.write_text("1")
    watcher = Watcher()
    watcher.track(file, seen.append)
    assert not watcher.look(file)
    file.write_text("12")
    assert watcher.look(file)
    assert not watcher.look(file)
    watcher.rescan()
    assert seen == [file]
    assert watcher.found == {"watch": 0, "hook": 1, "rescan": 0}


async def test_what_we_wrote_ourselves_is_no_news(tmp_path: Path) -> None:
    file = tmp_path / "a"
    seen: list[Path] = []
    watcher = Watcher()
    watcher.track(file, seen.append)
    file.write_text("ours")
    watcher.ours(file)
    watcher.rescan()
    assert seen == []


async def test_a_replaced_file_is_a_change_even_with_the_same_size(tmp_path: Path) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    seen: list[Path] = []
    file.write_text("1")
    watcher = Watcher()
    watcher.track(file, seen.append)
    other.write_text("2")
    other.replace(file)
    assert watcher.look(file)


async def test_home_and_root_are_never_watched(home: Path) -> None:
    watcher = Watcher()
    for directory in (home, Path("/"), Path("/proc"), Path("/proc/self")):
        watcher.track_directory(directory, lambda path: None)
    inside = home / "x"
    inside.mkdir()
    watcher.track_directory(inside, lambda path: None)
    assert watcher._parents() == {inside}


async def test_nothing_to_watch_is_fine() -> None:
    async with watching(Watcher()):
        pass
