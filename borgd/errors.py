"""The one exception root. Each error carries a sentence a person can act on and the exit code of the CLI.

Must not import anything of borgd.
"""

from __future__ import annotations

EXIT_FORESEEN = 1
EXIT_USAGE = 2
EXIT_UNFORESEEN = 3
EXIT_NO_DAEMON = 4
EXIT_INTERRUPTED = 130


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
