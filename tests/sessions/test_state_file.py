"""The session state file: what we write comes back, what others append is seen, ids name only files of ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.paths import session_file_name
from borgd.sessions.state_file import StateFile, escape, parse, unescape

printable = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" \n\\"), max_size=200)


@given(printable)
def test_a_text_survives_as_one_line(text: str) -> None:
    assert "\n" not in escape(text)
    assert unescape(escape(text)) == text


@given(st.text(max_size=300))
def test_no_text_can_become_a_bookkeeping_line(text: str) -> None:
    for kind in ("prompt", "touch", "plan", "said"):
        line = f"{kind}: {escape(text)}"
        assert len(line.splitlines()) == 1
        assert [found for found, _ in parse([line])] == [kind]


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "..", "", ".hidden", "x" * 500, "a\nb", "é", "a..b"])
def test_an_id_names_only_a_file_in_the_directory(session: str) -> None:
    name = session_file_name("claude-code", session, session)
    assert "/" not in name
    assert ".." not in name
    assert len(name) < 255
    assert name.isascii()


def test_different_ids_have_different_files() -> None:
    assert session_file_name("claude-code", "a/b") != session_file_name("claude-code", "a/c")
    assert session_file_name("claude-code", "s") != session_file_name("claude-code", "s", "sub")


def test_what_others_append_is_work_and_what_we_write_is_not(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "s.ctx")
    assert file.append([("prompt", "fix\nit"), ("#borg-topic", "Orion")]) == []
    with file.path.open("a") as other:
        other.write("looking at orion-text/\nhalf a li")
    assert file.foreign() == [("work", "looking at orion-text/")]
    with file.path.open("a") as other:
        other.write("ne\n")
    assert file.foreign() == [("work", "half a line")]
    with file.path.open("a") as other:
        other.write("just before us\n")
    assert file.append([("touch", "a.py")]) == [("work", "just before us")]
    assert file.foreign() == []
    again = StateFile(file.path).load()
    assert ("prompt", "fix\nit") in again
    assert ("#borg-topic", "Orion") in again
    assert ("touch", "a.py") in again


def test_a_file_that_was_cut_or_deleted_is_survived(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "s.ctx")
    file.append([("prompt", "one")])
    file.path.write_text("work of another\n")
    assert file.foreign() == [("work", "work of another")]
    file.path.unlink()
    assert file.foreign() == []
    file.append([("prompt", "two")])
    assert StateFile(file.path).load() == [("prompt", "two")]


def test_a_huge_file_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "s.ctx"
    path.write_text("noise of old\n" * 200_000 + "prompt: the last one\n")
    assert StateFile(path).load()[-1] == ("prompt", "the last one")


def test_the_file_is_ours_alone(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "s.ctx")
    file.append([("prompt", "x")])
    assert file.path.stat().st_mode & 0o777 == 0o600
