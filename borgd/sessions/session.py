"""Sessions: one state per (agent, session, subagent), built from events, the state file and the agent's transcript.

A duplicate event changes nothing. Machine-made prompts are not the user. Sessions end by idleness, never by waiting
for an end event. The state survives a restart through its state file.
"""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from dataclasses import dataclass, field

from borgd.agents.event import Event, Moment
from borgd.agents.transcript import TokenUsage
from borgd.lessons.episodes import Episode
from borgd.lessons.redact import redact_head
from borgd.limits.investigation.convergence import StopState
from borgd.memory.records import Decision
from borgd.sessions.attendance import Attendance
from borgd.sessions.seen_keys import SeenKeys
from borgd.sessions.state_file import KINDS, StateFile
from borgd.sessions.transcript_tail import TranscriptTail
from borgd.sessions.turn import Overheard, Turns
from borgd.sessions.work_so_far import WorkSoFar, WrittenSince

PROMPTS = 12
"""design: prompts that count as what the session works on."""
KEPT_PROMPTS = 2 * PROMPTS
"""guard: prompts remembered, so that as many may be rewound and there are still enough."""
TOUCHES = 200
"""design: touched files that count as what the session works on."""
KEPT_TOUCHES = 2 * TOUCHES
"""guard: touched files remembered, likewise."""
PROMPT_CHARS = 8000
"""guard: characters kept of one prompt, plan or message."""
REMEMBERED_EVENTS = 512
"""guard: event keys remembered per session for duplicates."""
REMEMBERED_OUTCOMES = 1 << 14
"""guard: outcomes and episodes remembered per session, so that each is told once however long the session is."""
DECISIONS = 500
"""guard: choices of recall remembered per session; past them one that has its outcomes goes first, then the oldest."""
FREE = 50
"""guard: texts of recall that wait for a session's next event."""
BLOCKED = 100
"""guard: prompts of a session whose blocks are counted."""
RED = 200
"""guard: failing test commands remembered per session."""
PENDING = 4000
"""guard: lines kept for a state file that cannot be written."""
CALL_CHARS = 200
"""guard: characters kept of a call of the running turn."""

Key = tuple[str, str, str]

_LESSON_LINE = re.compile(r"[\W_]{0,20}(?P<id>\w[\w.-]*)[\W_]{0,3}(?:\(from [^)]{0,100}\))?:")


@dataclass(slots=True)
class PromptMark:
    """The id that the host gave a prompt, and the row of the transcript that holds it (0: none read yet)."""

    id: str = ""
    row: int = 0


