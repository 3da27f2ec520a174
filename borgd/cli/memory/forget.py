"""``borg forget``: a lesson, a session or a span of time is removed from every file here; a tombstone tells the team.

The tombstone is written first, so that a crash half-way leaves a lesson that is forgotten and only lies about still. Not
undone by anything, a running daemon included: it is told before the files are cleaned and again after. STAYS: what stays.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from borgd.agents import AGENTS
from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import append, complain, load, one_line, print_json, records, team
from borgd.cli.lesson.terminal import agreed, at_terminal
from borgd.cli.terminal_text import count
from borgd.clock import now_ms
from borgd.errors import UsageError
from borgd.journal import Journal
from borgd.lessons.forgetting import ForgetTarget, emptied, remains, widened
from borgd.lessons.store import tombstone
from borgd.lessons.team import Kind, hashed, parse_name
from borgd.lessons.team import file_name as team_file_name
from borgd.paths import session_file_name, user_paths
from borgd.protocol.client import UnreachableError, call
from borgd.stores import forgotten_lessons, session_ledger, state_lines
from borgd.stores.matching.context_counts import COUNTS, ContextCounts
from borgd.stores.past import assimilate_state

JOURNALS = ("lessons", "outcomes", "decisions", "episodes", "proposals", "commits", "inbox", "interrupts", "escalations")
"""design: the journals that name lessons or sessions, but for audit.jsonl."""
STAYS = {
    "audit.jsonl": "a hash chain, which breaks where a line goes: it keeps verdicts, numbers and the ids of sessions, "
    "no word of what was said",
    "contexts.json": "how often single words occurred in all sessions; a forgotten session's share goes",
    "teammates' copies of a lesson": "theirs; the tombstone hides them everywhere",
    "undo.json": "the text of a lesson that you confirmed to forget, for ten minutes; nothing with --for-good",
    "your agents' own transcripts": "theirs; borg assimilate does not bring back what was forgotten",
    "files you wrote elsewhere": "by borg report --out or borg memory export: yours",
}
"""design: what is not removed, and why."""
REMADE = ("columns", "replay")
"""Directories of the state directory that hold only what can be made again from the journals."""
DESCRIPTION = (
    "Remove from every file here, and from what the daemon remembers. Where you confirmed it, at a terminal or by --yes, "
    f"borg undo brings a lesson's text back for {forgotten_lessons.KEPT_MINUTES} minutes; else it cannot be undone. Damaged "
    "lines that were put aside go as well: nobody can tell of whom they were."
)
NOBODY = frozenset({"ENOENT", "ECONNREFUSED"})
"""Causes that say that no daemon runs."""
UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def run(argv: list[str]) -> int:
    """Forget, and say what was removed from where."""
    parser = CommandParser(prog="borg forget", description=DESCRIPTION, epilog=_stays())
    parser.add_argument("name", nargs="?", help="a lesson's id, or a session's")
    parser.add_argument("--session", metavar="ID", help="everything a session left")
    parser.add_argument(
        "--since", metavar="TIME", help="everything since 2026-11-30, 2026-11-30T14:00 or 90m, 2h, 3d, 1w ago"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--for-good", action="store_true", help="keep nothing for borg undo either")
    parser.add_argument("--dry-run", action="store_true", help="only say what would go")
    parser.add_argument("--json", action="store_true", help="print what was removed as JSON")
    arguments = parser.parse_args(argv)
    target = _target(arguments)
    target = widened(target, records("episodes"), records("proposals"))
    buried = sorted(target.lessons | emptied(records("lessons"), target))
    if not (arguments.dry_run or arguments.yes) and at_terminal() and not _agreed(target, buried):
        return 1
    if not arguments.dry_run:
        confirmed = not arguments.for_good and (arguments.yes or at_terminal())
        last = {str(record.get("id")): record for record in records("lessons") if record.get("id") in target.lessons}
        forgotten_lessons.keep(user_paths().state, now_ms(), last.values() if confirmed else ())
    if not arguments.dry_run and buried:
        append("lessons", [tombstone(key, now_ms()) for key in buried])
    state = list(_state_files(target.sessions, target.since_ms))
    if not arguments.dry_run:
        _never_again(target)
        _uncount(target, buried, state)
    removed = {str(path): number for path, number in _everywhere(target, state, dry_run=arguments.dry_run) if number}
    if not arguments.dry_run:
        _tell_daemon(target, buried)
    if arguments.json:
        print_json({"removed": removed, "tombstones": buried, "dry_run": arguments.dry_run, "stays": STAYS})
        return 0
    for name, number in removed.items():
        print(f"{number:6}  {name}")
    done = f"{count(sum(removed.values()), 'record')} {'would go' if arguments.dry_run else 'removed'}"
    print(done + (f"; forgotten for good: {', '.join(buried)}" if buried else ""))
    if user_paths().journal("audit").exists():
        print(f"audit.jsonl stays: {STAYS['audit.jsonl']}")
    return 0


def _agreed(target: ForgetTarget, buried: Iterable[str]) -> bool:
    """Show a person what will go, with the lessons' text, and ask."""
    state = list(_state_files(target.sessions, target.since_ms))
    store = load()
    for key in buried:
        lesson = store.get(key)
        print(f"{one_line(lesson)}\n  {lesson.consequence}" if lesson else key)
    for path, number in _everywhere(target, state, dry_run=True):
        if number:
            print(f"{number:6}  {path}")
    return agreed("remove all this?")


