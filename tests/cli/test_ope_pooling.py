"""The same numbers whatever the order of lines and files, whoever counts them, an own file in the team's or not."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from borgd import clock
from borgd.cli.debug import ope
from borgd.journal import Journal
from borgd.lessons.team import owner_name
from borgd.memory.records import Decision, Outcome
from borgd.replay.simulate import simulate, world
from borgd.stores.occasions import OccasionStore
from borgd.stores.team import Team
from tests.server.support import write_config

SEED, SESSIONS, MACHINES = 31, 150, 3
Log = tuple[list[Decision], list[Outcome]]
SALT = "ffeeddccbbaa99887766554433221100"


def lines(records: list[Any]) -> str:
    return "".join(msgspec.json.encode(one).decode() + "\n" for one in records)


@pytest.fixture(scope="module")
def log() -> Log:
    sessions = list(simulate(SESSIONS, SEED, lessons=40))
    decisions = [one for each in sessions for one in each.decisions]
    return decisions, [one for each in sessions for one in each.outcomes]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert ope.run([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("order", range(3))
def test_the_order_of_lines_and_files_moves_no_digit(
    log: Log, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], order: int
) -> None:
    decisions, outcomes = log
    chance = random.Random(order)
    (tmp_path / "d.jsonl").write_text(lines(decisions))
    (tmp_path / "o.jsonl").write_text(lines(outcomes))
    wanted = ["--set", "relative=0.7", "--candidate", "other:belief.ignored=2", "--reward", "all"]
    straight = said(capsys, "--decisions", f"{tmp_path}/d.jsonl", "--outcomes", f"{tmp_path}/o.jsonl", *wanted)
    mixed = chance.sample(decisions, len(decisions))
    cut = chance.randrange(len(mixed))
    (tmp_path / "b.jsonl").write_text(lines(mixed[cut:]))
    (tmp_path / "a.jsonl").write_text(lines(mixed[:cut]))
    (tmp_path / "p.jsonl").write_text(lines(chance.sample(outcomes, len(outcomes))))
    files = chance.sample([f"{tmp_path}/a.jsonl", f"{tmp_path}/b.jsonl"], 2)
    assert said(capsys, "--decisions", *files, "--outcomes", f"{tmp_path}/p.jsonl", *wanted) == straight


def homes(tmp_path: Path, log: Log, machines: int = MACHINES) -> tuple[list[Path], Path]:
    """Machines of a team, each with its own sessions' journals, and all that they publish."""
    team = tmp_path / "team"
    team.mkdir()
    (team / "team.json").write_text(json.dumps({"salt": SALT, "version": 1}))
    made = []
    for number in range(machines):
        home = tmp_path / f"home{number}"
        data = home / ".local/share/borgd"
        data.mkdir(parents=True)
        mine = {one.session for one in log[0] if int(one.session[1:]) % machines == number}
        who = f"engineer{number}"
        (data / "decisions.jsonl").write_text(
            lines([msgspec.structs.replace(one, engineer=who) for one in log[0] if one.session in mine])
        )
        own = [msgspec.structs.replace(one, engineer=who) for one in log[1] if one.session in mine]
        (data / "outcomes.jsonl").write_text(lines(own))
        (data / "lessons.jsonl").write_text(lines(list(world(SEED, 40).lessons.values())))
        write_config(home, f"[team]\ndirectory = '{team}'\n[people]\nengineer = '{who}'\n")
        shared = Team(team, owner_name(who, f"machine{number}"))
        shared.publish([], own)
        store = OccasionStore(Journal(data / "decisions.jsonl"), Journal(data / "outcomes.jsonl"), shared)
        store.settle(clock.now_ms())
        assert store.publish(frozenset()) > 0
        assert store.publish(frozenset()) == 0
        made.append(home)
    return made, team


def headline(found: dict[str, Any]) -> dict[str, Any]:
    """What must be the same on every machine; characters and blocks are each one's own."""
    names = (
        "overall",
        "sentence",
        "plan",
        "withholding",
        "weeks",
        "so_far",
        "lessons",
        "areas",
        "strata",
        "scopes",
        "costly",
    )
    return {name: found["headline"][name] for name in names}


