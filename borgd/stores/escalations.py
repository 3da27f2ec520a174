"""Specialists: which calls need a verdict, the facts they are judged by, the policy that judges, the record of it.

The policy is what the policy journal pins, not what lies on disk: ``policy/escalation.metta`` is a working copy for reading
and editing, and a copy that differs is reported and changes nothing. Proposals, sign-offs and rollbacks are decided under
the journal's lock, so two terminals cannot both ratify. Calls block on the disk: run them in a worker thread.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import msgspec

from borgd.agents.event import Event
from borgd.config.schema import EscalationConfig
from borgd.errors import LimitError
from borgd.journal import Follower, Journal, Reading
from borgd.limits.audit import AuditEntry
from borgd.limits.escalation import versions
from borgd.limits.escalation.evaluate import EVALUATOR, EscalationVerdict, compile_policy, evaluate
from borgd.limits.escalation.facts import Facts
from borgd.limits.escalation.syntax import MAX_POLICY_BYTES, PolicyError
from borgd.limits.investigation.ledger import InvestigationLedger
from borgd.limits.investigation.tools import SPAWNING
from borgd.paths import Paths, private_dir

HARD_TAG = "[hard]"
"""design: how an agent says in a spawn's description or prompt that the problem is hard."""


class EscalationJudgement(NamedTuple):
    """A verdict, the text for the agent where it is a denial, and the line for the trail."""

    verdict: EscalationVerdict
    deny_reason: str
    audit: AuditEntry