def _stays() -> str:
    return "What stays: " + ". ".join(f"{what}: {why}" for what, why in STAYS.items()) + "."


def _uncount(target: ForgetTarget, buried: Iterable[str], state: Iterable[Path]) -> None:
    """Take the sessions' words out of the machine's counts, which a running daemon holds in memory."""
    counted = [words for path in state if path.suffix == ".ctx" and (words := _counted(path))]
    if not _tell_daemon(target, buried, counted) and counted:
        counts = ContextCounts(user_paths().state / COUNTS)
        for words in counted:
            counts.take_back(words)
        counts.save()


def _counted(path: Path) -> list[str]:
    """The words that a session added to the counts, as its state file says."""
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return []
    return sorted({word for kind, text in state_lines.parse(lines) if kind == state_lines.COUNTED for word in text.split()})


def _tell_daemon(target: ForgetTarget, buried: Iterable[str], counted: Iterable[Collection[str]] = ()) -> bool:
    """Have a running daemon drop what it remembers. Where it cannot be told it finds out with its next event.

    :param counted: per session the words that it added to the counts.
    :returns: whether a daemon may be there.
    """
    asked = {"sessions": sorted(target.sessions), "lessons": sorted(buried), "since_ms": target.since_ms}
    asked["counted"] = list(counted)
    try:
        answer = call("forget", msgspec.json.encode(asked))
    except UnreachableError as error:
        if error.cause in NOBODY:
            return False
        complain([f"a daemon may still remember it until its next event: {error}"])
        return True
    if answer.status:
        complain([f"the daemon may still remember it until its next event: {answer.err.decode('utf-8', 'replace').strip()}"])
    return True


def _target(arguments: argparse.Namespace) -> ForgetTarget:
    given = [value for value in (arguments.name, arguments.session, arguments.since) if value]
    if len(given) != 1:
        raise UsageError("name one of a lesson, --session ID or --since TIME")
    if arguments.since:
        return ForgetTarget(since_ms=since(arguments.since, now_ms()))
    session = _session_meant(arguments.session) if arguments.session else _session(arguments.name)
    if session:
        return ForgetTarget(sessions=frozenset({session}))
    return ForgetTarget(lessons=frozenset({load().find(arguments.name).id}))


def _never_again(target: ForgetTarget) -> None:
    """Past transcripts still hold what is forgotten; mining them must not bring it back."""
    state = assimilate_state.load()
    gone = state.forgotten
    gone.sessions = sorted({*gone.sessions, *map(assimilate_state.session_hash, target.sessions)})
    gone.episodes = sorted({*gone.episodes, *target.episodes})
    if target.since_ms >= 0:
        gone.spans.append((target.since_ms, now_ms()))
    state.doubt([])
    state.files = {path: read for path, read in state.files.items() if not _tells_of(Path(path), target)}
    assimilate_state.save(state)


def _tells_of(transcript: Path, target: ForgetTarget) -> bool:
    """Whether the path itself names a session that is forgotten, or its file is of the span of time."""
    if any(re.search(rf"(?<![^\W_]){re.escape(session)}(?![^\W_])", str(transcript)) for session in target.sessions):
        return True
    try:
        return target.since_ms >= 0 and transcript.stat().st_mtime_ns // 1_000_000 >= target.since_ms
    except OSError:
        return True


def _session(name: str) -> str:
    """``name`` if it is a session that left something; a lesson's id comes first."""
    if load().get(name) is not None:
        return ""
    return name if name in _sessions() or any(_state_files(frozenset({name}))) else ""


def _sessions() -> set[str]:
    journals = ("decisions", "episodes", "outcomes")
    return {str(record.get("session", "")) for journal in journals for record in records(journal)} - {""}


