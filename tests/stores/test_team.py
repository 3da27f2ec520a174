"""A team's directory: everyone writes their own files and reads all; whatever state they are in, the result is the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.cli.memory.team import init, run
from borgd.config.schema import Config
from borgd.errors import BorgError, InputError, JournalError
from borgd.journal import Journal
from borgd.lessons.team import card, hashed, owner_name, parse_name, public_lesson
from borgd.memory.records import Outcome
from borgd.paths import Paths
from borgd.stores.knowledge import Knowledge
from borgd.stores.team import Team, open_team
from tests.server.support import lesson

SALT = "00112233445566778899aabbccddeeff"


class Machine:
    """One engineer's machine: its own data directory, a copy of the team's directory."""

    def __init__(self, root: Path, name: str, shared: Path) -> None:
        self.data = root / name / "data"
        self.data.mkdir(parents=True)
        self.where = Paths(root / name, self.data, root / name, root / name / "s")
        self.name = name
        self.shared = shared
        self.knowledge = self.start()

    def start(self) -> Knowledge:
        team, problem = open_team(str(self.shared), owner_name(self.name, "box"))
        assert not problem
        return Knowledge(self.where, Config(), self.name, team=team)

    def add(self, *lessons: dict[str, object]) -> None:
        Journal(self.where.journal("lessons")).append(lessons)

    def saw(self, name: str, kind: str, session: str, ms: int) -> None:
        outcome = Outcome(
            id=f"{session}.{name}.{kind}", ms=ms, lesson=name, kind=kind, evidence="src/secret_plan.py was touched",  # type: ignore[arg-type]
            agent="claude-code", session=session, decision=f"d-{session}", repo="acme/orion", engineer=self.name,
        )  # fmt: skip
        Journal(self.where.journal("outcomes")).append([outcome])

    def sync(self) -> None:
        self.knowledge.refresh_all()
        self.knowledge.publish()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    directory = tmp_path / "shared"
    init(directory)
    return directory


@pytest.fixture
def pair(tmp_path: Path, shared: Path) -> tuple[Machine, Machine]:
    return Machine(tmp_path, "mira", shared), Machine(tmp_path, "tobin", shared)


def test_what_one_learned_the_other_knows(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is the cap raised?", scope=["Orion"], engineers=["mira"]))
    mira.saw("L1", "changed", "s1", 10)
    mira.sync()
    tobin.knowledge.refresh_all()
    assert tobin.knowledge.lessons["L1"].peer
    assert tobin.knowledge.memory.belief("L1").alpha == 2
    assert not mira.knowledge.lessons["L1"].peer


def test_all_machines_end_with_the_same_memory(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is the cap raised?", engineers=["mira"]))
    tobin.add(lesson("L2", "Is the cap kept?", engineers=["tobin"], supersedes=["L1"]))
    for number, machine in enumerate([mira, tobin, mira, tobin, tobin]):
        machine.saw("L1" if number % 2 else "L2", ["changed", "corrected", "ignored"][number % 3], f"s{number}", number)
        machine.sync()
    for machine in (mira, tobin):
        machine.knowledge.refresh_all()
    assert learned(mira) == learned(tobin)
    one = json.dumps(mira.knowledge.memory.export())
    assert json.dumps(mira.start().memory.export()) != one
    again = mira.start()
    again.refresh_all()
    assert json.dumps(again.memory.export()) == one
    assert tobin.knowledge.memory.succession().successors == {"L1": ("L2",)}
    assert mira.knowledge.memory.succession().successors == {}, "a teammate's successor of an own lesson is an offer"


def learned(machine: Machine) -> object:
    """What memory holds, less what succession adds to it: that acts on teammates' lessons alone, so it differs."""
    export = json.loads(json.dumps(machine.knowledge.memory.export()))
    return export["sessions"], {name: {**found, "trust": 0} for name, found in export["lessons"].items()}


def test_nothing_private_leaves(pair: tuple[Machine, Machine], shared: Path) -> None:
    mira, _ = pair
    history = [{"ms": 1, "engineer": "mira", "fields": ["question"]}]
    mira.add(
        lesson("L1", "Team?", engineers=["mira"], repo="acme/orion", origin="episode E1234", history=history),
        lesson("L2", "Personal?", reach="personal", engineers=["mira"]),
        lesson("L3", "Repo?", reach="repo", repo="acme/orion"),
    )
    mira.saw("L1", "changed", "session-id-1", 10)
    mira.sync()
    out = "".join(path.read_text() for path in shared.glob("*.jsonl"))
    assert "Team?" in out
    for private in ("Personal?", "acme", "session-id-1", "d-session", "secret_plan", "E1234", "history"):
        assert private not in out