@dataclass
class Session:
    """What one session works on and what it was already told. ``asked`` and ``delivered`` hold lesson ids."""

    key: Key
    file: StateFile
    cwd: str = ""
    remote: str = ""
    transcript: str = ""
    prompt_id: str = ""
    prompts: list[str] = field(default_factory=list)
    marks: list[PromptMark] = field(default_factory=list)
    """One for each of ``prompts``."""
    touches: dict[str, int] = field(default_factory=dict)
    """Touched files, each with the row of the transcript that touched it first (0: not known)."""
    plan: str = ""
    plan_row: int = 0
    last_message: str = ""
    said_row: int = 0
    compactions: int = 0
    """Compactions that the transcript told of while it was followed, and those after which lessons came again."""
    compactions_answered: int = 0
    compaction_row: int = 0
    notes: list[str] = field(default_factory=list)
    topics: dict[str, int] = field(default_factory=dict)
    """How often a named system was looked at; see recalling.TOPIC_TRIES."""
    asked: set[str] = field(default_factory=set)
    delivered: set[str] = field(default_factory=set)
    withheld: set[str] = field(default_factory=set)
    """Held out at random: they count as told for this session, or nothing could be measured."""
    contacts: set[str] = field(default_factory=set)
    """Lessons that were shown to this session or its subagents, or withheld from them: their coins are thrown."""
    occasions: list[Decision] = field(default_factory=list)
    """Choices of this session and its subagents in which coins were thrown, as ``decisions`` keeps them."""
    main: Session | None = None
    """The session that this subagent works for; None: it is none."""
    free: list[str] = field(default_factory=list)
    """Texts to hand over with the next prompt or tool call."""
    blocked: dict[str, int] = field(default_factory=dict)
    """Blocks per prompt id."""
    decisions: list[Decision] = field(default_factory=list)
    """Choices of recall in this session, their pools cut to what was shown or held out."""
    choices: list[Decision] = field(default_factory=list)
    """Those of ``decisions`` that were made for the event at hand."""
    answering: tuple[str, ...] = ()
    """That event, as ``event_mark`` names it."""
    judged: set[tuple[str, str]] = field(default_factory=set)
    """(decision, lesson) that have an outcome."""
    acted: set[str] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)
    """Lessons of which the agent said that they do not apply."""
    corrected: set[str] = field(default_factory=set)
    """Lessons that a correction counted against: none does twice in a session."""
    """Lessons that changed something in this session."""
    open_ask: str = ""
    """Id of the decision whose block has not been answered yet."""
    blocked_at: tuple[str, int] = ("", 0)
    """What the agent said when it was last blocked, and when."""
    changed: bool = False
    """Something was changed since the last prompt."""
    edits: int = 0
    """Tool calls that changed something, in the whole session."""
    stops: list[StopState] = field(default_factory=list)
    """The last times the agent was about to finish."""
    changed_paths: list[str] = field(default_factory=list)
    changed_lines: list[str] = field(default_factory=list)
    """What was changed since the last judgement, for evidence."""
    heads: dict[str, str] = field(default_factory=dict)
    """By tool call that commits: what was checked out before it."""
    red: set[str] = field(default_factory=set)
    """Test commands that failed and have not passed since."""
    open: dict[str, frozenset[str]] = field(default_factory=dict)
    """Decisions since which the agent has not come to a Stop, each with the test commands that were red before it."""
    pending: list[tuple[str, str]] = field(default_factory=list)
    """Lines for the state file, not written yet."""
    denied: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Ids of tool calls that were told not to run."""
    turns: Turns = field(default_factory=Turns)
    calls: dict[str, str] = field(default_factory=dict)
    """Calls that the transcript told of and that have no result yet."""
    rejections: list[tuple[str, str]] = field(default_factory=list)
    """Results of failed calls that the transcript told, with the call, not listened to yet."""
    doubtful: dict[int, Episode] = field(default_factory=dict)
    """By turn: what may have been a correction, to be filed if the agent says that it was one."""
    overheard: list[Overheard] = field(default_factory=list)
    """Prompts that the transcript told and no hook did, not listened to yet."""
    new_work: list[str] = field(default_factory=list)
    """Work that came by no prompt's hook, not looked at by recall yet."""
    spawning: list[tuple[str, str]] = field(default_factory=list)
    """(kind, prompt) of the subagents that were called for and have not begun yet."""
    work: WorkSoFar = field(default_factory=WorkSoFar)
    written: WrittenSince = field(default_factory=WrittenSince)
    usage: TokenUsage = field(default_factory=TokenUsage)
    attendance: Attendance = field(default_factory=Attendance)
    last_ms: int = 0
    ended: bool = False
    seen: SeenKeys = field(default_factory=lambda: SeenKeys(REMEMBERED_EVENTS))
    noted: SeenKeys = field(default_factory=lambda: SeenKeys(REMEMBERED_OUTCOMES))
    began: tuple[str, int] = ("", 0)
    """Why the session last began or went on (startup, resume, compact, …), and when."""
    said: tuple[str, str, int] = ("", "", 0)
    """The last prompt's words, its id, and when it came."""
    tail: TranscriptTail | None = None

    @property
    def agent(self) -> str:
        return self.key[0]

    @property
    def id(self) -> str:
        return self.key[1]

    @property
    def subagent(self) -> str:
        return self.key[2]

    def work_text(self) -> str:
        """Prompts, touched files, plan, last message and what others appended, joined: what recall reads."""
        touches = list(self.touches)[-TOUCHES:]
        parts = [*self.prompts[-PROMPTS:], *touches, self.plan, self.own_words(), *self.notes[-PROMPTS:]]
        return "\n".join(part for part in parts if part)

    def own_words(self) -> str:
        """The last message without the lines in which the agent repeats or answers a lesson: those are our words."""
        told = self.told()
        if not told:
            return self.last_message
        lines = [(line, _LESSON_LINE.match(line)) for line in self.last_message.split("\n")]
        return "\n".join(line for line, named in lines if named is None or named["id"] not in told)

    @property
    def whole(self) -> Session:
        """The session that this one is part of: a subagent's main one, else itself. It has the coins."""
        return self.main or self

    def told(self) -> set[str]:
        """Lessons that were delivered, asked or withheld: not to come again. What is withheld is so from all subagents."""
        return self.delivered | self.asked | self.withheld | self.whole.withheld

    def touch_lessons(self, decision: Decision) -> None:
        """Remember what ``decision`` showed and withheld, for the whole session: its coins are thrown once.

        Even if its text should never arrive: who is to be withheld was settled by then, and nothing may be settled twice.
        """
        whole = self.whole
        whole.contacts.update(entry.id for entry in decision.pool if entry.shown or entry.held)
        whole.withheld.update(entry.id for entry in decision.pool if entry.held)
        self.withheld.update(entry.id for entry in decision.pool if entry.held)
        if decision.horizon_ms and any(entry.holdout > 0 for entry in decision.pool):
            due = decision.ms - decision.horizon_ms
            whole.occasions = [*(one for one in whole.occasions if one.ms >= due and one.id != decision.id), decision]

    def write(self, *lines: tuple[str, str]) -> list[str]:
        """Have (kind, text) lines written to the state file with the next ``save``, secrets taken out of what is work.

        Returns the texts as they are written. Give them whole: half a secret is known by no rule.
        """
        kept = [(kind, redact_head(text, PROMPT_CHARS) if kind in KINDS else text) for kind, text in lines]
        self.pending.extend(kept)
        del self.pending[:-PENDING]
        return [text for _, text in kept]

    def save(self) -> list[tuple[str, str]]:
        """Write what is pending; what someone else appended meanwhile comes back.

        :raises OSError: the state file cannot be written; the lines stay pending.
        """
        if not self.pending:
            return []
        found = self.file.append(self.pending)
        self.pending = []
        return found

    def decide(self, decision: Decision) -> None:
        """Remember a choice of recall that waits for its outcomes."""
        self.decisions.append(decision)
        self.open[decision.id] = frozenset(self.red)
        if len(self.decisions) > DECISIONS:
            gone = next((one for one in self.decisions if self._is_judged(one)), self.decisions[0])
            self.decisions = [one for one in self.decisions if one is not gone]
            self.judged = {pair for pair in self.judged if pair[0] != gone.id}
            self.open.pop(gone.id, None)

    def _is_judged(self, decision: Decision) -> bool:
        return all((decision.id, entry.id) in self.judged for entry in decision.pool if entry.shown or entry.held)

    def untell(self, decision: Decision) -> None:
        """Forget a choice of recall whose text never reached the agent: its lessons may come again."""
        names = {entry.id for entry in decision.pool}
        for told in (self.delivered, self.asked):
            told.difference_update(names)
        self.decisions = [one for one in self.decisions if one.id != decision.id]
        self.open.pop(decision.id, None)
        self.topics.update(dict.fromkeys(decision.topics, 1))
        if self.open_ask == decision.id:
            self.open_ask = ""
            self.blocked.pop(self.prompt_id, None)

    def turned(self, command: str, *, passed: bool) -> list[str]:
        """A test suite was run; the open decisions before which it was red, if it has passed now."""
        if not passed:
            while len(self.red) >= RED:
                self.red.pop()
            self.red.add(command)
            return []
        self.red.discard(command)
        found = [name for name, red in self.open.items() if command in red]
        self.open.update((name, self.open[name] - {command}) for name in found)
        return found

    def block(self, prompt_id: str) -> None:
        """Count a block of this prompt."""
        self.blocked[prompt_id] = self.blocked.pop(prompt_id, 0) + 1
        while len(self.blocked) > BLOCKED:
            del self.blocked[next(iter(self.blocked))]

    def tell_later(self, text: str) -> None:
        """Have ``text`` told with the next prompt or tool call."""
        self.free.append(text)
        del self.free[:-FREE]

    def first_seen(self, *key: str) -> bool:
        """Whether this event key is new; remembers it."""
        return self.seen.first(key)

    def first_noted(self, *key: str) -> bool:
        """Whether this outcome or episode was not told before; remembers it, whatever number of events lies between."""
        return self.noted.first(key)

    def hear(self, text: str, id: str = "", row: int = 0) -> bool:
        """Take a prompt in, before those that stand on later rows; whether its words were not told under this id before."""
        if id and any(mark.id == id and words == text for mark, words in zip(self.marks, self.prompts, strict=True)):
            return False
        place = len(self.prompts)
        if row:
            place = next((number for number, mark in enumerate(self.marks) if not 0 < mark.row < row), place)
        self.prompts.insert(place, text)
        self.work.turn_prompts += 1
        self.marks.insert(place, PromptMark(id, row))
        del self.prompts[:-KEPT_PROMPTS], self.marks[:-KEPT_PROMPTS]
        return True

    def touch(self, path: str, row: int = 0) -> bool:
        """Note a touched file; whether it is new."""
        new = path not in self.touches
        self.touches[path] = self.touches.pop(path, row)
        while len(self.touches) > KEPT_TOUCHES:
            del self.touches[next(iter(self.touches))]
        return new


