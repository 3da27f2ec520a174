"""``borg debug ope``, ``simulate``, ``select`` and ``borg report`` from the outside: files in, text, JSON and a page out."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from borgd import clock
from borgd.cli.debug import ope as debug_ope
from borgd.cli.debug import replay_files, report
from borgd.cli.debug import select as debug_select
from borgd.cli.debug import simulate as debug_simulate
from borgd.errors import BorgError, InputError, UsageError
from borgd.memory.records import Decision, Outcome
from borgd.paths import user_paths
from borgd.replay.engine import Ready, Replay


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("world") / "journals"
    assert debug_simulate.run(["--out", str(out), "--sessions", "220", "--seed", "6", "--lessons", "80"]) == 0
    return out


def files_of(simulated: Path) -> list[str]:
    return ["--decisions", str(simulated / "decisions.jsonl"), "--outcomes", str(simulated / "outcomes.jsonl")]


def test_simulate_writes_real_journals(simulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import msgspec

    for name, kind in (("decisions", Decision), ("outcomes", Outcome)):
        lines = (simulated / f"{name}.jsonl").read_bytes().splitlines()
        assert len(lines) > 100
        for line in lines:
            msgspec.json.decode(line, type=kind)
        times = [json.loads(line)["ms"] for line in lines]
        assert times == sorted(times)
    assert stat.S_IMODE((simulated / "decisions.jsonl").stat().st_mode) == 0o600
    with pytest.raises(BorgError, match="another directory"):
        debug_simulate.run(["--out", str(simulated), "--sessions", "1"])
    with pytest.raises(UsageError, match="1 or more"):
        debug_simulate.run(["--out", str(simulated / "x"), "--sessions", "0"])


def test_the_same_seed_writes_the_same_world(tmp_path: Path) -> None:
    for name in ("one", "two"):
        debug_simulate.run(["--out", str(tmp_path / name), "--sessions", "25", "--seed", "3"])
    for name in ("lessons", "decisions", "outcomes", "truth"):
        assert (tmp_path / "one" / f"{name}.jsonl").read_bytes() == (tmp_path / "two" / f"{name}.jsonl").read_bytes()


def test_what_it_comes_to_first_then_coverage_then_values(
    simulated: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        *files_of(simulated),
        "--set",
        "RELATIVE=0.7",
        "--set",
        "belief.ignored=1",
        "--candidate",
        "few:early_cap=2",
    ]
    assert debug_ope.run(arguments) == 0
    text = capsys.readouterr().out
    order = [
        "decisions used",
        "effective sample size",
        "IPS",
        "SNIPS",
        "DM",
        "DR",
        "SWITCH-DR",
        "RIPS",
        "difference to logged",
    ]
    places_of = [text.index(word) for word in order]
    assert places_of == sorted(places_of)
    assert text.startswith(("The lessons", "Not enough data"))
    assert text.splitlines()[2].startswith("relative=0.7, belief.ignored=1.0: ")
    assert text.splitlines()[3].startswith("early_cap=2: ")


def test_json_is_one_stable_document(simulated: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert debug_ope.run([*files_of(simulated), "--set", "relative=0.7", "--json", "--reward", "all"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert document["coverage"]["used"] > 100
    assert list(dict.fromkeys(each["reward"] for each in document["candidates"])) == ["changed", "not_corrected", "avoided"]
    assert len(document["candidates"]) == 6
    estimate = next(each for each in document["candidates"][1]["estimates"] if each["name"] == "DR")
    assert estimate["low"] <= estimate["value"] <= estimate["high"]


def test_the_bootstrap_is_labelled_as_what_it_is_not(
    simulated: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert debug_ope.run([*files_of(simulated), "--interval", "bootstrap"]) == 0
    assert "not valid for adaptive logs" in capsys.readouterr().out


def test_first_run_says_what_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert debug_ope.run([]) == 0
    assert "borg debug simulate" in capsys.readouterr().out
    assert debug_ope.run(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"] is None
    assert report.run([]) == 0
    assert "Nothing to report yet" in capsys.readouterr().out
    assert debug_select.run(["--replay", "--set", "relative=0.7"]) == 0
    assert "No decisions yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "hope=1"],
        ["--candidate", "logged:relative=0.7"],
        ["--candidate", "a:relative=0.7", "a:relative=0.8"],
        ["--set", "x"],
        ["--worth", "nan"],
        ["--worth", "0"],
    ],
)
def test_a_wrong_command_line_is_said(arguments: list[str], home: Path) -> None:
    with pytest.raises(UsageError):
        debug_ope.run(arguments)


def test_a_missing_file_is_named(home: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        debug_ope.run(["--decisions", str(tmp_path / "nowhere.jsonl")])


def test_before_anything_is_judged_it_says_so(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "d.jsonl"
    entry = {"id": "a", "p": 0.95, "base": 1.0, "shown": True}
    file.write_text(json.dumps({"id": "a", "ms": 10**12, "channel": "early", "policy": "budget", "pool": [entry]}) + "\n")
    debug_ope.run(["--decisions", str(file), "--set", "relative=0.7"])
    text = capsys.readouterr().out
    assert text.startswith("Not enough data")
    assert "0 of 1 decisions used" in text
    assert "skipped 1: no outcome yet" in text


@pytest.mark.parametrize(
    ("horizon", "said"), [({}, "younger than two days"), ({"horizon_ms": 86_400_000}, "younger than a day")]
)
def test_what_is_young_is_called_young(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], horizon: dict[str, int], said: str
) -> None:
    file = tmp_path / "d.jsonl"
    entry = {"id": "a", "p": 0.95, "base": 1.0, "shown": True}
    line = {"id": "a", "ms": clock.now_ms() - 3_600_000, "channel": "early", "policy": "budget", "pool": [entry], **horizon}
    file.write_text(json.dumps(line) + "\n")
    debug_ope.run(["--decisions", str(file)])
    assert f"skipped 1: {said}" in capsys.readouterr().out


@pytest.mark.parametrize("value", [".7", "0.7", "7e-1", "+.70"])
def test_a_number_may_be_written_as_usual(
    simulated: Path, home: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    assert debug_ope.run([*files_of(simulated), "--set", f"relative={value}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["candidates"][1]["settings"] == {"relative": 0.7}


@pytest.mark.parametrize("value", [".5", "0.5", "1."])
def test_what_cannot_be_replayed_is_said_however_the_number_is_written(simulated: Path, home: Path, value: str) -> None:
    with pytest.raises(UsageError, match="strong cannot be replayed"):
        debug_ope.run([*files_of(simulated), "--set", f"strong={value}"])


def test_several_files_are_merged_by_time(
    simulated: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (simulated / "decisions.jsonl").read_bytes().splitlines(keepends=True)
    parts = [tmp_path / "odd.jsonl", tmp_path / "even.jsonl"]
    parts[0].write_bytes(b"".join(lines[1::2]))
    parts[1].write_bytes(b"".join(lines[::2]))
    outcomes = ["--outcomes", str(simulated / "outcomes.jsonl"), "--json", "--set", "relative=0.7"]
    debug_ope.run(["--decisions", *map(str, parts), *outcomes])
    merged = json.loads(capsys.readouterr().out)
    debug_ope.run(["--decisions", str(simulated / "decisions.jsonl"), *outcomes])
    assert merged["candidates"] == json.loads(capsys.readouterr().out)["candidates"]


def test_an_interrupted_replay_goes_on_where_it_was(
    simulated: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*files_of(simulated), "--set", "relative=0.7", "--json"]
    monkeypatch.setattr(replay_files, "CHUNK_LINES", 64)
    debug_ope.run(arguments)
    whole = capsys.readouterr().out
    monkeypatch.setattr(replay_files, "SAVE_S", 0.0)
    fed: list[Ready] = []
    feed = Replay.feed

    def interrupted(self: Replay, ready: Ready) -> None:
        if len(fed) == 2:
            raise KeyboardInterrupt
        fed.append(ready)
        feed(self, ready)

    with monkeypatch.context() as patched:
        patched.setattr(Replay, "feed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            debug_ope.run(arguments)
    saved = list((user_paths().state / "replay").glob("*.state"))
    assert len(saved) == 1
    assert stat.S_IMODE(saved[0].stat().st_mode) == 0o600
    counted: list[int] = []

    def counting(self: Replay, ready: Ready) -> None:
        counted.append(ready.found.count)
        feed(self, ready)

    monkeypatch.setattr(Replay, "feed", counting)
    debug_ope.run(arguments)
    assert capsys.readouterr().out == whole
    assert sum(counted) < len((simulated / "decisions.jsonl").read_bytes().splitlines()) - 100
    assert not list((user_paths().state / "replay").glob("*.state"))


def test_a_broken_state_is_removed_and_said(simulated: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_files, "fingerprint", lambda *_: "known")
    directory = user_paths().state / "replay"
    directory.mkdir(parents=True)
    (directory / "known.state").write_bytes(b"\x93junk")
    with pytest.raises(BorgError, match="was removed"):
        debug_ope.run(files_of(simulated))
    assert debug_ope.run(files_of(simulated)) == 0


def test_reading_ahead_in_other_processes_changes_nothing(simulated: Path, home: Path, tmp_path: Path) -> None:
    """Its own process, because it forks."""
    code = "import sys; from borgd.cli.debug import replay_files as f, ope as debug_ope\nf.LONG_BYTES = int(sys.argv[1])\n"
    code += "f.CHUNK_LINES = 50\ndebug_ope.run(sys.argv[2:])"
    found = [
        subprocess.run(
            [sys.executable, "-c", code, size, *files_of(simulated), "--set", "relative=0.7", "--json"],
            capture_output=True, timeout=120, check=True, env={**os.environ, "HOME": str(home)},
        ).stdout
        for size in ("0", "1000000000")
    ]  # fmt: skip
    assert found[0] == found[1]
    assert json.loads(found[0])["coverage"]["used"] > 100


def test_stderr_is_silent_without_a_terminal(simulated: Path, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    debug_ope.run(files_of(simulated))
    assert capfd.readouterr().err == ""


def test_hostile_ids_do_not_reach_the_terminal(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "d.jsonl"
    entry = {"id": "\x1b[31m", "p": 0.9, "base": 1.0, "shown": True}
    record = {
        "id": "a",
        "ms": 10**12,
        "channel": "early",
        "policy": "budget",
        "machine": "\x1b]0;owned\x07",
        "pool": [entry],
    }
    file.write_text(json.dumps(record) + "\n")
    debug_ope.run(["--decisions", str(file)])
    debug_select.run(["--replay", "--decisions", str(file), "--set", "early_cap=0"])
    assert "\x1b" not in capsys.readouterr().out


def test_select_lists_differences_on_the_logged_draws(
    simulated: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert debug_select.run(["--replay", *files_of(simulated), "--set", "early_cap=5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["different"] == 0, "the logged rule chooses what was logged"
    assert debug_select.run(["--replay", *files_of(simulated), "--set", "early_cap=2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["different"] == len(found["differences"]) > 50
    assert all(len(each["won"]) - len(each["dropped"]) == 2 for each in found["differences"] if each["channel"] == "early")
    assert found["added"] == 0
    assert debug_select.run(["--replay", *files_of(simulated), "--set", "belief.ignored=1"]) == 0
    assert "decisions differ" in capsys.readouterr().out


def test_select_refills_as_recall_did(simulated: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What won with the logged draws is what was shown or held out, for every decision."""
    debug_select.run(["--replay", *files_of(simulated), "--set", "early_cap=0", "--json"])
    won = {each["decision"]: set(each["won"]) for each in json.loads(capsys.readouterr().out)["differences"]}
    for line in (simulated / "decisions.jsonl").read_text().splitlines():
        decision = json.loads(line)
        if decision["channel"] == "early":
            logged = {entry["id"] for entry in decision["pool"] if entry["shown"] or entry["held"]}
            assert won[decision["id"]] == logged


def test_report_for_a_week_and_a_month(
    simulated: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = user_paths().data
    data.mkdir(parents=True)
    for name in ("decisions", "outcomes"):
        (data / f"{name}.jsonl").write_bytes((simulated / f"{name}.jsonl").read_bytes())
    out = tmp_path / "page.html"
    assert report.run(["--month", "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    text = out.read_text()
    assert text.startswith("<!doctype html>")
    assert "A month of lessons" in text
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert report.run([]) == 0
    with pytest.raises(BorgError, match="cannot be written"):
        report.run(["--out", str(tmp_path / "no" / "page.html")])
