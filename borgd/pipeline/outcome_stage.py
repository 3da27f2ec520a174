"""The learning stage of an event: outcomes of what was shown, from what the session then said and did.

Every outcome names its evidence and is told once. Judging is memory.sources'; this only gathers what it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain

import anyio.to_thread

from borgd.agents.event import Event
from borgd.journal import GroupCommit, Journal
from borgd.lessons.redact import SECRET_CHARS, redact, redact_head
from borgd.memory.records import Decision, Outcome
from borgd.memory.sources.answers import answers
from borgd.memory.sources.judge import (
    WorkChanges,
    judge_answers,
    judge_correction,
    judge_disagreement,
    judge_early,
    judge_end,
    judge_tests,
    judge_unclear,
    judge_veto,
    shown,
    shown_or_held,
)
from borgd.memory.sources.reverted_lines import commit_made, commits
from borgd.memory.sources.suite_runs import suite_run
from borgd.recall.context import Context
from borgd.recall.contradicted import contradicted
from borgd.recall.disagreement import disagreement_ids
from borgd.recall.early import ANY
from borgd.recall.rank import weigh
from borgd.sessions.lines import counted_lines
from borgd.sessions.session import Session, touched
from borgd.stores import reverted_lines as regrets
from borgd.stores.knowledge import Knowledge
from borgd.stores.repository import head
from borgd.stores.reverted_lines import MadeCommit

KEPT_LINES = 400
"""guard: changed lines remembered between two judgements."""
COMMAND_CHARS = 1000
"""guard: characters of a test command that are looked at for its name."""
SUITE_CHARS = 300
"""design: characters of a test command that name its suite."""
LINE_CHARS = 400
"""guard: characters kept of one changed line."""
LAST = ("not_corrected", "unclear")
"""design: kinds that are told only of what has no outcome yet."""
NEIGHBOURS = 12
"""guard: best matches of a correction's words that it may be about instead of what was shown."""
NO_CREDIT = 1e-9
"""method: a correction that is recorded and moves no belief."""
HEADS = 50
"""guard: calls under way of which the commit before is remembered."""

KEY_LINES = 128
"""guard: a private key has fewer lines; 8192 bits of RSA have about 100."""
WRITTEN = ("new_string", "content", "new_source")
"""Fields of a tool's input that hold what it wrote."""


def last_lines(text: str) -> list[str]:
    """The last KEPT_LINES lines of ``text`` that are not blank, at most LINE_CHARS characters each, secrets taken out.

    They are taken out before lines are cut, since a key of several lines is known by its first one; in bounded time.
    """
    window = [line[: LINE_CHARS + SECRET_CHARS] for line in text.split("\n")[-(KEPT_LINES + KEY_LINES) :]]
    return [line[:LINE_CHARS] for line in redact("\n".join(window)).split("\n")[-KEPT_LINES:] if line.strip()]


