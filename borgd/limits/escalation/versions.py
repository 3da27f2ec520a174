"""Versions of the escalation policy: proposed by anyone, checked, signed off by a person, pinned by hash, taken back.

Promises: only a text that compiles, is not looser than the operator's floor and was ratified ever decides; where the
pinned one does not qualify (any more), the last one that does, and without one the floor itself. Every reason is told.
The state is a fold over the records of one journal. Pure: texts in, records out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import unified_diff
from functools import lru_cache
from typing import Any, Literal

import msgspec

from borgd.errors import LimitError
from borgd.limits.escalation.evaluate import CompiledPolicy, compile_policy, digest
from borgd.limits.escalation.floor import Looser, looser_than
from borgd.limits.escalation.syntax import PolicyError

SHORT_HASH = 12
"""design: characters of a hash that a person is shown and types."""

CACHED_POLICIES = 64
"""method: compiled policies kept; two are live, the rest are history."""


Origin = Literal["pinned", "earlier pin", "shipped", "floor"]


class PolicyChange(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the policy journal. ``hash`` is what is proposed, pinned or gone back to; only a proposal has ``text``."""

    kind: Literal["proposed", "ratified", "rolled_back"]
    hash: str
    ms: int
    by: str
    text: str = ""


class PolicyHistory(msgspec.Struct, kw_only=True):
    """The fold: known texts by hash, pins in order (the last one holds), the proposal that waits."""

    texts: dict[str, str] = {}
    pins: list[PolicyChange] = []
    waiting: PolicyChange | None = None

    @property
    def pinned(self) -> str | None:
        """The hash that holds; None: the shipped policy."""
        return self.pins[-1].hash if self.pins else None


class EffectivePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What decides now, and everything a person should know about why it is this one."""

    policy: CompiledPolicy
    text: str
    source: Origin
    problems: tuple[str, ...]


@lru_cache(CACHED_POLICIES)
def compiled(text: str) -> CompiledPolicy:
    """``compile_policy``, remembered.

    :raises PolicyError: as ``compile_policy``.
    """
    return compile_policy(text.encode())


@lru_cache(CACHED_POLICIES)
def compared(floor: str, text: str) -> Looser | None:
    """``looser_than`` on texts, remembered; both must compile."""
    return looser_than(compiled(floor), compiled(text))


def fold(history: PolicyHistory, records: Iterable[Mapping[str, Any]]) -> PolicyHistory:
    """``history`` after ``records``; what is no change of a policy, or whose text is not of its hash, is passed over."""
    for record in records:
        try:
            change = msgspec.convert(record, PolicyChange)
        except msgspec.ValidationError:
            continue
        if change.kind == "proposed":
            if digest(change.text.encode()) == change.hash:
                history.texts[change.hash] = change.text
                history.waiting = change
        else:
            history.pins.append(change)
            if history.waiting is not None and history.waiting.hash == change.hash:
                history.waiting = None
    return history


def check(data: bytes, floor: str) -> CompiledPolicy:
    """``data`` as a policy that may be proposed.

    :raises PolicyError: its form is wrong, or it is not shown to be as strict as ``floor``.
    """
    policy = compile_policy(data)
    looser = compared(floor, _text(data))
    if looser is not None:
        shown = f"; for example with {msgspec.json.encode(looser.facts.plain()).decode()}" if looser.facts else ""
        raise PolicyError(f"{looser.reason}{shown}")
    return policy


def _text(data: bytes) -> str:
    return data.decode()


def propose(history: PolicyHistory, data: bytes, floor: str, by: str, now_ms: int) -> PolicyChange:
    """The record that puts ``data`` before a person.

    :raises PolicyError: as ``check``, or it is the one that holds already.
    """
    policy = check(data, floor)
    if history.pinned == policy.hash:
        raise PolicyError("this is the policy that holds already")
    return PolicyChange(kind="proposed", hash=policy.hash, text=_text(data), by=by, ms=now_ms)


def ratify(history: PolicyHistory, prefix: str, floor: str, by: str, now_ms: int) -> PolicyChange:
    """The record by which a person pins the waiting proposal.

    :param prefix: the first characters of its hash, at least eight: what is signed off is what was read.
    :raises LimitError: nothing waits, or it is another one.
    :raises PolicyError: the floor has become stricter than the proposal.
    """
    if history.waiting is None:
        raise LimitError("no policy is waiting to be ratified; propose one with borg policy propose FILE")
    waiting = history.waiting
    if len(prefix) < 8 or not waiting.hash.startswith(prefix):
        raise LimitError(
            f"the policy that waits is {waiting.hash[:SHORT_HASH]}, not {prefix[:64]!r}; read it with borg policy diff"
        )
    check(waiting.text.encode(), floor)
    return PolicyChange(kind="ratified", hash=waiting.hash, by=by, ms=now_ms)


def rollback(history: PolicyHistory, shipped: str, by: str, now_ms: int) -> PolicyChange:
    """The record by which a person goes back to the policy that held before; before the first, the shipped one.

    :raises LimitError: the shipped policy holds, there is nothing before it.
    """
    live = _live(history, shipped)
    if len(live) < 2:
        raise LimitError("the shipped policy holds; there is nothing to go back to")
    return PolicyChange(kind="rolled_back", hash=live[-2], by=by, ms=now_ms)


def _live(history: PolicyHistory, shipped: str) -> list[str]:
    """The hashes one can go back to, the one that holds last: a rollback takes one away, a ratification adds one."""
    live = [digest(shipped.encode())]
    for pin in history.pins:
        if pin.kind == "rolled_back" and len(live) > 1:
            live.pop()
        else:
            live.append(pin.hash)
    return live


def effective(history: PolicyHistory, shipped: str, floor: str, on_disk: bytes | None = None) -> EffectivePolicy:
    """What decides: the pinned policy, or the strictest sound answer where it cannot.

    :param floor: the operator's floor; must compile.
    :param on_disk: the working copy beside the journal, where there is one. It never decides; a difference is reported.
    """
    shipped_hash = digest(shipped.encode())
    texts = {**history.texts, shipped_hash: shipped}
    problems: list[str] = []
    chosen: tuple[str, Origin] | None = None
    for place, hash_ in enumerate(reversed(_live(history, shipped))):
        problem = _problem(texts.get(hash_), floor)
        if problem is None:
            source: Origin = "shipped" if hash_ == shipped_hash else "earlier pin" if place else "pinned"
            chosen = (texts[hash_], source)
            break
        name = "the shipped policy" if hash_ == shipped_hash else f"the policy {hash_[:SHORT_HASH]}"
        problems.append(f"{name} is not used: {problem}")
    text, origin = chosen or (floor, "floor")
    policy = compiled(text)
    if on_disk is not None and digest(on_disk) != policy.hash:
        problems.append(_stray(on_disk))
    return EffectivePolicy(policy=policy, text=text, source=origin, problems=tuple(problems))


def _problem(text: str | None, floor: str) -> str | None:
    if text is None:
        return "its text is not in the policy journal"
    try:
        check(text.encode(), floor)
    except PolicyError as error:
        return str(error)
    return None


def _stray(data: bytes) -> str:
    try:
        compile_policy(data)
    except PolicyError as error:
        return f"the file on disk is broken and changes nothing: {error}"
    return "the file on disk is not the pinned policy and changes nothing; borg policy propose takes it up"


def diff(before: str, after: str) -> str:
    """What changes from ``before`` to ``after``, as a unified diff; empty when nothing does."""
    lines = unified_diff(before.splitlines(), after.splitlines(), "the policy that holds", "the proposal", lineterm="")
    return "\n".join(lines)