def apply_event(session: Session, event: Event, now_ms: int) -> None:
    """Take ``event`` into ``session``, its lines into what the state file gains."""
    session.last_ms = now_ms
    session.ended = is_end(event)
    if event.cwd and event.cwd != session.cwd:
        session.cwd = event.cwd
        session.write(("#borg-cwd", event.cwd))
    if event.transcript:
        session.transcript = event.transcript
    spoke = is_of_a_person(event)
    if spoke or event.moment is not Moment.PROMPT:
        move_turn(session, event.prompt_id or (f"p{len(session.prompts)}" if spoke else ""))
    if spoke:
        text = redact_head(event.prompt.strip(), PROMPT_CHARS)
        if session.hear(text, event.prompt_id):
            session.write(("prompt", text))
        session.first_noted("prompt", event.prompt_id or text)
        session.write(("#borg-prompt", session.prompt_id))
        session.new_work = [work for work in session.new_work if work != text]
    if event.moment is Moment.BEFORE_TOOL and event.tool is not None:
        what = " ".join(touched(event)) or str(event.tool.input.get("command") or "")
        session.turns.now.call(f"{event.tool.name} {what}"[:CALL_CHARS])
    if event.moment is Moment.AFTER_TOOL and event.tool is not None:
        session.work.touch(touched(event))
        session.write(*(("touch", path) for path in touched(event) if session.touch(path)))
    if event.moment in (Moment.STOP, Moment.SUBAGENT_STOP) and event.last_message:
        session.last_message, session.said_row = event.last_message[:PROMPT_CHARS], 0
        session.turns.now.said = session.last_message


