"""A teammate's name for a system counts where it is known: a seen repository, an own lesson, or a confirmed name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.cli.memory.team import init, run
from borgd.config.read import read_config
from borgd.errors import UsageError
from borgd.lessons.store import LessonStore
from borgd.paths import user_paths
from borgd.stores.matching.seen_places import SeenPlaces, unknown_scopes
from tests.cli.terminal import in_a_terminal
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

QUIET = "[recall]\nholdout = 0.0\n"
QUESTION = "Is the valve of the Tarn sluice shut before the basin is drained?"
ASKED = "drain the basin of the Tarn sluice, its valve too"
NAMES = ["Tarn", "Sluice Gate", "Möwe", "database", "home", "Quill-7"]
names = st.lists(st.sampled_from(NAMES), max_size=3)


def of_a_teammate(home: Path, *lessons: dict[str, Any]) -> Path:
    """A team's directory with a teammate's ``lessons``, not joined yet."""
    shared = home / "shared"
    init(shared)
    (shared / "noor@lab.lessons.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lessons))
    return shared


def sluice(name: str = "Lvalve", scope: str = "Tarn") -> dict[str, Any]:
    return lesson(name, QUESTION, situations=["draining the basin of the sluice"], scope=[scope], engineers=["noor"])


@given(names, names, names, names, st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=3))
def test_unknown_is_what_nothing_here_knows(
    theirs: list[str], own: list[str], confirmed: list[str], dropped: list[str], seen: list[tuple[str, bool]]
) -> None:
    """Whatever comes in whatever order, only teammates' names are unknown, none of them one that is known."""
    store, places = LessonStore(), SeenPlaces(Path("/nonexistent/places.json"))
    for number, name in enumerate(theirs):
        store.apply([lesson(f"t{number}", "Is it?", scope=[name])], "noor", peer=True, owner="noor@lab")
    unknown_scopes(store, confirmed, places)
    for number, name in enumerate(own):
        store.apply([lesson(f"o{number}", "Is it?", scope=[name.upper()])])
    for number, name in enumerate(dropped):
        gone = lesson(f"d{number}", "Is it?", scope=[name], retired=True)
        store.apply([gone], "noor", peer=True, owner="noor@lab")
    for name, by_remote in seen:
        spelled = name.replace(" ", "-")
        places.saw("/x/y/work" if by_remote else f"/x/y/{spelled}", f"acme/{spelled}" if by_remote else "")
    known = {*own, *confirmed, *(name for name, _ in seen)}
    assert unknown_scopes(store, confirmed, places) == set(theirs) - known


def test_a_directory_above_a_repository_is_no_system(tmp_path: Path) -> None:
    inside = tmp_path / "home" / "tarn" / "pumps"
    inside.mkdir(parents=True)
    (tmp_path / "home" / "tarn" / ".git").mkdir()
    places = SeenPlaces(tmp_path / "places.json")
    assert places.saw(str(inside), "acme/tarn")
    assert not places.saw(str(inside), "acme/tarn")
    assert places.named(["home", "Tarn", "acme", "pumps"]) == {"Tarn", "acme", "pumps"}
    places.save()
    assert SeenPlaces(tmp_path / "places.json").named(["home", "Tarn"]) == {"Tarn"}
    (tmp_path / "places.json").write_bytes(b"\xff[")
    assert SeenPlaces(tmp_path / "places.json").named(["Tarn"]) == set()


@pytest.mark.anyio
async def test_a_name_alone_tells_nothing_until_its_repository_was_seen(home: Path) -> None:
    shared = of_a_teammate(home, sluice())
    write_config(home, f"{QUIET}[team]\ndirectory = {json.dumps(str(shared))}\n")
    async with running_service() as service:
        assert QUESTION not in await Agent(service, "elsewhere", "/w/meadow").prompt(ASKED)
        assert QUESTION in await Agent(service, "there", "/w/tarn").prompt(ASKED)
        assert QUESTION in await Agent(service, "elsewhere, later", "/w/meadow").prompt(ASKED)
    async with running_service() as service:
        assert QUESTION in await Agent(service, "after a restart", "/w/meadow").prompt(ASKED)


@pytest.mark.anyio
async def test_an_own_lesson_makes_its_names_known(home: Path) -> None:
    shared = of_a_teammate(home, sluice())
    write_config(home, f"{QUIET}[team]\ndirectory = {json.dumps(str(shared))}\n")
    write_lessons(home, lesson("mine", "Are the fish moved first?", situations=["moving fish"], scope=["tarn"]))
    async with running_service() as service:
        assert QUESTION in await Agent(service, "s1", "/w/meadow").prompt(ASKED)


@pytest.mark.anyio
async def test_a_confirmed_name_counts_also_in_a_running_daemon(home: Path) -> None:
    shared = of_a_teammate(home, sluice(), sluice("Lother", "database"))
    write_config(home, QUIET)
    run(["join", str(shared)])
    async with running_service() as service:
        assert QUESTION not in await Agent(service, "s1", "/w/meadow").prompt(ASKED)
        run(["join", str(shared), "--scope", "Tarn"])
        assert service.assembly is not None
        service.assembly.configure(read_config(user_paths()))
        assert QUESTION in await Agent(service, "s2", "/w/meadow").prompt(ASKED)


def test_joining_lists_what_is_unknown_and_scripts_say_what_counts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared = of_a_teammate(home, sluice(), sluice("Lother", "data\x1b[2Jbase"), sluice("Lthird", "Quill"))
    run(["join", str(shared)])
    out = capsys.readouterr().out
    assert "Tarn" in out
    assert "\x1b" not in out
    assert read_config(user_paths()).team.scopes == ()
    run(["join", str(shared), "--scope", "Quill"])
    assert read_config(user_paths()).team.scopes == ("Quill",)
    with pytest.raises(UsageError, match="Quill"):
        run(["join", str(shared), "--scope", "Quill"])
    capsys.readouterr()
    run(["status"])
    assert f"borg team join {shared}" in capsys.readouterr().out
    run(["join", str(shared), "--yes"])
    assert len(read_config(user_paths()).team.scopes) == 3
    run(["status", "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["unknown_scopes"] == []
    run(["leave"])
    assert read_config(user_paths()).team.scopes == ()


@pytest.mark.parametrize(("key", "kept"), [("y", ("Tarn",)), ("n", ())])
def test_a_person_is_asked_once(home: Path, key: str, kept: tuple[str, ...]) -> None:
    shared = of_a_teammate(home, sluice())
    seen, code = in_a_terminal(["team", "join", str(shared)], [("[y]es", key)], home)
    assert code == 0
    assert seen.index("Tarn") < seen.index("[y]es")
    assert read_config(user_paths()).team.scopes == kept
    if kept:
        again, code = in_a_terminal(["team", "join", str(shared)], [], home)
        assert code == 0
        assert "[y]es" not in again


@pytest.mark.parametrize(("key", "stays"), [("n", True), ("y", False)])
def test_leaving_says_what_goes_and_asks(home: Path, key: str, stays: bool) -> None:
    shared = of_a_teammate(home, sluice())
    run(["join", str(shared), "--yes"])
    seen, code = in_a_terminal(["team", "leave"], [("[y]es", key)], home)
    assert code == int(stays)
    assert "Tarn" in seen
    assert str(shared) in seen
    assert bool(read_config(user_paths()).team.directory) is stays