class OutcomeStage:
    """Turns a session's further course into outcomes. ``told`` counts them by kind."""

    def __init__(self, knowledge: Knowledge, commit: GroupCommit, journals: Mapping[str, Journal], *, floor: float) -> None:
        self.knowledge = knowledge
        self.commit = commit
        self.outcomes = journals["outcomes"]
        self.decisions = journals["decisions"]
        self.commits = journals["commits"]
        self.floor = floor
        self.told: dict[str, int] = {}

    def saw_tool(self, session: Session, event: Event, *, changing: bool) -> None:
        """Remember what a finished tool call changed."""
        tool = event.tool
        if tool is None or not changing or tool.failed:
            return
        if not session.changed:
            session.changed = True
            session.write(("#borg-changed", ""))
        session.edits += 1
        texts = [text for field in WRITTEN if isinstance(text := tool.input.get(field), str)]
        lines = [line for text in texts for line in last_lines(text)]
        paths = touched(event)
        session.changed_paths.extend(paths)
        session.changed_lines.extend(lines)
        session.written.wrote(len(paths), len(lines), tool.id)
        session.turns.now.change(touched(event), lines)
        del session.changed_lines[:-KEPT_LINES]
        del session.changed_paths[:-KEPT_LINES]

    def may_commit(self, session: Session, event: Event) -> None:
        """A tool call is about to run: remember what is checked out, if it commits."""
        command = event.tool.input.get("command") if event.tool is not None else None
        if event.tool is not None and isinstance(command, str) and commits(command):
            session.heads[event.tool.id] = head(event.cwd or session.cwd)
            while len(session.heads) > HEADS:
                del session.heads[next(iter(session.heads))]

    async def committed(self, session: Session, event: Event, now_ms: int) -> None:
        """Remember which commit this session made, so that a later repair of it can be traced back.

        Where git says nothing (``commit -q``), it is the commit that the repository has come to since ``may_commit``.
        """
        tool = event.tool
        command = str(tool.input.get("command") or "") if tool is not None else ""
        if tool is None or not commits(command):
            return
        before = session.heads.pop(tool.id, None)
        if tool.failed:
            return
        made = commit_made(command, str(tool.response.get("stdout") or "") if isinstance(tool.response, dict) else "")
        if not made and before is not None:
            now = head(event.cwd or session.cwd)
            made = now if now != before else ""
        decisions = tuple(decision.id for decision in session.decisions if shown(decision))
        if made and decisions:
            record = MadeCommit(
                id=made, ms=now_ms, cwd=session.cwd, agent=session.agent, session=session.id, decisions=decisions
            )
            await self.commit.append(self.commits, [record])

    async def look_back(self, now_ms: int) -> int:
        """Trace regrets in the repositories where sessions committed; how many were told."""
        look = partial(regrets.look, self.commits, self.decisions, dict(self.knowledge.lessons), now_ms)
        found = await anyio.to_thread.run_sync(look)
        await self.commit.append(self.outcomes, found)
        self.knowledge.refresh()
        return len(found)

    async def tests_turned(self, session: Session, event: Event, now_ms: int) -> None:
        """Remember which suites are red; one red before something was shown that passes before the next Stop: tested."""
        command = event.tool.input.get("command") if event.tool else None
        run = suite_run(command, failed=event.tool.failed) if event.tool and isinstance(command, str) else None
        if run is None or not isinstance(command, str):
            return
        name = " ".join(redact_head(command, COMMAND_CHARS).split())[:SUITE_CHARS]
        if run.passed == (name not in session.red):  # as it was
            return
        session.write(("#borg-green" if run.passed else "#borg-red", name))
        turned = [self._decision(session, one) for one in session.turned(name, passed=run.passed)]
        told = [decision for decision in turned if decision is not None and shown(decision)]
        found: list[Outcome] = []
        for decision in told:
            found += judge_tests(decision, name, self.knowledge.lessons, share=1 / len(told), ms=now_ms)
        await self.tell(session, found)

    async def at_stop(self, session: Session, event: Event, now_ms: int, *, goes_on: bool = False) -> None:
        """Judge the open ask by its answers, and early deliveries by what changed.

        :param goes_on: the turn is not over: what the agent answered by now is read, everything else may still come.
        """
        paths, lines = tuple(session.changed_paths), tuple(session.changed_lines)
        changes = WorkChanges(paths, lines)
        found: list[Outcome] = []
        asked = self._decision(session, session.open_ask)
        said = answers(event.last_message or session.last_message, shown(asked)) if asked is not None else {}
        if asked is not None and (said or not goes_on):
            found += judge_answers(asked, said, self.knowledge.lessons, changes, ms=now_ms)
            session.open_ask = ""
            session.write(("#borg-answered", ""))
        if goes_on:
            await self.tell(session, found)
            return
        for decision in session.decisions:
            if decision.channel != "stop":
                since = WorkChanges(*session.written.since(decision.id, paths, lines))
                found += judge_early(decision, self.knowledge.lessons, since, ms=now_ms)
        session.changed_paths.clear()
        session.changed_lines.clear()
        if session.open:
            session.open.clear()
            session.write(("#borg-stopped", ""))
        await self.tell(session, found)

    async def corrected(self, session: Session, prompt: str, rule: str, now_ms: int) -> list[str]:
        """A person pushed back by ``rule``: the lessons of this session that their words speak against; returns their ids.

        What was worked on is why a lesson was shown at all, so it says nothing here: the words are the person's alone, only
        the place is the session's. Where the words take a side in a disagreement that was shown, that settles its lessons.
        Else a correction counts against a lesson that it contradicts more than any other, once a session, at the lesson's
        first decision; hardly where the agent had said that the lesson does not apply: that was the agent's word.
        """
        matched = self._spoken_of(session, prompt)
        lessons = self.knowledge.lessons
        found: list[Outcome] = []
        remembered = {one.id for one in session.decisions}
        decisions = [*session.decisions, *(one for one in session.occasions if one.id not in remembered)]
        decisions.sort(key=lambda decision: decision.ms)
        against = self._against(session, prompt, matched, decisions)
        for decision in decisions:
            sides = self._disagreements(decision)
            agreed = next((name for name in matched for side in sides if name in side), "")
            settled = judge_disagreement(decision, sides, agreed, lessons, ms=now_ms)
            done = {outcome.lesson for outcome in settled}
            found += settled
            shares = {name: share for name, share in against.items() if name not in done}
            corrections = judge_correction(decision, shares, lessons, rule=rule, ms=now_ms)
            found += corrections
            for outcome in corrections:
                del against[outcome.lesson]
        await self.tell(session, found)
        return [outcome.lesson for outcome in found if outcome.kind == "corrected"]

    def _against(self, session: Session, prompt: str, matched: list[str], decisions: Iterable[Decision]) -> dict[str, float]:
        """Lessons told or withheld in ``decisions`` that the words contradict, each with its share, none twice."""
        lessons = self.knowledge.lessons
        told = {name for decision in decisions for name, _ in shown_or_held(decision) if name in lessons}
        neighbours = {name: lessons[name] for name in [*matched[:NEIGHBOURS], *sorted(told)]}
        with self.knowledge.lock:
            shares = contradicted(prompt, told & set(matched), neighbours, self.knowledge.prior)
        fresh = {name: share for name, share in shares.items() if name not in session.corrected}
        return {name: NO_CREDIT if name in session.skipped else share for name, share in fresh.items()}

    def _spoken_of(self, session: Session, prompt: str) -> list[str]:
        """Lessons that a prompt's own words reach, where this session works, best first."""
        words = "\n".join((prompt, *(topic for topic in session.topics if topic != ANY)))
        context = Context(text=words, cwd=session.cwd, remote=session.remote, moment="early")
        matches = self.knowledge.index.match(context, self.knowledge.prior)
        return [match.id for match in matches if match.evidence >= self.floor]

    async def vetoed(self, session: Session, reason: str, now_ms: int) -> list[str]:
        """The person said no to what this session was last shown, or to the lesson that the ``reason`` begins with; to which
        lessons that was."""
        name, _, rest = reason.partition(" ")
        name = name.rstrip(":,")
        one = next((decision for decision in reversed(session.decisions) if name in shown(decision)), None)
        last = one or next((decision for decision in reversed(session.decisions) if shown(decision)), None)
        if last is None:
            return []
        only = [name] if one is not None else None
        found = judge_veto(last, rest.strip() if only else reason, self.knowledge.lessons, ms=now_ms, only=only)
        await self.tell(session, found)
        return [outcome.lesson for outcome in found]

    def vetoes(self, lesson: str) -> float:
        """How often the lesson was vetoed, each veto shared by what it was said to."""
        return self.knowledge.memory.results(lesson).get("vetoed", 0.0)

    def scopes_shown(self, session: Session) -> list[str]:
        """The systems of the lessons that were last shown."""
        last = next((decision for decision in reversed(session.decisions) if shown(decision)), None)
        lessons = [self.knowledge.lessons[name] for name in shown(last) if name in self.knowledge.lessons] if last else []
        return sorted({name for lesson in lessons for name in lesson.scope})

    async def ended(self, session: Session, reason: str, now_ms: int) -> None:
        """The session is over: what has no outcome is not_corrected; its words join the machine's counts.

        What was decided after the agent's last Stop is unclear: it was cut off at work, and nobody saw what it would have
        made of it. (Where all that won a slot at a Stop was withheld, the agent did stop.)
        """
        if session.prompts and not session.subagent and session.first_seen("counted", session.id):
            session.write(*counted_lines(self.knowledge.counts.add(session.work_text())))
        found: list[Outcome] = []
        for decision in session.decisions:
            judged = session.corrected | {name for key, name in session.judged if key == decision.id}
            cut_off = decision.id in session.open and (decision.channel != "stop" or bool(shown(decision)))
            judge = judge_unclear if cut_off else judge_end
            why = f"{reason}; the agent came to no stop after this was shown" if cut_off else reason
            found += judge(decision, judged, self.knowledge.lessons, reason=why, ms=now_ms)
        await self.tell(session, found)

    async def undelivered(self, session: Session, decisions: Iterable[Decision], now_ms: int) -> None:
        """What was chosen too late for the agent: nobody can know what it would have made of it."""
        reason = "the agent had gone on before the answer came"
        found = [judge_unclear(decision, (), self.knowledge.lessons, reason=reason, ms=now_ms) for decision in decisions]
        await self.tell(session, chain.from_iterable(found))

    async def tell(self, session: Session, outcomes: Iterable[Outcome]) -> None:
        """Store outcomes that were not told yet, none of a forgotten lesson; memory takes them in.

        :raises JournalError: they could not be stored; memory is unchanged.
        """
        found = list(outcomes)
        if not found:
            return
        self.knowledge.refresh()
        gone = self.knowledge.store.forgotten
        fresh: dict[str, Outcome] = {}
        for outcome in found:
            if outcome.lesson in gone:
                continue
            final = outcome.kind not in LAST or (outcome.decision, outcome.lesson) not in session.judged
            if final and session.first_noted("outcome", outcome.id):
                fresh[outcome.id] = outcome
        if not fresh:
            return
        await self.commit.append(self.outcomes, list(fresh.values()))
        self.knowledge.refresh()
        for outcome in fresh.values():
            session.judged.add((outcome.decision, outcome.lesson))
            session.write(("#borg-judged", f"{outcome.decision} {outcome.lesson}"))
            if outcome.kind == "corrected":
                session.corrected.add(outcome.lesson)
                session.write(("#borg-corrected", outcome.lesson))
            if outcome.kind == "not_arisen":
                session.skipped.add(outcome.lesson)
                session.write(("#borg-skipped", outcome.lesson))
            if outcome.kind in ("changed", "tested"):
                session.acted.add(outcome.lesson)
                session.write(("#borg-acted", outcome.lesson))
            self.told[outcome.kind] = self.told.get(outcome.kind, 0) + 1

    def _disagreements(self, decision: Decision) -> list[tuple[str, ...]]:
        memory, lessons = self.knowledge.memory, self.knowledge.lessons
        ranked = [weigh(lessons[name], 0.0, memory) for name in shown(decision) if name in lessons]
        return disagreement_ids(ranked, memory.succession().disputes)

    def _decision(self, session: Session, decision_id: str) -> Decision | None:
        return next((one for one in session.decisions if one.id == decision_id), None) if decision_id else None
