"""Investigations of sessions as hooks and the command line see them: opened, counted, stopped, extended, never forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.config.schema import load
from borgd.errors import LimitError
from borgd.limits.investigation.budget import Limits
from borgd.limits.investigation.ledger import MessageUsage, Tokens, Turned
from borgd.limits.investigation.profile import Profile
from borgd.limits.investigation.verdict import InvestigationVerdict
from borgd.stores.investigations import KEPT_MS, InvestigationStore
from borgd.stores.session_ledger import file_name

EXPLORE = """
[investigation.agents.Explore]
mode = "enforce"
max_retrieval_calls = 3
max_wall_time_seconds = "none"
"""


@dataclass
class Host:
    """An agent's hooks against one store."""

    directory: Path
    config: str = EXPLORE
    now: int = 1_000_000
    number: int = 0
    store: InvestigationStore = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.store = InvestigationStore(self.directory, load(self.config.encode()).investigation)

    def event(
        self, moment: Moment, subagent: str = "", kind: str = "", tool: ToolCall | None = None, **fields: Any
    ) -> Event:
        return Event(
            agent="claude-code", name=moment, moment=moment, session="s1", subagent=subagent, subagent_type=kind,
            cwd="/r", tool=tool,
            **fields,
        )  # fmt: skip

    def prompt(self) -> None:
        self.store.prompt(self.event(Moment.PROMPT, prompt="do it"), self.now)

    def call(
        self, name: str = "Grep", subagent: str = "", kind: str = "", key: str | None = None, **given: Any
    ) -> InvestigationVerdict:
        self.number += 1
        tool = ToolCall(name=name, id=f"t{self.number}" if key is None else key, input=given)
        return self.store.before_tool(self.event(Moment.BEFORE_TOOL, subagent, kind, tool), (), self.now)

    def explore(self, name: str = "Grep", **given: Any) -> InvestigationVerdict:
        return self.call(name, "a1", "Explore", **given)

    def open(self) -> dict[str, dict[str, Any]]:
        return {one["subagent"]: one for one in self.store.status("s1", self.now)["open"]}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "investigations")


def test_an_exploring_subagent_makes_three_calls_and_is_told_why_the_fourth_is_refused(host: Host) -> None:
    host.prompt()
    assert [host.explore().allow for _ in range(4)] == [True, True, True, False]
    refused = host.explore("Read", file_path="a.py")
    assert not refused.allow
    for part in ("3 of 3 retrieval calls", "Conclude now", "borg investigate extend --session s1 --max-retrieval-calls 3"):
        assert part in refused.deny_reason
    assert len(refused.deny_reason) < 500
    assert refused.audit is not None
    assert (refused.audit.limit, refused.audit.verdict, refused.audit.subagent) == ("investigation", "deny", "a1")
    assert refused.audit.facts["budget"] == "max_retrieval_calls"
    assert (refused.audit.facts["limit"], refused.audit.facts["stage"]) == (3, "investigate")
    assert refused.audit.facts["spent"]["retrieval_calls"] == 3
    assert host.open()["a1"]["denied"] == 2


