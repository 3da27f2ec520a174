"""How common words are in what this machine's sessions work on: counts of stems, kept in the state directory.

Only counts of plain lower-case words are kept, secrets taken out before, only of words that the shipped table has or that
several sessions said, so that no session can be read back from them; of a word that one session said a salted hash is
kept. What a session added can be taken back: the counts are then as if it had never been.
Losing the file costs a little sharpness of recall, never a record.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from borgd.files import replace_file
from borgd.lessons.redact import redact
from borgd.recall.text.document_frequencies import ContextPrior, stems_of

COUNTS = "contexts.json"
KEPT_STEMS = 20_000
"""guard: distinct stems kept, the commonest."""
KEPT_ONCE = 50_000
"""guard: hashes kept of words that one session said, the newest."""
SALT_BYTES = 16
HASH_BYTES = 8
FILE_BYTES = 4 << 20
"""guard: bytes read back."""

_PLAIN = re.compile(r"[a-z]{2,24}\Z")


class _Heard(msgspec.Struct):
    """What the file holds beside the counts."""

    salt: str = ""
    once: list[str] = []


class ContextCounts:
    """The shipped counts and this machine's own. ``prior`` is both together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = ContextPrior()
        self._dirty = False
        self._salt, self._once = secrets.token_hex(SALT_BYTES), dict[str, None]()
        with suppress(OSError, msgspec.MsgspecError, RecursionError):
            if path.stat().st_size <= FILE_BYTES:
                data = path.read_bytes()
                self._own = ContextPrior.from_plain(msgspec.json.decode(data, type=dict[str, object]))
                heard = msgspec.json.decode(data, type=_Heard)
                self._salt, self._once = heard.salt or self._salt, dict.fromkeys(heard.once)
        self.prior = ContextPrior.shipped()
        self._shipped = frozenset(self.prior.counts)
        for stem in [stem for stem, count in self._own.counts.items() if count < 2 and stem not in self._shipped]:
            del self._own.counts[stem]  # written by a version that kept what one session said
            self._heard(stem)
        self.prior.contexts += self._own.contexts
        self.prior.stems += self._own.stems
        for stem, count in self._own.counts.items():
            self.prior.counts[stem] = self.prior.counts.get(stem, 0.0) + count

    def add(self, text: str) -> list[str]:
        """Count one session's work; what it added, for ``take_back``: its distinct words, sorted."""
        stems = {stem for stem in stems_of(redact(text)) if _PLAIN.match(stem)}
        if not stems:
            return []
        again = {stem for stem in stems if stem not in self._shipped and stem not in self._own.counts and self._heard(stem)}
        for counts in (self._own, self.prior):
            counts.contexts += 1
            counts.stems += len(stems)
            for stem in stems:
                if stem in self._shipped or stem in self._own.counts or stem in again:
                    counts.counts[stem] = counts.counts.get(stem, 0.0) + 1 + (stem in again)
        self._dirty = True
        return sorted(stems)

    def take_back(self, added: Iterable[str]) -> None:
        """Take out what one session added. A word that only one other session said is a hash again."""
        stems = set(added)
        if not stems or self._own.contexts < 1:
            return
        for counts in (self._own, self.prior):
            counts.contexts -= 1
            counts.stems = max(0.0, counts.stems - len(stems))
        for stem in stems:
            count = self._own.counts.get(stem, 0.0)
            if count < 1:
                self._once.pop(self._key(stem), None)
                continue
            least = 1 if stem in self._shipped else 2
            gone = 1.0 if count - 1 >= least else count
            if stem not in self._shipped and gone == least:
                self._heard(stem)
            for counts in (self._own, self.prior):
                counts.counts[stem] -= gone
                if counts.counts[stem] <= 0:
                    del counts.counts[stem]
        self._dirty = True

    def _key(self, stem: str) -> str:
        return hashlib.blake2b(stem.encode(), key=self._salt.encode()[:64], digest_size=HASH_BYTES).hexdigest()

    def _heard(self, stem: str) -> bool:
        """Whether an earlier session said this word, which only hashes tell of; one said now is remembered so."""
        key = self._key(stem)
        if key in self._once:
            del self._once[key]
            return True
        self._once[key] = None
        while len(self._once) > KEPT_ONCE:
            del self._once[next(iter(self._once))]
        return False

    def save(self) -> None:
        """Write down what was counted since the last time, in one step.

        :raises OSError: it cannot be written; the counts go on in memory.
        """
        if not self._dirty:
            return
        kept = sorted(self._own.counts.items(), key=lambda one: (-one[1], one[0]))[:KEPT_STEMS]
        plain = ContextPrior(self._own.contexts, self._own.stems, dict(kept)).plain()
        replace_file(self.path, msgspec.json.encode({**plain, "salt": self._salt, "once": list(self._once)}))
        self._dirty = False