def _session_meant(named: str) -> str:
    """The session of that id, or the only one whose id starts so; what is not known is taken at its word."""
    near = sorted(session for session in _sessions() if session.startswith(named))
    if named in near or not near:
        return named
    if len(near) > 1:
        raise UsageError(f"--session {named}: {len(near)} sessions start with it: {', '.join(near[:5])}")
    return near[0]


def since(text: str, now: int) -> int:
    """Milliseconds since the epoch of ``text``: a date, a time (local where it names no zone), or so long before ``now``.

    :raises UsageError: it is none of these.
    """
    if match := re.fullmatch(r"(\d{1,6})([mhdw])", text):
        return now - int(match[1]) * UNITS[match[2]] * 1000
    try:
        return max(0, int(datetime.fromisoformat(text).astimezone().timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--since: expected 2026-11-30, 2026-11-30T14:00 or 90m, 2h, 3d, 1w; got {text!r}") from None


def _everywhere(target: ForgetTarget, state: Iterable[Path], *, dry_run: bool) -> Iterator[tuple[Path, int]]:
    for path in [*state, *_remade()]:
        if not dry_run:
            path.unlink(missing_ok=True)
        yield path, 1
    for name in JOURNALS:
        yield from _forget_in(Journal(user_paths().journal(name)), name, target, dry_run=dry_run)
    yield from _in_our_team_files(target, dry_run=dry_run)
    for path in _files(user_paths().sessions, ".ctx"):
        yield path, _blank(path, target.lessons, dry_run=dry_run)


def _remade() -> list[Path]:
    """Files made of the journals: they are made again when they are needed."""
    found = [path for name in REMADE for path in _files(user_paths().state / name, "")]
    report = user_paths().state / "report.html"
    return [*found, *([report] if report.exists() else [])]


def _in_our_team_files(target: ForgetTarget, *, dry_run: bool) -> Iterator[tuple[Path, int]]:
    """This machine's own files, and copies of them that a sync made. One that merges by union may bring lines back; the
    tombstone hides them."""
    ours = team()
    if ours is None:
        return
    hashes = {hashed(ours.salt, "session", f"{agent}\0{session}") for agent in AGENTS for session in target.sessions}
    there: dict[Kind, ForgetTarget] = {"lessons": target, "outcomes": target._replace(sessions=frozenset(hashes))}
    for kind, meant in there.items():
        copies = [path for path in ours.files(kind) if (file := parse_name(path.name)) and file.owner == ours.owner]
        for path in [ours.directory / team_file_name(ours.owner, kind), *copies]:
            yield from _forget_in(Journal(path), kind, meant, dry_run=dry_run)


def _forget_in(journal: Journal, name: str, target: ForgetTarget, *, dry_run: bool) -> Iterator[tuple[Path, int]]:
    """From the journal; its quarantine goes whole, because nobody can tell of whom a damaged line was."""
    if not journal.path.exists() and not journal.quarantine_path.exists():
        return
    if dry_run:
        yield journal.path, sum(remains(name, record, target) != record for record in journal.read().records)
    else:
        done = journal.rewrite(lambda record: remains(name, record, target))
        yield journal.path, done.dropped + done.changed
    if journal.quarantine_path.exists():
        yield journal.quarantine_path, max(1, len(journal.quarantined()))
        if not dry_run:
            journal.purge_quarantine()


def _state_files(sessions: frozenset[str], since_ms: int = -1) -> Iterator[Path]:
    """The files that are one session's alone: its state, and the meters of its investigations."""
    starts = tuple(session_file_name(agent, session).removesuffix("ctx") for agent in AGENTS for session in sessions)
    meters = {session_ledger.file_name(session) for session in sessions}
    for path in [*_files(user_paths().sessions, ".ctx"), *_files(user_paths().state / "investigations", ".jsonl")]:
        recent = since_ms >= 0 and path.stat().st_mtime_ns // 1_000_000 >= since_ms
        if recent or path.name in meters or (starts and path.name.startswith(starts)):
            yield path


def _blank(path: Path, lessons: frozenset[str], *, dry_run: bool) -> int:
    """Overwrite the ids of ``lessons`` in a session's state file, byte for byte: the daemon may be appending to it."""
    if not lessons:
        return 0
    names = re.compile(rb"(?<![\w-])(?:%s)(?![\w-])" % b"|".join(re.escape(key.encode()) for key in sorted(lessons)))
    with path.open("rb" if dry_run else "r+b") as file:
        found = list(names.finditer(file.read()))
        for match in found if not dry_run else []:
            file.seek(match.start())
            file.write(b"-" * len(match[0]))
    return len(found)


def _files(directory: Path, ending: str) -> list[Path]:
    return sorted(path for path in directory.glob(f"*{ending}") if path.is_file()) if directory.is_dir() else []
