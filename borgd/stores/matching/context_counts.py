"""How common words are in what this machine's sessions work on: counts of stems, kept in the state directory.

Only counts of plain lower-case words are kept, secrets taken out before, so that no session can be read back from them.
Losing the file costs a little sharpness of recall, never a record.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import msgspec

from borgd.files import replace_file
from borgd.lessons.redact import redact
from borgd.recall.text.document_frequencies import ContextPrior, stems_of

KEPT_STEMS = 20_000
"""guard: distinct stems kept, the commonest."""
FILE_BYTES = 4 << 20
"""guard: bytes read back."""

_PLAIN = re.compile(r"[a-z]{2,24}\Z")


class ContextCounts:
    """The shipped counts and this machine's own. ``prior`` is both together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = ContextPrior()
        self._dirty = False
        with suppress(OSError, msgspec.DecodeError, RecursionError):
            if path.stat().st_size <= FILE_BYTES:
                self._own = ContextPrior.from_plain(msgspec.json.decode(path.read_bytes(), type=dict[str, object]))
        self.prior = ContextPrior.shipped()
        self.prior.contexts += self._own.contexts
        self.prior.stems += self._own.stems
        for stem, count in self._own.counts.items():
            self.prior.counts[stem] = self.prior.counts.get(stem, 0.0) + count

    def add(self, text: str) -> None:
        """Count one session's work."""
        stems = {stem for stem in stems_of(redact(text)) if _PLAIN.match(stem)}
        if stems:
            self._own.add_stems(stems)
            self.prior.add_stems(stems)
            self._dirty = True

    def save(self) -> None:
        """Write down what was counted since the last time, in one step.

        :raises OSError: it cannot be written; the counts go on in memory.
        """
        if not self._dirty:
            return
        kept = sorted(self._own.counts.items(), key=lambda one: (-one[1], one[0]))[:KEPT_STEMS]
        plain = ContextPrior(self._own.contexts, self._own.stems, dict(kept)).plain()
        replace_file(self.path, msgspec.json.encode(plain))
        self._dirty = False
