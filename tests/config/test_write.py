"""Changing one setting of config.toml keeps the rest of the file, in whatever way TOML lets a person write it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.config.schema import load
from borgd.config.write import with_setting, write_setting
from borgd.errors import ConfigError
from borgd.paths import user_paths

SPELLINGS = [
    "",
    '[team]\ndirectory = ""\n',
    'team = { directory = "/old" } # ours\n',
    "[ team ]\n# the share\n",
    "[\"team\"]\ndirectory = '/old'\n",
    'team.directory = "/old"\n',
    '[team] # of four\ndirectory = "/old" # by Syncthing\n\n[interrupts]\ndaily_interrupt_budget = 7 # mine\n',
    "[interrupts]\r\ndaily_interrupt_budget = 7\r\n",
    "[interrupts]\ndaily_interrupt_budget = 7",
]
"""Valid files, each with the table written in another way."""


@pytest.mark.parametrize("text", SPELLINGS)
@given(directory=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30))
def test_the_setting_is_there_and_all_else_is_as_it_was(text: str, directory: str) -> None:
    changed = with_setting(text, "team", "directory", directory)
    assert load(changed.encode()).team.directory == directory
    before, after = tomllib.loads(text), tomllib.loads(changed)
    before.pop("team", None)
    after.pop("team")
    assert before == after
    for comment in ("# ours", "# the share", "# of four", "# by Syncthing", "# mine"):
        assert (comment in text) <= (comment in changed)
    gone = with_setting(changed, "team", "directory", None)
    assert load(gone.encode()).team.directory == ""


@pytest.mark.parametrize("text", ["[team", "team = 3\n", 'team = "x"\n', "[interrupts]\nno_such_setting = 1\n"])
def test_a_file_that_cannot_be_kept_valid_stays_as_it_is(text: str, home: Path) -> None:
    path = user_paths().config_file
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_text(text)
    with pytest.raises(ConfigError):
        write_setting(user_paths(), "team", "directory", "/x")
    assert path.read_text() == text
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]


def test_a_link_stays_a_link_and_the_mode_stays(home: Path) -> None:
    path = user_paths().config_file
    path.parent.mkdir(parents=True, mode=0o700)
    real = home / "dotfiles.toml"
    real.write_text("# kept\n")
    real.chmod(0o640)
    path.symlink_to(real)
    write_setting(user_paths(), "team", "directory", "/x")
    assert path.is_symlink()
    assert "# kept" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