def test_a_change_ends_the_investigation_and_is_never_stopped(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 1'
    host.restart()
    host.prompt()
    assert host.call().allow
    assert not host.call().allow
    assert host.call("Edit", file_path="a.py") == InvestigationVerdict()
    assert host.open() == {}
    assert [host.call().allow for _ in range(3)] == [True] * 3
    host.prompt()
    assert [host.call().allow for _ in range(2)] == [True, False]
    assert host.call("Bash", command="echo x > y") == InvestigationVerdict()
    assert host.open() == {}


def test_what_cannot_be_told_is_counted_and_neither_stopped_nor_an_end(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 2'
    host.restart()
    host.prompt()
    assert [host.call("Bash", command="make test").allow for _ in range(5)] == [True] * 5
    assert not host.call().allow
    assert host.call("Bash", command="make test").allow
    assert host.open()[""]["spent"]["retrieval_calls"] == 6


def test_questions_and_plans_cost_nothing(host: Host) -> None:
    host.prompt()
    for name in ("AskUserQuestion", "ExitPlanMode", "TodoWrite"):
        assert host.call(name) == InvestigationVerdict()
    assert host.open()[""]["spent"]["retrieval_calls"] == 0


def test_a_session_of_its_own_is_told_once_and_not_stopped(host: Host) -> None:
    host.config = "[investigation.main]\nmax_retrieval_calls = 2"
    host.restart()
    host.prompt()
    verdicts = [host.call() for _ in range(5)]
    assert all(verdict.allow for verdict in verdicts)
    assert [bool(verdict.context) for verdict in verdicts] == [False, False, True, False, False]
    assert "2 of 2 retrieval calls" in verdicts[2].context
    assert [verdict.audit.verdict for verdict in verdicts if verdict.audit] == ["allow", "allow", "warn", "allow", "allow"]
    host.prompt()
    assert not host.call().context


def test_every_kind_of_unit_stops(host: Host) -> None:
    cases = {
        "max_subqueries": ("Task", {}),
        "max_graph_expansions": ("LSP", {}),
        "max_evidence_documents": ("Read", {"file_path": "/r/new"}),
        "max_retrieval_calls": ("Grep", {}),
    }
    for budget, (name, given) in cases.items():
        host.config = f'[investigation.main]\nmode = "enforce"\n{budget} = 0'
        host.restart()
        host.prompt()
        verdict = host.call(name, **given)
        assert not verdict.allow
        assert verdict.audit is not None
        assert verdict.audit.facts["budget"] == budget


def test_the_same_file_again_is_no_new_evidence(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_evidence_documents = 2'
    host.restart()
    host.prompt()
    for name in ("a.py", "./a.py", "/r/a.py", "b.py", "x/../a.py"):
        assert host.call("Read", file_path=name).allow
    assert host.call("Bash", command="cat a.py b.py").allow
    assert not host.call("Bash", command="cat a.py c.py").allow
    assert host.call("Grep", pattern="x").allow


def test_wall_time_runs_from_the_prompt(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_wall_time_seconds = 10'
    host.restart()
    host.prompt()
    host.now += 9_999
    assert host.call().allow
    host.now += 1
    assert "10 of 10 seconds of wall time" in host.call().deny_reason
    host.now -= 5_000
    assert not host.call().allow


def test_iterations_are_turns_and_the_turn_after_the_last_is_stopped(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_iterations = 2'
    host.restart()
    host.prompt()
    for turn in range(1, 4):
        host.store.report("s1", [Turned(ms=host.now)])
        allowed = [host.call().allow for _ in range(3)]
        assert allowed == [turn <= 2] * 3


def test_a_message_counts_once_however_often_it_is_told(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_context_tokens = 100\nmax_iterations = "none"'
    host.restart()
    host.prompt()
    host.store.report("s1", [MessageUsage(id="m1", context=40, model=2, cached=9, ms=1)])
    host.store.report("s1", [MessageUsage(id="m1", context=60, model=5, cached=9, ms=1)])
    host.restart()
    host.store.report("s1", [MessageUsage(id="m1", context=60, model=5, cached=9, ms=1)])
    status = host.store.status("s1", host.now)
    assert (status["tokens"], status["cached_tokens"], status["turns"]) == (65, 9, 1)
    assert host.open()[""]["spent"]["context_tokens"] == 60
    assert host.call().allow
    host.store.report("s1", [MessageUsage(id="m2", context=41, ms=1)])
    assert "101 of 100 context tokens" in host.call().deny_reason


def test_tokens_without_usage_are_unenforceable_and_said_so(host: Host) -> None:
    host.config = (
        '[investigation.main]\nmode = "enforce"\nmax_context_tokens = 5\nmax_model_tokens = 5\nmax_retrieval_calls = 2'
    )
    host.restart()
    host.prompt()
    verdict = host.call()
    assert verdict.audit is not None
    assert verdict.audit.facts["unenforceable"] == ["max_context_tokens", "max_model_tokens"]
    assert host.open()[""]["unenforceable"] == ["max_context_tokens", "max_model_tokens"]
    host.call()
    assert "not enforceable here" in host.call().deny_reason
    host.store.report("s1", [Tokens(model=1, ms=host.now)])
    assert host.open()[""]["unenforceable"] == ["max_context_tokens"]
    host.prompt()
    assert host.open()[""]["unenforceable"] == ["max_context_tokens"]


def test_a_child_spends_its_parents_budget_and_never_has_more_left(host: Host) -> None:
    host.config = (
        '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 5\n[investigation.subagent]\nmax_retrieval_calls = 4'
    )
    host.restart()
    host.prompt()
    assert [host.call("Grep", "a1", "Explore").allow for _ in range(3)] == [True] * 3
    assert [host.call("Grep", "a2", "Explore").allow for _ in range(3)] == [True, True, False]
    assert host.open()["a2"]["remaining"]["retrieval_calls"] == 0
    refused = host.call("Grep", "a1", "Explore")
    assert "this session's investigation" in refused.deny_reason
    assert not host.call().allow
    for one in host.open().values():
        for name, left in one["remaining"].items():
            parent = host.open()[""]["remaining"][name]
            assert parent is None or (left is not None and left <= parent)


def test_a_parent_that_only_warns_does_not_stop_its_child(host: Host) -> None:
    host.config = (
        '[investigation.main]\nmax_retrieval_calls = 1\n[investigation.subagent]\nmode = "enforce"\nmax_retrieval_calls = 3'
    )
    host.restart()
    host.prompt()
    verdicts = [host.call("Grep", "a1", "Explore") for _ in range(4)]
    assert [verdict.allow for verdict in verdicts] == [True, True, True, False]
    assert [bool(verdict.context) for verdict in verdicts] == [False, True, False, False]


def test_ten_subagents_that_ask_at_once_never_overspend_one_budget(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 7'
    host.restart()
    host.prompt()
    stores = [InvestigationStore(host.directory, load(host.config.encode()).investigation) for _ in range(4)]

    def ask(number: int) -> bool:
        tool = ToolCall(name="Grep", id=f"c{number}")
        event = host.event(Moment.BEFORE_TOOL, f"a{number % 10}", "general-purpose", tool)
        return stores[number % 4].before_tool(event, (), host.now).allow

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(ask, range(40)))
    assert sum(answers) == 7
    assert host.open()[""]["spent"]["retrieval_calls"] == 7


RACER = """
import sys
from pathlib import Path
from borgd.agents.event import Event, Moment, ToolCall
from borgd.config.schema import load
from borgd.stores.investigations import InvestigationStore
store = InvestigationStore(Path(sys.argv[1]), load(sys.argv[2].encode()).investigation)
allowed = 0
for n in range(20):
    tool = ToolCall(name="Grep", id=f"{sys.argv[3]}-{n}")
    event = Event(agent="claude-code", name="x", moment=Moment.BEFORE_TOOL, session="s1", tool=tool)
    allowed += store.before_tool(event, (), 1_000_000).allow
print(allowed)
"""


def test_processes_share_one_budget(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 11'
    host.restart()
    host.prompt()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(host.directory), host.config, str(n)], stdout=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    assert sum(int(process.communicate(timeout=240)[0]) for process in running) == 11
    assert host.open()[""]["spent"]["retrieval_calls"] == 11


def test_a_restart_forgets_nothing(host: Host) -> None:
    host.prompt()
    for _ in range(2):
        assert host.explore("Read", file_path="a.py").allow
    host.restart()
    assert host.open()["a1"]["spent"]["retrieval_calls"] == 2
    assert host.explore("Read", file_path="a.py").allow
    assert not host.explore().allow
    host.restart()
    assert not host.explore().allow
    assert host.open()["a1"]["spent"]["evidence_documents"] == 1


def test_a_call_is_counted_once_and_one_whose_announcement_was_missed_too(host: Host) -> None:
    host.prompt()
    assert host.explore(key="x").allow
    assert host.explore(key="x").allow
    done = host.event(Moment.AFTER_TOOL, "a1", "Explore", ToolCall(name="Grep", id="x"))
    host.store.after_tool(done, host.now)
    host.store.after_tool(done, host.now)
    assert host.open()["a1"]["spent"]["retrieval_calls"] == 1
    for key in ("y", "z", "y"):
        host.store.after_tool(host.event(Moment.AFTER_TOOL, "a1", "Explore", ToolCall(name="Grep", id=key)), host.now)
    assert host.open()["a1"]["spent"]["retrieval_calls"] == 3
    assert not host.explore().allow
    refused = host.event(Moment.AFTER_TOOL, "a1", "Explore", ToolCall(name="Grep", id=f"t{host.number}", failed=True))
    host.store.after_tool(refused, host.now)
    assert host.open()["a1"]["spent"]["retrieval_calls"] == 3


def test_a_missed_change_ends_the_investigation_too(host: Host) -> None:
    host.prompt()
    host.store.after_tool(host.event(Moment.AFTER_TOOL, tool=ToolCall(name="Edit", id="e")), host.now)
    assert host.open() == {}


def test_what_was_stopped_elsewhere_is_given_back(host: Host) -> None:
    host.prompt()
    assert host.explore(key="x").allow
    host.store.released(host.event(Moment.BEFORE_TOOL, "a1", "Explore", ToolCall(name="Grep", id="x")), host.now)
    assert host.open()["a1"]["spent"]["retrieval_calls"] == 0


def test_a_subagent_ends_and_an_unknown_end_closes_nothing(host: Host) -> None:
    host.prompt()
    host.explore()
    host.store.subagent_stop(host.event(Moment.SUBAGENT_STOP), host.now)
    host.store.subagent_stop(host.event(Moment.SUBAGENT_STOP, "other"), host.now)
    assert set(host.open()) == {"", "a1"}
    host.store.subagent_stop(host.event(Moment.SUBAGENT_STOP, "a1"), host.now)
    assert set(host.open()) == {""}


def test_one_opened_by_name_outlives_prompts_and_changes_and_ends_by_name(host: Host) -> None:
    host.store.start("s1", Profile(limits=Limits(max_retrieval_calls=2, max_wall_time_seconds=None)), host.now)
    host.prompt()
    assert host.call().allow
    host.call("Edit", file_path="x")
    host.prompt()
    assert [host.call().allow for _ in range(2)] == [True, False]
    host.store.extend("s1", {"max_retrieval_calls": 1}, host.now, by="ada")
    assert [host.call().allow for _ in range(2)] == [True, False]
    told = host.store.stop("s1", host.now)
    assert (told["spent"]["retrieval_calls"], told["explicit"], told["denied"]) == (3, True, 2)
    assert host.open() == {}
    assert host.call().allow
    with pytest.raises(LimitError, match="no investigation open"):
        host.store.stop("s1", host.now)
    with pytest.raises(LimitError, match="no investigation open"):
        host.store.extend("s1", {"max_retrieval_calls": 1}, host.now)


def test_another_process_that_extends_is_heard_with_the_next_call(host: Host) -> None:
    host.prompt()
    assert [host.explore().allow for _ in range(4)] == [True, True, True, False]
    other = InvestigationStore(host.directory, load(b"").investigation)
    other.extend("s1", {"max_retrieval_calls": 2}, host.now, subagent="a1")
    assert [host.explore().allow for _ in range(3)] == [True, True, False]


def test_an_extension_of_time_counts_from_what_is_used(host: Host) -> None:
    host.config = '[investigation.main]\nmode = "enforce"\nmax_wall_time_seconds = 10'
    host.restart()
    host.prompt()
    host.now += 300_000
    assert not host.call().allow
    host.store.extend("s1", {"max_wall_time_seconds": 5}, host.now)
    assert host.call().allow
    host.now += 5_000
    assert not host.call().allow


def test_a_session_first_heard_of_in_its_middle_is_metered(host: Host) -> None:
    assert host.call().allow
    assert host.open()[""]["spent"]["retrieval_calls"] == 1


def test_a_subagent_of_a_session_that_already_changed_something_has_its_own(host: Host) -> None:
    host.prompt()
    host.call("Edit", file_path="x")
    assert [host.explore().allow for _ in range(4)] == [True, True, True, False]
    assert set(host.open()) == {"a1"}


def test_a_change_gives_a_subagent_no_second_budget(host: Host) -> None:
    host.config = (
        '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 5\n'
        '[investigation.subagent]\nmode = "enforce"\nmax_retrieval_calls = 3'
    )
    host.restart()
    host.prompt()
    assert [host.explore().allow for _ in range(4)] == [True, True, True, False]
    assert host.explore("Edit", file_path="x").allow
    assert [host.explore().allow for _ in range(3)] == [True, True, False]
    host.restart()
    assert set(host.open()) == {""}
    assert not host.explore().allow


def test_a_damaged_line_costs_that_line_only(host: Host) -> None:
    host.prompt()
    for _ in range(3):
        host.explore()
    path = host.directory / file_name("s1")
    lines = path.read_bytes().split(b"\n")
    lines[2] = b'{"kind": "charged", "key": 7'
    path.write_bytes(b"\n".join(lines))
    host.restart()
    assert [host.explore().allow for _ in range(2)] == [True, False]


SOUND = [
    {"kind": "opened", "profile": {"mode": "enforce", "limits": {"max_retrieval_calls": 3}}, "ms": 1},
    {"kind": "closed", "why": "changed", "ms": 1},
    {"kind": "extended", "more": {"max_retrieval_calls": 1}, "ms": 1},
    {"kind": "charged", "key": "k", "units": {"retrieval_calls": 1, "documents": ["a"]}, "ms": 1},
    {"kind": "released", "key": "k", "ms": 1},
    {"kind": "denied", "key": "k", "budget": "max_iterations", "ms": 1},
    {"kind": "warned", "budget": "max_iterations", "ms": 1},
    {"kind": "turned", "n": 1, "ms": 1},
    {"kind": "tokens", "context": 5, "model": 1, "ms": 1},
    {"kind": "message", "id": "m", "context": 5, "ms": 1},
]
ODD: list[Any] = [
    -1,
    -(2**63),
    2**80,
    1.5,
    None,
    True,
    "",
    "max_iterations",
    [],
    {},
    {"max_iterations": -1},
    {"nothing": 3},
    {"limits": {"max_iterations": "x"}},
]


@pytest.mark.parametrize("sound", SOUND, ids=lambda record: record["kind"])
def test_no_line_of_the_file_can_break_the_account_or_refund(host: Host, sound: dict[str, Any]) -> None:
    host.prompt()
    host.store.report("s1", [Tokens(context=50, model=0, ms=host.now)])
    path = host.directory / file_name("s1")
    for name in sound:
        for odd in ODD:
            record = {**sound, name: odd}
            with path.open("ab") as file:
                file.write(json.dumps(record).encode() + b"\n")
    with path.open("ab") as file:
        file.write(b'7\n[]\n"x"\nnull\n{"kind": "other"}\n')
    host.restart()
    status = host.store.status("s1", host.now)
    assert status["tokens"] >= 50
    host.store.report("s1", [Tokens(context=1, model=0, ms=host.now)])
    assert host.store.status("s1", host.now)["tokens"] == status["tokens"] + 1
    host.prompt()
    assert [host.explore().allow for _ in range(4)] == [True, True, True, False]


def test_a_long_file_is_not_taken_for_an_empty_one(host: Host) -> None:
    host.prompt()
    host.store.report("s1", [MessageUsage(id=f"m{n}", context=3, ms=host.now) for n in range(9_000)])
    assert (host.directory / file_name("s1")).stat().st_size > 400_000
    host.restart()
    status = host.store.status("s1", host.now)
    assert (status["tokens"], status["turns"]) == (27_000, 9_000)


def test_session_ids_never_leave_the_directory(host: Host) -> None:
    names = {file_name(session) for session in ("../x", "a/b", ".", "..", "", "x" * 300, "a\0b", "-x", "é")}
    assert all("/" not in name and not name.startswith(".") and len(name) < 110 for name in names)
    assert file_name("0b1c-22") == "0b1c-22.jsonl"
    with pytest.raises(LimitError, match="without an id"):
        host.store.status("", 0)


def test_silent_sessions_are_swept(host: Host) -> None:
    host.prompt()
    path = host.directory / file_name("s1")
    now = int(path.stat().st_mtime * 1000)
    assert host.store.expire(now) == 0
    assert host.store.expire(now + KEPT_MS + 2_000) == 1
    assert not path.exists()
    assert host.store.sessions() == []
