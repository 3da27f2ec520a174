"""The session files that agents leave: where they are, and their rows as lines, whatever they are kept in. Read-only.

Lines as they are; compressed lines (``.jsonl.zst``); one object with all messages (older Gemini CLI); a database of SQLite
(opencode), opened so that nothing is written beside it either. A file that is damaged, cut short or gone while it is read is
an ``OSError`` with a sentence, after the lines before the damage.
"""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import zstandard

from borgd.agents.transcripts import DATABASE, SESSION_FILES, is_subagents, whose
from borgd.errors import InputError
from borgd.files import open_regular
from borgd.stores.past.assimilate_state import ReadTranscript

HEAD_BYTES = 256 << 10
"""guard: bytes of a file's start that are read to see whose it is and what its first rows say."""
HEAD_LINES = 20
"""guard: rows of a file's start that are read again when reading goes on later."""
UNPACKED_BYTES = 4 << 30
"""guard: bytes that are unpacked of one compressed file."""
OBJECT_BYTES = 64 << 20
"""guard: size of a file that is one object."""
BUSY_S = 1.0
"""guard: seconds that a database may be locked by its agent."""
SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".db")
SESSION_COLUMNS = ("id", "parent_id", "directory")


class PastFile(NamedTuple):
    """What is to be read: from ``start`` on. ``session`` is the one in a database, ``size`` then when it last changed."""

    path: Path
    agent: str
    start: int
    size: int
    session: str = ""

    @property
    def key(self) -> str:
        """Its name in the state of what was read."""
        return f"{self.path.absolute()}#{self.session}" if self.session else str(self.path.absolute())

    @property
    def name(self) -> str:
        """The session's id where no row names it."""
        return self.session or self.path.name.removesuffix(".zst").removesuffix(".jsonl").removesuffix(".json")


def homes(env: Mapping[str, str], home: str) -> dict[str, str]:
    """Each agent's directory of this user, whether it is there or not."""
    return {agent: files.directory(env, home) for agent, files in SESSION_FILES.items()}


def own_places(env: Mapping[str, str], home: str, agents: Iterable[str] = ()) -> Iterator[tuple[str, Path]]:
    """(agent, file) of every session that this user's agents keep, in the order of the agents and of the names.

    :param agents: only of these; empty: of all.
    """
    for agent, directory in homes(env, home).items():
        if agents and agent not in agents:
            continue
        if agent == "opencode" and (moved := env.get("OPENCODE_DB", "")):
            found = [Path(moved)] if Path(moved).is_file() else []
        else:
            found = sorted({path for pattern in SESSION_FILES[agent].patterns for path in Path(directory).glob(pattern)})
        yield from ((agent, path) for path in found if path.is_file() and not is_subagents(agent, str(path)))


def given_places(paths: Iterable[Path], env: Mapping[str, str], home: str) -> Iterator[tuple[str, Path]]:
    """(agent, file) of what a person named: files, and all that look like sessions below directories.

    :raises InputError: there is nothing of that name.
    """
    directories = homes(env, home)
    for given in paths:
        if given.is_dir():
            found = sorted(path for path in given.rglob("*") if path.name.endswith(SUFFIXES) and path.is_file())
        elif given.exists():
            found = [given]
        else:
            raise InputError(str(given), "expected a transcript or a directory of them, there is nothing")
        for path in found:
            agent = whose(str(path.absolute()), _head(path), directories)
            apart = is_subagents(agent, str(path)) and path != given
            if not (apart or (path != given and path.suffix == ".json" and agent != "gemini")):
                yield agent, path


def unread(places: Iterable[tuple[str, Path]], read: Mapping[str, ReadTranscript]) -> Iterator[PastFile]:
    """What of ``places`` has grown or changed since it was ``read``, or was not read yet."""
    for agent, path in places:
        for one in _parts(agent, path):
            before = read.get(one.key)
            if before is None or before.size > one.size:
                yield one
            elif before.size < one.size:
                yield one if one.session or _is_whole(path) else one._replace(start=before.offset)


def lines(source: PastFile, limit: int) -> Iterator[bytes]:
    """The lines from ``source.start`` on, each with its line feed, those over ``limit`` bytes cut there.

    :raises OSError: it cannot be read (on).
    """
    if SESSION_FILES[source.agent].database:
        yield from _rows_of(source)
    elif source.path.suffix == ".zst":
        yield from _unpacked(source.path, limit)
    elif source.path.suffix == ".json":
        yield from _messages_of(source.path)
    else:
        with open_regular(source.path) as file:
            file.seek(source.start)
            while line := file.readline(limit + 1):
                yield line


def first_lines(source: PastFile) -> list[bytes]:
    """The first rows of a file that is read on in its middle: they name the session and where it works."""
    if not source.start:
        return []
    head, size = _head(source.path), 0
    found = []
    for line in head.split(b"\n")[:HEAD_LINES]:
        size += len(line) + 1
        if size > source.start:
            break
        found.append(line + b"\n")
    return found


