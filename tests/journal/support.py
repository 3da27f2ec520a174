"""Two disks that fail: the real one with faults injected call by call, and a simulated one that can lose its power.

Neither knows what a journal does with the calls.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import stat
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from borgd.journal import FileLayer

Fault = Callable[[], None]


class FaultyLayer(FileLayer):
    """The real file system, except that ``plan`` (method -> an errno for each next call, 0: let it through) comes first."""

    def __init__(self, **plan: list[int]) -> None:
        super().__init__()
        self.plan = plan
        self.write_at_most = 1 << 30
        """Bytes one write call takes."""
        self.room: int | None = None
        """Bytes all writes together may still take before ENOSPC."""
        self.calls: list[str] = []
        self.time = 0.0
        """Seconds spent in pauses, or by the test's will."""

    def _meet(self, method: str) -> None:
        self.calls.append(method)
        faults = self.plan.get(method)
        if faults:
            number = faults.pop(0)
            if number:
                raise OSError(number, os.strerror(number))

    def write(self, descriptor: int, data: memoryview) -> int:
        self._meet("write")
        data = data[: self.write_at_most]
        if self.room is not None:
            data = data[: self.room]
            if not data:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= len(data)
        return super().write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        self._meet("truncate")
        super().truncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        self._meet("sync")
        super().sync(descriptor)

    def sync_directory(self, path: str) -> None:
        self._meet("sync_directory")
        super().sync_directory(path)

    def rename(self, source: str, target: str) -> None:
        self._meet("rename")
        super().rename(source, target)

    def pread(self, descriptor: int, size: int, offset: int) -> bytes:
        self._meet("pread")
        return super().pread(descriptor, size, offset)

    def open(self, path: str, flags: int) -> int:
        self._meet("open")
        return super().open(path, flags)

    def monotonic(self) -> float:
        return self.time

    def now_ms(self) -> int:
        return super().now_ms() + int(self.time * 1000)

    def pause(self, seconds: float) -> None:
        self.time += seconds


class PowerLossError(BaseException):
    """The machine stopped in the middle of a call."""


class _Inode:
    numbers = itertools.count(1)

    def __init__(self) -> None:
        self.number = next(self.numbers)
        self.content = bytearray()
        self.durable = bytearray()
        self.pending: list[tuple[str, int, bytes]] = []
        self.mtime_ns = 0


def _apply(content: bytearray, kind: str, offset: int, data: bytes) -> None:
    if kind == "truncate":
        del content[offset:]
    else:
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(data)] = data


