"""Which repository a directory belongs to, read from git's own files without starting git.

Worktrees, moved clones and subdirectories of one repository map to one name; two clones of different remotes never do.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from borgd.files import open_regular
from borgd.paths import fnv1a

LEVELS = 64
"""guard: parents looked at for a .git."""
CONFIG_BYTES = 1 << 18
"""guard: bytes read of a git config."""
REMEMBERED = 256
"""guard: directories whose repository is remembered."""
REMEMBERED_S = 60.0
"""design: for how long; a directory may become another repository's while we run."""

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECTION = re.compile(r'^\s*\[\s*remote\s+"([^"]+)"\s*\]', re.IGNORECASE)
_URL = re.compile(r"^\s*url\s*=\s*(.+?)\s*$", re.IGNORECASE)


def find(directory: str) -> Path | None:
    """The git directory that serves ``directory`` (of a worktree: the common one). None: in no repository."""
    try:
        here = Path(directory).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    for level in [here, *here.parents][:LEVELS]:
        dot = level / ".git"
        try:
            if dot.is_dir():
                return dot
            if dot.is_file():
                return _common(dot)
        except OSError:
            return None
    return None


def _read(path: Path) -> str:
    with open_regular(path) as file:
        return file.read(CONFIG_BYTES).decode("utf-8", "replace")


def _common(dot: Path) -> Path | None:
    kind, _, target = _read(dot).strip().partition(":")
    if kind != "gitdir":
        return None
    git = (dot.parent / target.strip()).resolve()
    common = git / "commondir"
    return (git / _read(common).strip()).resolve() if common.is_file() else git


def remote_url(git: Path) -> str:
    """The url of ``origin``, else of the first remote, else empty."""
    try:
        lines = _read(git / "config").split("\n")
    except OSError:
        return ""
    urls: dict[str, str] = {}
    remote = ""
    for line in lines:
        section = _SECTION.match(line)
        if section or line.lstrip().startswith("["):
            remote = section[1] if section else ""
        elif remote and (match := _URL.match(line)):
            urls.setdefault(remote, match[1])
    return urls.get("origin") or next(iter(urls.values()), "")


def short(url: str) -> str:
    """``owner/repository`` of a remote's url, in any of git's forms; the last two parts of the path."""
    path = re.sub(r"^[a-z+]+://[^/]*/", "", url.strip()) if "://" in url else url.strip().partition(":")[2] or url.strip()
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]).removesuffix(".git")


def name(directory: str) -> str:
    """The repository's name for ``directory``: ``owner/repository`` from its remote, else ``local/<name>-<hash>`` from
    where it lies, else empty (in no repository)."""
    git = find(directory) if directory else None
    if git is None:
        return ""
    url = remote_url(git)
    if url:
        return short(url)
    top = git.parent if git.name == ".git" else git
    return f"local/{top.name}-{fnv1a(str(top).encode()) & 0xFFFFFFFF:08x}"


def _checked_out(directory: str) -> tuple[Path, str] | None:
    """The git directory of the worktree around ``directory`` and what its HEAD says; None: in no repository."""
    here = Path(directory).resolve()
    for level in [here, *here.parents][:LEVELS]:
        dot = level / ".git"
        if dot.is_file():
            kind, _, target = _read(dot).strip().partition(":")
            dot = (level / target.strip()).resolve() if kind == "gitdir" else dot
        if (dot / "HEAD").is_file():
            return dot, _read(dot / "HEAD").strip()
    return None


def head(directory: str) -> str:
    """The id of the commit checked out in ``directory``; empty where no file holds it (packed, no repository)."""
    try:
        at = _checked_out(directory)
        if at is None:
            return ""
        dot, found = at
        if found.startswith("ref: refs/") and ".." not in found:
            common = dot / "commondir"
            shared = (dot / _read(common).strip()).resolve() if common.is_file() else dot
            found = _read(shared / found.removeprefix("ref: ")).strip()
    except (OSError, ValueError, RuntimeError):
        return ""
    return found if _ID.fullmatch(found) else ""


def branch(directory: str) -> str:
    """The branch checked out in ``directory``; empty: detached, or in no repository."""
    try:
        at = _checked_out(directory)
    except (OSError, ValueError, RuntimeError):
        return ""
    found = at[1] if at is not None else ""
    return found.removeprefix("ref: refs/heads/") if found.startswith("ref: refs/heads/") else ""


class RepositoryNames:
    """``name`` by directory, remembered for a while: it is asked with each event. ``monotonic_s``: the clock it goes by."""

    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._monotonic_s = monotonic_s
        self._known: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def name(self, directory: str) -> str:
        """The name of the repository around ``directory``."""
        found = self._known.get(directory)
        now = self._monotonic_s()
        if found is None or now - found[1] > REMEMBERED_S:
            found = self._known[directory] = (name(directory), now)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found[0]