def test_every_machine_of_a_team_computes_the_same_headline(
    log: Log,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made, team = homes(tmp_path, log)
    found = []
    for number, home in enumerate(made):
        monkeypatch.setenv("HOME", str(home))
        found.append(headline(said(capsys, "--team")))
        own = team / f"engineer{number}@machine{number}.outcomes.jsonl"
        kept = own.read_bytes()
        own.unlink()  # its own occasions are in its journals
        found.append(headline(said(capsys, "--team")))
        (team / f"engineer{number}@machine{number}.outcomes.sync-conflict-1.jsonl").write_bytes(kept)
        own.write_bytes(b"\n".join(sorted(kept.split(b"\n"))))
        found.append(headline(said(capsys, "--team")))
    assert all(one == found[0] for one in found)
    thrown = sum((e.shown or e.held) and e.holdout > 0 for d in log[0] for e in d.pool)
    assert found[0]["overall"]["shown"] + found[0]["overall"]["held"] == thrown
    monkeypatch.setenv("HOME", str(made[0]))
    alone = said(capsys)["headline"]["overall"]
    assert 0 < alone["shown"] + alone["held"] < thrown / 2


def test_an_own_file_in_the_teams_directory_counts_nothing_twice(
    log: Log,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A candidate that moves beliefs, which outcomes move: the same with the team's directory and without."""
    made, team = homes(tmp_path, log)
    for path in team.glob("*.jsonl"):
        if "engineer0@" not in path.name:
            path.unlink()
    monkeypatch.setenv("HOME", str(made[0]))
    wanted = ["--set", "belief.ignored=2.5", "--reward", "all"]
    shared = said(capsys, *wanted)
    write_config(made[0], "[people]\nengineer = 'engineer0'\n")
    alone = said(capsys, *wanted)
    assert shared == alone
    assert (
        said(capsys, *wanted, "--outcomes", f"{made[0]}/.local/share/borgd/outcomes.jsonl", *map(str, team.glob("*.jsonl")))
        == alone
    )


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_ten_homes_over_a_git_remote_say_the_same(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each machine pushes its own files and pulls everyone's; the team's directory of each is a clone."""
    remote = tmp_path / "remote.git"

    def git(*arguments: str, where: Path) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        subprocess.run(["git", *who, *arguments], cwd=where, check=True, capture_output=True)

    git("init", "-q", "--bare", "-b", "main", str(remote), where=tmp_path)
    made, team = homes(tmp_path, log, machines=10)
    git("init", "-q", "-b", "main", where=team)
    git("add", "team.json", where=team)
    git("commit", "-qm", "a team", where=team)
    git("push", "-q", str(remote), "main", where=team)
    clones = []
    for number, home in enumerate(made):
        clone = tmp_path / f"clone{number}"
        git("clone", "-q", str(remote), str(clone), where=tmp_path)
        for path in team.glob(f"engineer{number}@*.jsonl"):
            (clone / path.name).write_bytes(path.read_bytes())
        git("add", ".", where=clone)
        git("commit", "-qm", f"machine {number}", where=clone)
        git("pull", "-q", "--no-rebase", "--no-edit", where=clone)
        git("push", "-q", "origin", "main", where=clone)
        write_config(home, f"[team]\ndirectory = '{clone}'\n[people]\nengineer = 'engineer{number}'\n")
        clones.append(clone)
    found = []
    for home, clone in zip(made, clones, strict=True):
        git("pull", "-q", "--no-rebase", "--no-edit", where=clone)
        monkeypatch.setenv("HOME", str(home))
        found.append(headline(said(capsys, "--team")))
    assert len(found) == 10
    assert all(one == found[0] for one in found)
    thrown = sum((e.shown or e.held) and e.holdout > 0 for d in log[0] for e in d.pool)
    assert found[0]["overall"]["shown"] + found[0]["overall"]["held"] == thrown