class SimulatedDisk(FileLayer):
    """A file system in memory that keeps what was synced; the rest survives a power loss in part, out of order, or as NULs.

    ``faults``: number of a call that changes something -> errno, or "short" for a write that takes half. The call
    ``power_off_at`` stops the machine, half done.
    """

    def __init__(self, seed: int, faults: dict[int, int | str] | None = None, power_off_at: int | None = None) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.faults = faults or {}
        self.power_off_at = power_off_at
        self.names: dict[str, _Inode] = {}
        self.durable_names: dict[str, _Inode] = {}
        self.descriptors: dict[int, tuple[_Inode, bool]] = {}
        self.count = 0
        self.time_ns = 0
        self.off = False

    def reboot(self) -> SimulatedDisk:
        """The machine after a power loss: a new process on what the disk kept."""
        fresh = SimulatedDisk(self.random.randrange(1 << 30))
        every = [*self.names, *(name for name in self.durable_names if name not in self.names)]
        names = {name: self.random.choice([self.durable_names.get(name), self.names.get(name)]) for name in every}
        for name, inode in names.items():
            if inode is not None:
                self._lose_cache(inode)
                fresh.names[name] = fresh.durable_names[name] = inode
        fresh.time_ns = self.time_ns
        return fresh

    def restart(self) -> SimulatedDisk:
        """A new process on the running machine."""
        fresh = SimulatedDisk(self.random.randrange(1 << 30))
        fresh.names, fresh.durable_names, fresh.time_ns = self.names, self.durable_names, self.time_ns
        return fresh

    def _lose_cache(self, inode: _Inode) -> None:
        for kind, offset, data in inode.pending:
            fate = self.random.choice(["done", "lost", "part", "nul"])
            if fate == "done" or (fate == "part" and kind == "truncate"):
                _apply(inode.durable, kind, offset, data)
            elif fate == "part":
                _apply(inode.durable, kind, offset, data[: self.random.randint(0, len(data))])
            elif fate == "nul" and kind == "write":
                size = self.random.randint(0, len(data))
                _apply(inode.durable, kind, offset, bytes(size) + (data[size:] if self.random.random() < 0.5 else b""))
        inode.pending.clear()
        inode.content = bytearray(inode.durable)

    def _meet(self) -> int | str | None:
        if self.off:
            raise PowerLossError
        self.count += 1
        if self.count == self.power_off_at:
            self.off = True
        fault = self.faults.get(self.count)
        if isinstance(fault, int):
            raise OSError(fault, os.strerror(fault))
        return fault

    def _after(self) -> None:
        if self.off:
            raise PowerLossError

    def open(self, path: str, flags: int) -> int:
        if self.off:
            raise PowerLossError
        inode = self.names.get(path)
        if inode is None:
            if not flags & os.O_CREAT:
                raise FileNotFoundError(errno.ENOENT, "No such file", path)
            self._meet()
            inode = self.names[path] = _Inode()
        elif flags & os.O_EXCL:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        descriptor = max(self.descriptors, default=2) + 1
        self.descriptors[descriptor] = (inode, bool(flags & os.O_APPEND))
        return descriptor

    def close(self, descriptor: int) -> None:
        del self.descriptors[descriptor]

    def _change(self, inode: _Inode, kind: str, offset: int, data: bytes) -> None:
        self.time_ns += 1
        inode.mtime_ns = self.time_ns
        _apply(inode.content, kind, offset, data)
        inode.pending.append((kind, offset, data))

    def _info(self, inode: _Inode) -> Any:
        return SimpleNamespace(
            st_dev=1, st_ino=inode.number, st_size=len(inode.content), st_mtime_ns=inode.mtime_ns, st_mode=stat.S_IFREG
        )

    def stat(self, path: str) -> Any:
        if path not in self.names:
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        return self._info(self.names[path])

    def fstat(self, descriptor: int) -> Any:
        return self._info(self.descriptors[descriptor][0])

    def pread(self, descriptor: int, size: int, offset: int) -> bytes:
        return bytes(self.descriptors[descriptor][0].content[offset : offset + size])

    def write(self, descriptor: int, data: memoryview) -> int:
        fault = self._meet()
        taken = bytes(data[: max(1, len(data) // 2)]) if fault == "short" or self.off else bytes(data)
        inode, _ = self.descriptors[descriptor]
        self._change(inode, "write", len(inode.content), taken)
        self._after()
        return len(taken)

    def truncate(self, descriptor: int, size: int) -> None:
        self._meet()
        self._change(self.descriptors[descriptor][0], "truncate", size, b"")
        self._after()

    def sync(self, descriptor: int) -> None:
        inode = self.descriptors[descriptor][0]
        try:
            self._meet()
        except OSError:
            content = bytes(inode.content)
            self._lose_cache(inode)  # the kernel marks the pages clean: part of them never gets to the disk,
            inode.content = bytearray(content)  # though every process still reads them
            raise
        if not self.off:
            for change in inode.pending:
                _apply(inode.durable, *change)
            inode.pending.clear()
        self._after()

    def sync_directory(self, path: str) -> None:
        self._meet()
        if not self.off:
            self.durable_names = dict(self.names)
        self._after()

    def rename(self, source: str, target: str) -> None:
        self._meet()
        self.names[target] = self.names.pop(source)
        self._after()

    def unlink(self, path: str) -> None:
        if path not in self.names:
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        self._meet()
        del self.names[path]
        self._after()

    def try_lock(self, descriptor: int) -> bool:
        return True

    def unlock(self, descriptor: int) -> None:
        return None

    def now_ms(self) -> int:
        return self.time_ns // 1_000_000

    def pause(self, seconds: float) -> None:
        raise AssertionError("nobody else holds the lock")
