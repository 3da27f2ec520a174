"""The one exception root. Each error carries a sentence a person can act on and the exit code of the CLI.

Must not import anything of borgd.
"""

from __future__ import annotations

import errno
import os

EXIT_FORESEEN = 1
EXIT_USAGE = 2
EXIT_UNFORESEEN = 3
EXIT_NO_DAEMON = 4
EXIT_INTERRUPTED = 130


REMEDIES = {
    errno.ENOSPC: "free some space and repeat",
    errno.EDQUOT: "your quota is used up: free some space and repeat",
    errno.EROFS: "make it writable, or set XDG_DATA_HOME, XDG_STATE_HOME and XDG_CONFIG_HOME to where you may write",
    errno.EACCES: "check its permissions and those of its directory",
    errno.EPERM: "check its permissions and who owns it",
    errno.ENOENT: "check the name",
    errno.ENOTDIR: "a file stands where a directory is needed: move it away",
    errno.EISDIR: "a directory stands where a file is needed: move it away",
    errno.EEXIST: "move it away",
    errno.ELOOP: "its symbolic links lead in a circle: remove them",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EMFILE: "too many files are open: raise the limit (ulimit -n)",
    errno.EIO: "the disk fails: look at the system's log",
}
"""What a person can do where the system refuses; an error that is not here was not foreseen."""


def refused(error: OSError) -> str | None:
    """What the system refused, as a sentence that says what to do; None where that was not foreseen."""
    remedy = REMEDIES.get(error.errno or 0)
    if remedy is None:
        return None
    what = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
    return f"{what}{error.strerror}; {remedy}"


def module_at_fault(error: Exception) -> str:
    """Which module could not be imported: by its name, or by whose file ``error`` came from; "borgd" where it is ours."""
    if isinstance(error, ImportError) and error.name:
        return error.name
    import traceback

    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        inside = frame.filename.rpartition("/site-packages/")[2]
        if inside != frame.filename:
            return inside.partition("/")[0].removesuffix(".py")
    return "borgd"


class BorgError(Exception):
    """Anything we foresaw. ``str(error)`` is one sentence that says what is wrong and what to do."""

    exit_code = EXIT_FORESEEN


class UsageError(BorgError):
    """The command line is wrong; the text names the argument and what was expected."""

    exit_code = EXIT_USAGE


class InputError(BorgError):
    """A file, a line or a field that is not what was expected.

    :param source: the file or stream, as the person knows it.
    :param expected: what should have been there, and what was there instead.
    :param line: 1-based line number, where there are lines.
    :param field: dotted name of the field, where there are fields.
    """

    def __init__(self, source: str, expected: str, *, line: int | None = None, field: str | None = None) -> None:
        where = source if line is None else f"{source}:{line}"
        super().__init__(f"{where}: {f'{field}: ' if field else ''}{expected}")
        self.source = source
        self.expected = expected
        self.line = line
        self.field = field


class ConfigError(InputError):
    """config.toml or a repository's .borgd.toml cannot be used."""


class JournalError(BorgError):
    """The store under everything could not do what it was asked; nothing half-written stays."""


class ReadOnlyError(JournalError):
    """A journal went read-only after a failed fsync; the text says which and how to go on."""


class NoDaemonError(BorgError):
    """Nothing answers on the socket; the text says why (absent, refused, forbidden, silent)."""

    exit_code = EXIT_NO_DAEMON


class ProtocolError(BorgError):
    """A frame, an event or a reply that does not follow the wire format or the agent's protocol."""


class LimitError(BorgError):
    """A limit was asked something it cannot decide (a bad path, a bad number, a bad policy)."""