def shipped_policy() -> str:
    """The policy that comes with the program."""
    return files("borgd.limits.escalation").joinpath("escalation.metta").read_text(encoding="utf-8")


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether ``name`` fits one of ``patterns``, upper and lower case alike."""
    return bool(name) and any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


class PolicyStore:
    """The versions of the policy: what holds, what waits, what a person decides."""

    def __init__(self, places: Paths, config: EscalationConfig) -> None:
        self.journal = Journal(places.journal("policy"))
        self.working_copy = places.data / "policy" / "escalation.metta"
        self.shipped = shipped_policy()
        self._follower = Follower(self.journal)
        self._history = versions.PolicyHistory()
        self._lock = Lock()
        self.configure(config)

    def configure(self, config: EscalationConfig) -> None:
        """Read the operator's floor again; one that cannot be used is reported, and the shipped policy is the floor."""
        self.floor, self.floor_problem = self.shipped, ""
        if config.floor:
            try:
                data = Path(config.floor).expanduser().read_bytes()
                compile_policy(data)
            except OSError as error:
                self.floor_problem = f"the floor {config.floor} cannot be read: {error.strerror}"
            except PolicyError as error:
                self.floor_problem = f"the floor {config.floor} cannot be used: {error}"
            else:
                self.floor = data.decode()
        if self.floor_problem:
            self.floor_problem += "; the shipped policy is the floor until it is fixed"

    def history(self) -> versions.PolicyHistory:
        """All that was proposed and pinned."""
        with self._lock:
            self._take(self._follower.read())
            return self._history

    def _take(self, reading: Reading) -> None:
        if reading.replaced:
            self._history = versions.PolicyHistory()
        versions.fold(self._history, reading.records)

    def effective(self) -> versions.EffectivePolicy:
        """What decides now, and what a person should know about it. Cheap when nothing changed: call it per verdict."""
        found = versions.effective(self.history(), self.shipped, self.floor, self._on_disk())
        if self.floor_problem:
            return msgspec.structs.replace(found, problems=(self.floor_problem, *found.problems))
        return found

    def _on_disk(self) -> bytes | None:
        """The working copy, never more of it than a policy can have."""
        try:
            descriptor = os.open(self.working_copy, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:
                return file.read(MAX_POLICY_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError:
            return b""

    def _decide(self, judge: Any, *arguments: Any) -> versions.PolicyChange:
        def step(reading: Reading) -> tuple[list[versions.PolicyChange], versions.PolicyChange]:
            self._take(reading)
            change: versions.PolicyChange = judge(self._history, *arguments)
            return [change], change

        with self._lock:
            private_dir(self.journal.path.parent)
            change = self.journal.transact(self._follower, step)
            versions.fold(self._history, [msgspec.to_builtins(change)])
            return change

    def propose(self, data: bytes, by: str, now_ms: int) -> versions.PolicyChange:
        """Put a policy before a person; anyone may.

        :raises PolicyError: its form is wrong, or it is not shown to be as strict as the floor.
        """
        return self._decide(versions.propose, data, self.floor, by, now_ms)

    def ratify(self, prefix: str, by: str, now_ms: int) -> versions.PolicyChange:
        """Pin the waiting proposal.

        :raises LimitError: nothing waits, or another hash.
        """
        change = self._decide(versions.ratify, prefix, self.floor, by, now_ms)
        self._write_copy()
        return change

    def rollback(self, by: str, now_ms: int) -> versions.PolicyChange:
        """Pin the policy before the one that holds.

        :raises LimitError: there is none.
        """
        change = self._decide(versions.rollback, self.shipped, by, now_ms)
        self._write_copy()
        return change

    def _write_copy(self) -> None:
        """What holds, for reading. A failure costs nothing: the journal decides."""
        text = versions.effective(self._history, self.shipped, self.floor).text
        with suppress(OSError):
            private_dir(self.working_copy.parent)
            temporary = self.working_copy.with_name(f".escalation.{os.getpid()}")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with open(descriptor, "wb") as file:
                file.write(text.encode())
            temporary.replace(self.working_copy)


class EscalationStore:
    """The gate in front of specialists."""

    def __init__(self, places: Paths, config: EscalationConfig) -> None:
        self.store = PolicyStore(places, config)
        self.journal = Journal(places.journal("escalations"))
        self.config = config

    def configure(self, config: EscalationConfig) -> None:
        """Judge by ``config`` from now on."""
        self.config = config
        self.store.configure(config)

    def specialist(self, event: Event) -> str:
        """The configured specialist that a tool call wants to start; empty: none.

        The type of the spawned agent and the model it asks for are both looked at.
        """
        if event.tool is None or event.tool.name not in SPAWNING:
            return ""
        named = (event.tool.input.get(key) for key in ("subagent_type", "agent_type", "agent", "model"))
        return next((name for name in named if isinstance(name, str) and matches(name, self.config.specialists)), "")

    def hard(self, specialist: str, tool_input: Mapping[str, Any]) -> bool:
        """Whether the problem counts as hard: the configuration says so, or the agent does in the call."""
        stated = (tool_input.get(key) for key in ("description", "prompt", "message"))
        return matches(specialist, self.config.hard) or any(isinstance(text, str) and HARD_TAG in text for text in stated)

    def facts(self, ledger: InvestigationLedger, *, hard: bool) -> Facts:
        """The facts as the session's meters have them; the soft threshold is exact."""
        config = self.config
        return Facts(
            spent=ledger.spent_tokens,
            ceiling=config.token_ceiling,
            soft=Fraction(config.soft_fraction) * config.token_ceiling,
            min_local=config.min_local_iterations,
            iterations=ledger.local_turns,
            hard=hard,
        )

    def judge(
        self, facts: Facts, specialist: str, now_ms: int, *, agent: str = "", session: str = "", subagent: str = ""
    ) -> EscalationJudgement:
        """The verdict on calling ``specialist``, recorded; its line for the trail is the caller's to append.

        :raises LimitError: a meter holds what no meter can.
        """
        negative = [name for name, value in facts.plain().items() if isinstance(value, int) and value < 0]
        if negative:
            raise LimitError(f"{negative[0]} is below 0, which no meter can be; the specialist is not called")
        holding = self.store.effective()
        verdict = evaluate(holding.policy, facts)
        record = {
            "ms": now_ms,
            "allowed": verdict.allow,
            "reason": verdict.reason,
            "specialist": specialist,
            "agent": agent,
            "session": session,
            "subagent": subagent,
            "facts": facts.plain(),
            "policy": verdict.policy,
            "evaluator": EVALUATOR,
        }
        private_dir(self.journal.path.parent)
        self.journal.append([record])
        entry = AuditEntry(
            limit="escalation",
            verdict=verdict.word,
            reason=verdict.reason,
            facts={**facts.plain(), "specialist": specialist, "steps": verdict.steps, "problems": list(holding.problems)},
            policy=verdict.policy,
            evaluator=EVALUATOR,
            agent=agent,
            session=session,
            subagent=subagent,
        )
        return EscalationJudgement(verdict, "" if verdict.allow else _denial(specialist, verdict, facts), entry)

    def before_tool(self, event: Event, ledger: InvestigationLedger, now_ms: int) -> EscalationJudgement | None:
        """The verdict on a tool call that wants a specialist; None: it wants none."""
        name = self.specialist(event)
        if not name or event.tool is None:
            return None
        facts = self.facts(ledger, hard=self.hard(name, event.tool.input))
        return self.judge(facts, name, now_ms, agent=event.agent, session=event.session, subagent=event.subagent)

    def before_switch(
        self, event: Event, model: str, ledger: InvestigationLedger, now_ms: int
    ) -> EscalationJudgement | None:
        """The verdict on a session's change to ``model``; None: it is not a specialist."""
        if not matches(model, self.config.specialists):
            return None
        facts = self.facts(ledger, hard=matches(model, self.config.hard))
        return self.judge(facts, model, now_ms, agent=event.agent, session=event.session, subagent=event.subagent)


def _denial(specialist: str, verdict: EscalationVerdict, facts: Facts) -> str:
    spent = f"{facts.iterations} local turns, {facts.spent} of {facts.ceiling} tokens spent"
    text = f"{specialist} was not called: {verdict.reason} ({spent}). Go on without it, or finish with what you have."
    if not facts.hard:
        text += f" If the problem is truly hard, say so by writing {HARD_TAG} in the call's description."
    return text
