"""What a team shares and how it is made anonymous: file names, the salt, what of a lesson leaves this machine. Pure.

Sessions and repositories leave only as hashes under the team's salt, which lies in the team's own directory: it keeps names
from readers of the files alone, not from the team. Personal lessons, where a lesson came from and its history never leave.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from borgd.errors import InputError
from borgd.lessons.sanitize import file_word
from borgd.lessons.store import TOMBSTONE

SALT_BYTES = 16
"""design: 128 bits."""
HASH_CHARS = 16
"""design: 64 bits of a hash are kept."""
PRIVATE = frozenset({"origin", "history", "peer"})
"""Fields of a lesson that stay here."""

Kind = Literal["lessons", "outcomes"]

_NAME = re.compile(r"(?P<owner>[^@/]+@[^@/]+?)\.(?P<kind>lessons|outcomes)(?P<copy>[^/]*)\.jsonl\Z")


class TeamCard(msgspec.Struct, frozen=True, kw_only=True):
    """team.json: what makes a directory a team's."""

    salt: str
    version: int = 1


class TeamFile(NamedTuple):
    """A file of the team's directory. ``copy``: a second copy that a file sync made beside the first."""

    owner: str
    kind: Kind
    copy: bool


def card(data: bytes, source: str) -> TeamCard:
    """The card in ``data``.

    :raises InputError: it is not such a file, of a later version, or its salt is too short to hide anything.
    """
    try:
        found = msgspec.json.decode(data, type=TeamCard)
    except msgspec.DecodeError as error:
        raise InputError(source, f"expected a team's card as borg team init writes it: {error}") from None
    if found.version != 1:
        raise InputError(source, f"expected version 1, got {found.version}; a newer borgd reads it", field="version")
    if not re.fullmatch(r"[0-9a-f]{16,128}", found.salt):
        raise InputError(source, "expected 16 to 128 hexadecimal digits", field="salt")
    return found


def hashed(salt: str, kind: str, text: str) -> str:
    """``text`` (a session, a repository, an id) as the team sees it; empty stays empty."""
    if not text:
        return ""
    digest = hashlib.blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), key=bytes.fromhex(salt)[:64])
    return digest.hexdigest()[:HASH_CHARS]


def owner_name(engineer: str, machine: str) -> str:
    """``<engineer>@<machine>`` as a file name carries it: one word each, whatever the names are."""
    return "@".join(file_word(name) or "unnamed" for name in (engineer, machine))


def file_name(owner: str, kind: Kind) -> str:
    """``<engineer>@<machine>.<kind>.jsonl``."""
    return f"{owner}.{kind}.jsonl"


def parse_name(name: str) -> TeamFile | None:
    """What the file ``name`` holds, conflicted copies included; None: it is not one of ours."""
    match = _NAME.fullmatch(name)
    if match is None or name.startswith("."):
        return None
    return TeamFile(match["owner"], "lessons" if match["kind"] == "lessons" else "outcomes", bool(match["copy"]))


def public_lesson(record: Mapping[str, Any], salt: str) -> dict[str, Any] | None:
    """``record`` of lessons.jsonl as the team sees it; None: it stays here. A tombstone goes out as it is."""
    if record.get("kind") == TOMBSTONE:
        return dict(record)
    if record.get("reach", "team") == "personal":
        return None
    found = {key: value for key, value in record.items() if key not in PRIVATE}
    if isinstance(found.get("repo"), str):
        found["repo"] = hashed(salt, "repo", found["repo"])
    return found