def _parts(agent: str, path: Path) -> list[PastFile]:
    """The file itself, or the sessions of a database; of one that cannot be opened the file, whose reading says why."""
    try:
        if SESSION_FILES[agent].database:
            return [PastFile(path, agent, 0, changed, session) for session, changed in _sessions(path)]
        return [PastFile(path, agent, 0, path.stat().st_size)]
    except OSError:
        return [PastFile(path, agent, 0, 0)]


def _is_whole(path: Path) -> bool:
    """Whether a file that changed has to be read from its start."""
    return path.suffix in (".zst", ".json")


def _head(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            if path.suffix == ".zst":
                with zstandard.ZstdDecompressor().stream_reader(file) as unpacked:
                    return unpacked.read(HEAD_BYTES)
            return file.read(HEAD_BYTES)
    except (OSError, zstandard.ZstdError):
        return b""


def _unpacked(path: Path, limit: int) -> Iterator[bytes]:
    try:
        with (
            open_regular(path) as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as unpacked,
            io.BufferedReader(unpacked) as reader,
        ):
            size = 0
            while line := reader.readline(limit + 1):
                size += len(line)
                if size > UNPACKED_BYTES:
                    raise OSError(0, f"it unpacks to more than {UNPACKED_BYTES >> 30} GiB; the rest was not read")
                yield line
    except zstandard.ZstdError as error:
        raise OSError(0, f"it is damaged: {error}") from None


def _messages_of(path: Path) -> Iterator[bytes]:
    with open_regular(path) as file:
        data = file.read(OBJECT_BYTES + 1)
    if len(data) > OBJECT_BYTES:
        raise OSError(0, f"it is one object of more than {OBJECT_BYTES >> 20} MiB")
    try:
        whole = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise OSError(0, f"it is not JSON: {error}") from None
    if not isinstance(whole, dict):
        raise OSError(0, "it is not a session: expected a JSON object")
    messages = whole.pop("messages", None)
    for row in (whole, *(messages if isinstance(messages, list) else ())):
        yield msgspec.json.encode(row) + b"\n"


def _opened(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing: where no writer's log lies beside the file, not even a lock."""
    with open_regular(path) as file:
        if file.read(len(DATABASE)) != DATABASE:
            raise OSError(0, "it is not an SQLite database")
    live = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if live else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?{mode}", uri=True, timeout=BUSY_S)
    connection.text_factory = bytes
    return connection


def _sessions(path: Path) -> list[tuple[str, int]]:
    """(session, when it last changed) of a database.

    :raises OSError: it is none, is damaged, or has no sessions.
    """
    try:
        with closing(_opened(path)) as database:
            rows = database.execute("SELECT id, time_updated FROM session ORDER BY time_updated, id").fetchall()
    except sqlite3.Error as error:
        raise OSError(0, f"its sessions cannot be read: {error}") from None
    return [(_text(id), changed if isinstance(changed, int) else 0) for id, changed in rows if _text(id)]


def _rows_of(source: PastFile) -> Iterator[bytes]:
    if not source.session:
        _sessions(source.path)  # says why there are none
    try:
        with closing(_opened(source.path)) as database:
            yield _session_row(database, source.session)
            joined = database.execute(
                "SELECT message.id, message.time_created, message.data, part.id, part.data FROM message"
                " LEFT JOIN part ON part.message_id = message.id WHERE message.session_id = ?"
                " ORDER BY message.time_created, message.id, part.id",
                (source.session,),
            )
            last = b""
            for message, created, data, part, part_data in joined:
                if message != last:
                    last = message
                    time = created if isinstance(created, int) else 0
                    yield b'{"message":%s,"time":%d,"data":%s}\n' % (_json(message), time, _raw(data))
                if part is not None:
                    yield b'{"part":%s,"message":%s,"data":%s}\n' % (_json(part), _json(message), _raw(part_data))
    except sqlite3.Error as error:
        raise OSError(0, f"it cannot be read: {error}") from None


def _session_row(database: sqlite3.Connection, session: str) -> bytes:
    found = database.execute("SELECT * FROM session WHERE id = ?", (session,))
    names = [name for name, *_ in found.description]
    values = found.fetchone() or ()
    row = {name: _text(value) for name, value in zip(names, values, strict=False) if name in SESSION_COLUMNS}
    return msgspec.json.encode({"session": row}) + b"\n"


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""


def _json(value: object) -> bytes:
    return msgspec.json.encode(_text(value))


def _raw(value: object) -> bytes:
    """JSON as it is stored, on one line."""
    return value.replace(b"\n", b" ").replace(b"\r", b" ") if isinstance(value, bytes) and value else b"null"
