"""From a correction to a ratified lesson: the agent's own command, then a person with flags or one key each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from borgd.cli import dispatch
from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.lessons.corrections.detect import Correction
from borgd.lessons.episodes import Episode, episode, hint
from borgd.paths import private_dir, session_file_name, user_paths
from borgd.stores.state_lines import escape
from tests.cli.terminal import in_a_terminal

Borg = Callable[..., Any]
BETTER = "Does every outgoing mail go through the delivery queue first?"
KEY = "ghp_" + "a1B2" * 9


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    monkeypatch.chdir(home)
    (home / ".config/borgd").mkdir(parents=True)
    (home / ".config/borgd/config.toml").write_text('[people]\nengineer = "ada"\n')

    def call(*argv: str) -> Any:
        assert dispatch(["lesson", *argv]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in argv else out

    return call


def corrected(text: str = "No, use the queue.", rule: str = "en-no") -> Episode:
    one = episode(
        Correction(text=text, rule=rule, reason="r", strength=0.8),
        ms=1,
        agent="claude-code",
        session="s1",
        repo="acme/shop",
        task="send the mails",
        proposal="I call the API in a loop.",
    )
    private_dir(user_paths().data)
    Journal(user_paths().journal("episodes")).append([one])
    return one


def proposed(borg: Borg, one: Episode, question: str = "Does it go through the queue?", *more: str) -> str:
    made = borg("propose", "--episode", one.id, "--question", question, "--consequence", "Mail is lost.", *more, "--json")
    return str(made["proposal"]["id"])


def test_the_command_of_the_hint_works_as_it_is_told(borg: Borg) -> None:
    one = corrected()
    words = hint(one).split("borg lesson ")[1].split(" [--scope")[0].replace("'…?'", "Q?").replace("'…'", "C.").split()
    assert "a person decides" in borg(*words)


def test_kept_merged_dropped(borg: Borg) -> None:
    one = corrected()
    keep, other = proposed(borg, one), proposed(borg, one, "Does mail go through the queue?", "--reach", "repo")
    drop = proposed(borg, one, "Is it blue?")
    waiting = borg("ratify", "--json")["waiting"]
    assert {entry["proposal"]["id"] for entry in waiting} == {keep, other, drop}
    (kept,) = borg("ratify", "--keep", keep[:4], "--json")["done"]
    near = next(entry["twins"] for entry in borg("ratify", "--json")["waiting"] if entry["proposal"]["id"] == other)
    assert near[0]["id"] == kept["lesson"]
    assert f"like {kept['lesson']}" in borg("ratify")
    lesson = borg("show", kept["lesson"], "--json")
    assert (lesson["source"], lesson["engineers"], lesson["reach"]) == ("correction", ["ada"], "team")
    borg("ratify", "--merge", other, kept["lesson"], "--drop", drop)
    merged = borg("show", kept["lesson"], "--json")
    assert (merged["reach"], merged["repo"], merged["support"]) == ("repo", "acme/shop", 2)
    assert "Nothing is proposed" in borg("ratify")
    assert "the answer was drop" in borg("propose", "--episode", one.id, "--question", "is it BLUE?", "--consequence", "c")
    assert borg("episodes", "--json")["episodes"] == []


def test_proposals_need_a_correction_and_are_few(borg: Borg) -> None:
    with pytest.raises(BorgError, match="borg lesson episodes"):
        borg("propose", "--episode", "Enone", "--question", "q", "--consequence", "c")
    one = corrected()
    for number in range(3):
        proposed(borg, one, f"Number {number}?")
    proposed(borg, one, "Number 2?")
    with pytest.raises(BorgError, match="3 lessons are proposed"):
        proposed(borg, one, "Number 4?")
    with pytest.raises(BorgError, match="no proposal 'Px' waits"):
        borg("ratify", "--keep", "Px")


def test_an_answer_becomes_an_answer_lesson_and_secrets_do_not(borg: Borg) -> None:
    one = corrected(f"always use {KEY}", "answer-rule")
    key = proposed(borg, one, f"Is {KEY} rotated?")
    (kept,) = borg("ratify", "--keep", key, "--json")["done"]
    assert borg("show", kept["lesson"], "--json")["source"] == "answer"
    for file in user_paths().data.glob("*.jsonl"):
        assert "a1B2" not in file.read_text()


def test_an_episode_can_be_dropped(borg: Borg) -> None:
    one = corrected()
    assert one.id in borg("episodes")
    borg("ratify", "--drop", one.id)
    assert "No correction waits" in borg("episodes")


def test_one_key_each_in_a_terminal(borg: Borg, home: Path) -> None:
    one = corrected()
    other = corrected("wrong, we use UTC", "en-wrong-thing")
    proposed(borg, one)
    proposed(borg, one, "Does the mail go through the queue?")
    proposed(borg, one, "Is it blue?")
    seen, code = in_a_terminal(
        ["lesson", "ratify"],
        [
            *[("[q]uit", "x"), ("", "e"), ("question [", "\n"), ("consequence [", "Mail gets lost.\n")],
            *[("comma between)", "Mailer, Shop\n"), ("[q]uit", "m"), ("into lesson [", "\n"), ("[q]uit", "d")],
            *[("[w]rite", "w"), ("question:", "Is it UTC?\n"), ("consequence:", "Off by one.\n")],
        ],
        home,
    )
    assert code == 0, seen
    lessons = {lesson["question"]: lesson for lesson in borg("list", "--json")["lessons"]}
    edited = lessons["Does it go through the queue?"]
    assert (edited["consequence"], edited["scope"], edited["support"]) == ("Mail gets lost.", ["Mailer", "Shop"], 2)
    assert set(lessons) == {"Does it go through the queue?", "Is it UTC?"}
    assert borg("episodes", "--json")["episodes"] == []
    assert other.correction in seen


def test_control_c_and_the_end_of_input_decide_nothing(borg: Borg, home: Path) -> None:
    proposed(borg, corrected())
    _, code = in_a_terminal(["lesson", "ratify"], [("[q]uit", "\x03")], home)
    assert code in (130, -2)
    seen, code = in_a_terminal(["lesson", "ratify"], [("[q]uit", "q")], home)
    assert code == 0, seen
    assert len(borg("ratify", "--json")["waiting"]) == 1


def test_filing_again_in_better_words_replaces_what_was_filed_and_both_names_lead_to_it(borg: Borg) -> None:
    one = corrected()
    first = proposed(borg, one, "Does outgoing mail go through the delivery queue?")
    second = proposed(borg, one, BETTER, "--sign", "smtp", "--handled", "enqueue")
    same = proposed(borg, one, BETTER, "--sign", r"send_mail\(")
    assert second == same != first
    waiting = borg("ratify", "--json")["waiting"]
    assert [(row["proposal"]["id"], row["proposal"]["signs"]) for row in waiting] == [(second, [r"send_mail\("])]
    assert waiting[0]["correction"] == one.correction
    done = borg("ratify", "--keep", first, "--json")["done"]
    assert borg("show", done[0]["lesson"], "--json")["signs"] == [r"send_mail\("]
    assert borg("show", done[0]["lesson"], "--json")["origin"] == one.id


def test_what_was_kept_in_the_session_becomes_an_episode_when_it_is_filed(borg: Borg, home: Path) -> None:
    one = msgspec.structs.replace(corrected(), id="E9", session="s7", turn=4)
    path = user_paths().sessions / session_file_name("claude-code", "s7")
    path.parent.mkdir(parents=True)
    path.write_text(f"#borg-doubtful 4 {escape(msgspec.json.encode(one).decode(), 10**6)}\n")
    told = ("--session", "s7", "--turn", "4", "--question", "Is it in the queue?", "--consequence", "Lost.")
    made = borg("propose", *told, "--sign", "loop(", "--json")
    assert made["proposal"]["episode"] == "E9"
    assert [line for line in made["trial"]["advice"] if "not closed" in line]
    assert made["proposal"]["signs"] == ["loop("]
    assert borg("propose", *told, "--json")["proposal"]["episode"] == "E9"
    episodes = Journal(user_paths().journal("episodes")).read().records
    assert [record["id"] for record in episodes].count("E9") == 1
    with pytest.raises(BorgError, match="turn 5 of session 's7'"):
        dispatch(["lesson", "propose", "--session", "s7", "--turn", "5", "--question", "q", "--consequence", "c"])


def test_a_trial_can_be_repeated_for_a_proposal_and_for_the_lesson_that_it_became(borg: Borg) -> None:
    one = corrected()
    made = borg("propose", "--episode", one.id, "--question", "In the queue?", "--consequence", "Lost.", "--json")
    again = borg("test", made["proposal"]["id"], "--json")
    assert again["trial"] == made["trial"]
    lesson = borg("ratify", "--keep", made["proposal"]["id"], "--json")["done"][0]["lesson"]
    assert borg("test", lesson, "--json")["trial"]["comes_up"] == made["trial"]["comes_up"]
    assert "no --sign" in borg("test", lesson)


def test_a_person_at_a_terminal_is_asked_for_what_is_missing(borg: Borg, home: Path) -> None:
    keys = [("question", "Is it in UTC?\n"), ("goes wrong", "Off by one.\n"), ("situation", "dates\n"), ("situation", "\n")]
    keys += [("point arises", "now\\(\\)\n"), ("point arises", "\n"), ("dealt with", "\n")]
    seen, code = in_a_terminal(["lesson", "add"], keys, home)
    assert code == 0, seen
    (lesson,) = borg("list", "--json")["lessons"]
    assert (lesson["question"], lesson["situations"], lesson["signs"]) == ("Is it in UTC?", ["dates"], [r"now\(\)"])
