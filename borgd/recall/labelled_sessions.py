"""Labelled sessions as recall would see them, event by event: prompts, edits and Stops become contexts. Pure.

Promises: a context holds what was said and done up to its event, and nothing later. Must not decide what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from borgd.lessons.patterns import PatternIndex
from borgd.recall.code_seen import SeenCode, added, code_stems
from borgd.recall.context import Context
from borgd.recall.evidence import EpisodeStems, episode_stems


class SessionEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event: ``e`` is prompt, edit, write, read, grep, bash, reject, say or stop."""

    e: str
    text: str = ""
    path: str = ""
    old: str = ""
    new: str = ""
    command: str = ""
    pattern: str = ""
    out: str = ""
    tool: str = ""
    failed: bool = False
    midturn: bool = False

    @property
    def written(self) -> str:
        """The whole text that an edit or a write puts in place."""
        return self.new if self.e == "edit" else self.text


class LabelledSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session; ``applies``: at its end a person would make the case's correction again."""

    events: tuple[SessionEvent, ...]
    id: str = ""
    kind: str = ""
    applies: bool = False
    cwd: str = ""
    remote: str = ""


class Snapshot(NamedTuple):
    """What recall sees right after an event; ``moment`` is prompt, edit or stop."""

    moment: str
    context: Context


class _Work:
    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.touches: dict[str, None] = {}
        self.code = SeenCode()

    def context(self, session: LabelledSession, last: str, *, stop: bool) -> Context:
        return Context(
            text="\n".join(filter(None, (*self.prompts, *self.touches, last))),
            cwd=session.cwd,
            remote=session.remote,
            moment="stop" if stop else "early",
            code=self.code.stems,
            hits=self.code.hits,
            said=self.code.said,
        )


def snapshots(session: LabelledSession, patterns: PatternIndex) -> Iterator[Snapshot]:
    """The moments of a session at which a lesson could be told, in order."""
    whole, turn, last = _Work(), _Work(), ""

    def snap(moment: str) -> Snapshot:
        context = whole.context(session, last, stop=moment == "stop")
        if len(whole.prompts) > 1:
            context = msgspec.structs.replace(context, turn=turn.context(session, last, stop=moment == "stop"))
        return Snapshot(moment, context)

    for event in session.events:
        match event.e:
            case "prompt":
                turn, asked = turn if event.midturn else _Work(), patterns.match(event.text)
                for work in (whole, turn):
                    work.prompts.append(event.text)
                    work.code.ask(asked)
                yield snap("prompt")
            case "edit" | "write":
                words = code_stems(added(event.written, event.old))
                hits = patterns.match(f"{event.path}\n{event.written}")
                for work in (whole, turn):
                    work.touches[event.path] = None
                    work.code.add(words, hits)
                yield snap("edit")
            case "read":
                for work in (whole, turn):
                    work.touches[event.path] = None
            case "bash":
                for work in (whole, turn):
                    work.code.add(code_stems(event.command), {})
            case "stop":
                last = event.text
                hits = patterns.match(last)
                for work in (whole, turn):
                    work.code.add((), hits)
                yield snap("stop")


def corrected_at(events: Sequence[SessionEvent]) -> int:
    """Where a person corrects the agent: the rejection, else the last prompt."""
    prompts = [place for place, event in enumerate(events) if event.e == "prompt"]
    return next((place for place, event in enumerate(events) if event.e == "reject"), prompts[-1] if prompts else 0)


def session_episode(session: LabelledSession) -> EpisodeStems:
    """What a corrected session leaves behind of itself, as an episode keeps it."""
    at = corrected_at(session.events)
    before = session.events[:at]
    said = [event.text for event in before if event.e in ("stop", "say")]
    edits = [event for event in before if event.e in ("edit", "write")]
    lines = [line for event in edits for line in event.written.split("\n") if line.strip()]
    return episode_stems(
        task="\n".join(event.text for event in before if event.e == "prompt"),
        proposal=said[-1] if said else "",
        correction=session.events[at].text,
        paths=[event.path for event in edits],
        lines=lines[-60:],
    )
