"""A repository's own file counts as a person allowed it, byte for byte, and never below the least the person set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.cli import dispatch
from borgd.cli.limits.limit_terminal import AGENT_MARKS
from borgd.config.schema import ProfileConfig, load
from borgd.errors import LimitError
from borgd.limits.investigation.budget import BUDGETS
from borgd.limits.investigation.profile import BUILT_IN, refine, tighten
from borgd.paths import user_paths
from borgd.stores.repository_config import AllowedFiles, RepositoryConfigs

TIGHT = "[investigation.subagent]\nmax_subqueries = 0\nmode = 'enforce'\n"


@pytest.fixture
def repository(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in AGENT_MARKS:
        monkeypatch.delenv(name, raising=False)
    made = tmp_path / "cloned"
    (made / ".git").mkdir(parents=True)
    (made / "src").mkdir()
    (made / ".borgd.toml").write_text(TIGHT)
    return made


def counts(repository: Path) -> bool:
    """Asked anew, and of an object that lives on."""
    fresh = RepositoryConfigs(AllowedFiles(user_paths().data))
    return fresh.limits_of(str(repository / "src")) is not None


def test_a_clone_counts_when_allowed_and_no_longer_when_its_content_changes(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not counts(repository)
    assert dispatch(["repo", "show", str(repository / "src")]) == 0
    assert "is ignored" in capsys.readouterr().out
    living = RepositoryConfigs(AllowedFiles(user_paths().data))
    assert living.limits_of(str(repository)) is None
    assert "borg repo allow" in next(iter(living.problems.values()))
    assert dispatch(["repo", "allow", str(repository), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["allowed"] is True
    assert counts(repository)
    assert living.limits_of(str(repository)) is not None, "without a restart"
    assert not living.problems
    (repository / ".borgd.toml").write_text(TIGHT + "max_iterations = 0\n")
    assert not counts(repository)
    (repository / ".borgd.toml").write_text(TIGHT)
    assert counts(repository), "the same bytes again"
    assert dispatch(["repo", "deny", str(repository)]) == 0
    assert not counts(repository)


def test_off_counts_without_being_allowed_and_needs_no_word_about_it(repository: Path) -> None:
    (repository / ".borgd.toml").write_text("off = true\n")
    configs = RepositoryConfigs(AllowedFiles(user_paths().data))
    found = configs.of(str(repository))
    assert found is not None
    assert found.off
    assert configs.limits_of(str(repository)) is None
    assert not configs.problems


def test_an_agent_does_not_allow_and_what_is_not_there_is_said(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitError, match=r"no \.borgd\.toml"):
        dispatch(["repo", "allow", str(repository.parent)])
    monkeypatch.setenv(AGENT_MARKS[0], "1")
    with pytest.raises(LimitError, match="for a person"):
        dispatch(["repo", "allow", str(repository)])
    assert not counts(repository)


AMOUNTS = st.integers(0, 500)


@given(st.dictionaries(st.sampled_from(BUDGETS), AMOUNTS), st.dictionaries(st.sampled_from(BUDGETS), AMOUNTS))
def test_nothing_goes_below_the_least(said: dict[str, int], least: dict[str, int]) -> None:
    before = BUILT_IN["main"]
    after = tighten(before, ProfileConfig(mode="enforce", **said), "file", ProfileConfig(mode="warn", **least))
    assert after.mode == "warn"
    for budget in BUDGETS:
        old, new = before.limits.of(budget), after.limits.of(budget)
        assert old is None or (new is not None and new <= old)
        if budget in least and new != old:
            assert new is not None
            assert new >= least[budget]


def test_a_limit_names_where_it_was_set() -> None:
    config = load(b"[investigation.explicit]\nmax_subqueries = 3\n").investigation
    profile = refine(BUILT_IN["explicit"], config.explicit, "[investigation.explicit] in config.toml")
    assert "config.toml" in profile.source("max_subqueries")
    assert "default" in profile.source("max_iterations")
    assert "x/.borgd.toml" in tighten(profile, ProfileConfig(max_iterations=1), "x/.borgd.toml").source("max_iterations")