def move_turn(session: Session, prompt_id: str) -> bool:
    """An event of the turn ``prompt_id`` came, empty where the host names none; whether a new turn began with it."""
    if not session.turns.move(prompt_id):
        return False
    session.prompt_id = prompt_id
    session.work.begin()
    session.changed = False
    session.blocked_at = ("", 0)
    session.write(("#borg-turn", f"{session.turns.now.number} {prompt_id}"))
    return True


def hand_over(subagent: Session, main: Session) -> None:
    """A subagent is over: what it changed and touched is the work of the turn that let it."""
    if not subagent.changed:
        return
    subagent.changed = False
    main.edits += 1
    main.write(*(("touch", path) for path in subagent.touches if main.touch(path)))
    if not main.changed:
        main.changed = True
        main.write(("#borg-changed", ""))


def is_end(event: Event) -> bool:
    """Whether the session says that it is over; most never do."""
    return event.moment is Moment.SESSION_END and event.source not in ("resume", "clear")


def is_of_a_person(event: Event) -> bool:
    """Whether ``event`` is a prompt that a person wrote: not a machine's, not our own text come back."""
    from borgd.recall.render import is_ours  # brings numpy: not before the daemon serves

    return (
        event.moment is Moment.PROMPT and not event.machine_made and bool(event.prompt.strip()) and not is_ours(event.prompt)
    )


def touched(event: Event) -> list[str]:
    """Paths that a tool call names in its input, relative to where the session works where they are inside it."""
    if event.tool is None:
        return []
    several = event.tool.input.get("paths")
    paths = [event.tool.input.get(name) for name in ("file_path", "notebook_path")]
    paths += several if isinstance(several, list) else []
    return list(dict.fromkeys(relative(path, event.cwd) for path in paths if isinstance(path, str) and path))


def relative(path: str, cwd: str) -> str:
    """``path`` below ``cwd`` without it, else as it is. Sessions of one repository keep one copy of a path's text."""
    return sys.intern(str(path.removeprefix(cwd.rstrip("/") + "/") if cwd else path))