def test_a_repositorys_lesson_is_heard_only_there(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L3", "Repo?", reach="repo", repo="acme/orion"))
    mira.sync()
    tobin.knowledge.refresh_all()
    found = tobin.knowledge.lessons["L3"]
    assert tobin.knowledge.reaches(found, "acme/orion")
    assert not tobin.knowledge.reaches(found, "acme/other")


def test_publishing_twice_and_after_a_restart_is_once(pair: tuple[Machine, Machine], shared: Path) -> None:
    mira, _ = pair
    mira.add(lesson("L1", "Is it?"))
    mira.saw("L1", "changed", "s1", 10)
    for _ in range(2):
        mira.sync()
        mira.knowledge = mira.start()
        mira.sync()
    assert [path.read_bytes().count(b"\n") for path in sorted(shared.glob("mira*.jsonl"))] == [1, 1]


def test_forgetting_reaches_the_team(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is it?"))
    mira.sync()
    tobin.knowledge.refresh_all()
    assert "L1" in tobin.knowledge.lessons
    mira.add({"id": "L1", "kind": "tombstone", "ms": 5})
    mira.sync()
    tobin.knowledge.refresh_all()
    assert "L1" not in tobin.knowledge.lessons


@pytest.mark.parametrize("copy", ["mira@box.outcomes (conflicted copy).jsonl", "mira@box.outcomes.sync-conflict-1.jsonl"])
def test_a_second_copy_counts_once(pair: tuple[Machine, Machine], shared: Path, copy: str) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is it?"))
    mira.saw("L1", "changed", "s1", 10)
    mira.sync()
    (shared / copy).write_bytes((shared / "mira@box.outcomes.jsonl").read_bytes())
    tobin.knowledge.refresh_all()
    assert tobin.knowledge.memory.belief("L1").alpha == 2


def damaged(data: bytes, how: str) -> bytes:
    lines = data.split(b"\n")[:-1]
    marks = [b"<<<<<<< HEAD", *lines[:2], b"=======", *lines[2:], b">>>>>>> theirs"]
    return {
        "crlf": data.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + data,
        "markers": b"\n".join(marks) + b"\n",
        "half": data[: len(data) - 20],
        "nul": data + b"\0" * 4096,
        "doubled": data + data,
        "noise": data + b"\xff\xfe not json\n",
    }[how]


@pytest.mark.parametrize("how", ["crlf", "bom", "markers", "half", "nul", "doubled", "noise"])
def test_a_file_in_any_state_costs_only_what_is_not_there(pair: tuple[Machine, Machine], shared: Path, how: str) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is it?"))
    for number in range(6):
        mira.saw("L1", "changed", f"s{number}", number)
    mira.sync()
    path = shared / "mira@box.outcomes.jsonl"
    whole = path.read_bytes()
    path.write_bytes(damaged(whole, how))
    tobin.knowledge.refresh_all()
    assert tobin.knowledge.memory.belief("L1").alpha == (6 if how == "half" else 7)
    path.write_bytes(whole)
    tobin.knowledge.refresh_all()
    assert tobin.knowledge.memory.belief("L1").alpha == 7


def test_a_file_that_shrinks_or_goes_is_survived(pair: tuple[Machine, Machine], shared: Path) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is it?"))
    for number in range(6):
        mira.saw("L1", "changed", f"s{number}", number)
    mira.sync()
    tobin.knowledge.refresh_all()
    path = shared / "mira@box.outcomes.jsonl"
    path.write_bytes(path.read_bytes()[:300])
    tobin.knowledge.refresh_all()
    path.unlink()
    tobin.knowledge.refresh_all()
    assert tobin.knowledge.memory.belief("L1").alpha == 7


def test_a_team_that_is_away_is_reported_and_stops_nobody(tmp_path: Path) -> None:
    team, problem = open_team(str(tmp_path / "gone"), "mira@box")
    assert team is None
    assert "borg team init" in problem
    (tmp_path / "team.json").write_text('{"salt": "xyz"}')
    team, problem = open_team(str(tmp_path), "mira@box")
    assert team is None
    assert "salt" in problem


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(names, names)
def test_any_name_makes_a_file_name_that_is_read_back(engineer: str, machine: str) -> None:
    owner = owner_name(engineer, machine)
    assert "/" not in owner
    file = parse_name(f"{owner}.lessons.jsonl")
    assert file is not None
    assert (file.owner, file.kind, file.copy) == (owner, "lessons", False)


@pytest.mark.parametrize(
    "name",
    [
        "x.jsonl",
        ".a@b.lessons.jsonl",
        "a@b.lessons.jsonl.orig",
        "a@b.episodes.jsonl",
        "lessons.jsonl",
        "a/b@c.lessons.jsonl",
    ],
)
def test_other_files_are_not_read(name: str) -> None:
    assert parse_name(name) is None


@given(st.sampled_from(["lessons", "outcomes"]), st.permutations(range(6)), st.integers(0, 6))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_lines_and_files_and_their_split_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, kind: str, order: list[int], cut: int
) -> None:
    root = tmp_path_factory.mktemp("order")
    init(root / "shared")
    (root / "shared" / "team.json").write_text(json.dumps({"salt": SALT, "version": 1}))
    rows = [
        Outcome(
            id=f"o{n}",
            ms=n,
            lesson=f"L{n % 2}",
            kind="changed" if n % 3 else "corrected",
            evidence="e",
            session=f"s{n % 4}",
            agent="a",
        )
        for n in range(6)
    ]
    for owner, part in (("a@x", order[:cut]), ("b@y", [*order[cut:], *order[:1]])):
        Journal(root / "shared" / f"{owner}.outcomes.jsonl").append([rows[n] for n in part])
    knowledge = Machine(root, "reader", root / "shared").knowledge
    knowledge.refresh_all()
    straight = Machine(root, "plain", root / "shared").knowledge
    straight.refresh_all()
    expected = {n: straight.memory.belief(f"L{n}") for n in range(2)}
    assert {n: knowledge.memory.belief(f"L{n}") for n in range(2)} == expected
    assert knowledge.memory.belief("L0").alpha + knowledge.memory.belief("L0").beta > 2


def test_hashes_are_stable_and_say_nothing() -> None:
    assert hashed(SALT, "repo", "acme/orion") == hashed(SALT, "repo", "acme/orion")
    assert hashed(SALT, "repo", "acme/orion") != hashed(SALT, "session", "acme/orion")
    assert hashed(SALT, "repo", "") == ""
    assert public_lesson({"id": "L", "reach": "personal"}, SALT) is None


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"salt": 5}', b'{"salt": "short"}', b'{"salt": "00112233445566778899", "version": 2}']
)
def test_a_bad_card_is_named(data: bytes) -> None:
    with pytest.raises(InputError, match=r"team\.json"):
        card(data, "team.json")


