"""What the lesson commands share to try a lesson on the spot: gathers what it is tried on, and says what came of it."""

from __future__ import annotations

import msgspec

from borgd.cli.lesson.lesson_files import load, settings
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.lessons.proposals import Proposal, as_lesson
from borgd.paths import session_file_name, user_paths
from borgd.protocol.client import call
from borgd.recall.policy import policy_of
from borgd.recall.trial import Trial, attempt
from borgd.stores.past.past_sessions import past_sessions


def try_lesson(lesson: Lesson, episode: Episode | None) -> Trial:
    """Try ``lesson`` on its episode, the machine's lessons and the sessions of the last weeks."""
    paths = user_paths()
    own = session_file_name(episode.agent, episode.session) if episode else ""
    past = [one.context for one in past_sessions(paths, now_ms()) if one.name != own]
    policy = policy_of(settings())
    return attempt(lesson, load().current(), policy=policy, episode=episode, past=past, repair=_repair(episode))


def _repair(episode: Episode | None) -> list[str]:
    """The lines that the session changed since it was corrected, where a daemon runs that still knows them."""
    if episode is None or not episode.turn:
        return []
    asked = {"session": episode.session, "turn": episode.turn}
    try:
        answer = call("turn_lines", msgspec.json.encode(asked))
        lines = msgspec.json.decode(answer.out or b"{}", type=dict[str, list[str]]).get("lines", [])
    except (BorgError, msgspec.DecodeError):
        return []
    return [line for line in lines if line.strip() and line not in episode.lines]


def try_proposal(proposal: Proposal, episode: Episode | None) -> Trial:
    """The same for what a proposal would become."""
    return try_lesson(as_lesson(proposal, episode, engineer="", ms=0), episode)


def plain(trial: Trial) -> dict[str, object]:
    """``trial`` for JSON."""
    value: dict[str, object] = msgspec.to_builtins(trial)
    return value


def told(trial: Trial) -> str:
    """``trial`` in lines: what it showed, then what to do about it."""
    facts = []
    if trial.comes_up is not None:
        facts.append("comes up for its own task" if trial.comes_up else "does not come up for its own task")
    if trial.signs_in_mistake is not None:
        facts.append(f"{trial.signs_in_mistake} of its signs in the mistake")
    if trial.handled_in_repair is not None:
        facts.append(f"{trial.handled_in_repair} of its handled patterns in the repair")
    if trial.past_sessions:
        facts.append(f"comes up in {trial.comes_up_elsewhere} of {trial.past_sessions} past sessions")
    lines = [f"tried: {'; '.join(facts)}" if facts else "tried: on nothing, no correction belongs to it"]
    return "\n".join([*lines, *(f"  - {line}" for line in trial.advice)])