def test_the_commands(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BorgError, match="borg team init"):
        run(["status"])
    assert run(["init", str(home / "team")]) == 0
    with pytest.raises(BorgError, match="already"):
        run(["init", str(home / "team")])
    assert run(["join", str(home / "team")]) == 0
    assert (home / "team" / ".gitattributes").read_text() == "*.jsonl merge=union\n"
    capsys.readouterr()
    assert run(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["members"] == {}
    assert run(["leave"]) == 0


def git(where: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=d", "-c", "user.email=d@e.invalid", "-c", "pull.rebase=false", *words]
    subprocess.run(command, cwd=where, check=True, capture_output=True)


def test_two_homes_that_share_through_a_git_remote_converge(tmp_path: Path) -> None:
    """Both write at once, commit, and merge what the other pushed."""
    remote, first = tmp_path / "remote.git", tmp_path / "mira-team"
    remote.mkdir()
    git(remote, "init", "-q", "--bare", "-b", "main", ".")
    init(first)
    git(first, "init", "-q", "-b", "main", ".")
    git(first, "add", "-A")
    git(first, "commit", "-qm", "team")
    git(first, "remote", "add", "origin", str(remote))
    git(first, "push", "-q", "origin", "main")
    git(tmp_path, "clone", "-q", str(remote), "tobin-team")
    mira, tobin = Machine(tmp_path, "mira", first), Machine(tmp_path, "tobin", tmp_path / "tobin-team")
    mira.add(lesson("L1", "Is the cap raised?", engineers=["mira"]))
    tobin.add(lesson("L2", "Is the cap kept?", engineers=["tobin"]))
    for turn in range(4):
        for machine in (mira, tobin):
            machine.saw("L1" if turn % 2 else "L2", "changed" if turn < 3 else "corrected", f"{machine.name}{turn}", turn)
            machine.sync()
            git(machine.shared, "add", "-A")
            git(machine.shared, "commit", "-qm", "share")
        for machine in (mira, tobin):
            git(machine.shared, "pull", "-q", "--no-edit", "origin", "main")
            git(machine.shared, "push", "-q", "origin", "main")
    git(mira.shared, "pull", "-q", "--no-edit", "origin", "main")
    for machine in (mira, tobin):
        machine.knowledge.refresh_all()
        assert machine.knowledge.team is not None
        assert machine.knowledge.team.problems == []
    assert mira.knowledge.memory.export() == tobin.knowledge.memory.export()
    assert mira.knowledge.memory.belief("L1").alpha > 1
    assert sorted(mira.knowledge.lessons) == ["L1", "L2"]


def test_a_teams_files_are_never_rewritten_by_reading(pair: tuple[Machine, Machine], shared: Path) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is it?"))
    mira.sync()
    before = {path: path.read_bytes() for path in shared.glob("mira*")}
    tobin.sync()
    Team(shared, "x@y").members()
    assert {path: path.read_bytes() for path in shared.glob("mira*")} == before


def test_a_teammates_tombstone_takes_back_only_what_teammates_shared(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Mine?"))
    tobin.add(lesson("L2", "His?"), {"id": "L1", "kind": "tombstone", "ms": 5})
    for machine in (tobin, mira, tobin):
        machine.sync()
    assert sorted(mira.knowledge.lessons) == ["L1", "L2"]
    assert sorted(tobin.knowledge.lessons) == ["L2"]


def test_a_teammates_constraint_must_match_like_any_lesson(pair: tuple[Machine, Machine]) -> None:
    mira, tobin = pair
    mira.add(lesson("L1", "Is the changelog updated?", scope=["Orion"], source="constraint"))
    mira.sync()
    tobin.knowledge.refresh_all()
    assert mira.knowledge.lessons["L1"].standing
    assert not tobin.knowledge.lessons["L1"].standing


def test_links_in_the_directory_are_not_followed(pair: tuple[Machine, Machine], shared: Path, tmp_path: Path) -> None:
    mira, tobin = pair
    (tmp_path / "elsewhere").write_text(json.dumps(lesson("L1", "Linked?")) + "\n")
    (shared / "eve@box.lessons.jsonl").symlink_to(tmp_path / "elsewhere")
    tobin.sync()
    assert tobin.knowledge.lessons == {}
    (shared / "mira@box.lessons.jsonl").symlink_to(tmp_path / "elsewhere")
    mira.add(lesson("L2", "Mine?"))
    with pytest.raises(JournalError, match="is a link"):
        mira.sync()
    assert "Mine?" not in (tmp_path / "elsewhere").read_text()


def test_the_same_persons_other_machine_is_own_and_a_copy_of_its_file_is_not(tmp_path: Path, shared: Path) -> None:
    def home(machines: list[str]) -> Team:
        team, _ = open_team(str(shared), "mira@box", machines)
        assert team is not None
        return team

    files = {name: shared / f"{name}.lessons.jsonl" for name in ("mira@laptop", "tobin@laptop", "mira@laptop.x@y")}
    for machines in (["laptop"], ["mira@laptop"]):
        assert not home(machines).is_peer(files["mira@laptop"])
        assert home(machines).is_peer(files["tobin@laptop"])
        assert home(machines).is_peer(shared / "mira@laptop.lessons (copy).jsonl")
    assert home([]).is_peer(files["mira@laptop"])


def test_an_outcome_is_by_the_person_whose_file_it_is(pair: tuple[Machine, Machine], shared: Path) -> None:
    mira, _ = pair
    forged = Outcome(id="o", ms=1, lesson="L1", kind="changed", evidence="e", agent="a", session="s", engineer="mira")
    Journal(shared / "eve@box.outcomes.jsonl").append([forged])
    mira.knowledge.refresh_all()
    assert mira.knowledge.team is not None
    assert [one.engineer for part in Team(shared, "x@y").new_outcomes() for one in part] == ["eve"]
