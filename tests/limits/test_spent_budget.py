"""A spent, enforced budget over command forms of all families: what changes is never refused, what looks refills nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.limits.shell.tables.tool import Effect
from tests.limits.test_investigation_store import Host
from tests.limits.test_shell_forms import PLAIN

LOOKS = [line for line, effect in PLAIN if effect is Effect.READ]
CHANGES = [line for line, effect in PLAIN if effect is Effect.CHANGE]
UNKNOWN = [line for line, effect in PLAIN if effect is Effect.UNKNOWN]
SPENT = '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 1\nmax_iterations = "none"\n'


@pytest.fixture
def spent(tmp_path: Path) -> Host:
    host = Host(tmp_path / "investigations", SPENT)
    spend(host)
    return host


def spend(host: Host) -> None:
    """A prompt, and reads until one is refused."""
    host.prompt()
    assert [host.call().allow for _ in range(2)] == [True, False]


def run(host: Host, line: str) -> bool:
    """Whether the command may run."""
    return host.call("Bash", command=line).allow


FORMS = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FORMS
@given(
    st.lists(st.sampled_from(LOOKS), max_size=5), st.sampled_from(CHANGES), st.sampled_from([" && ", "; ", " | tee log; "])
)
def test_what_changes_runs_and_ends_the_investigation_whatever_it_looks_at(
    spent: Host, looks: list[str], change: str, between: str
) -> None:
    spend(spent)
    assert run(spent, between.join([*looks, change]))
    assert spent.call().allow, "the change ended it"


@FORMS
@given(st.lists(st.sampled_from(LOOKS), min_size=1, max_size=12))
def test_what_only_looks_is_refused_and_gives_nothing_back(spent: Host, looks: list[str]) -> None:
    spend(spent)
    assert [run(spent, line) for line in looks] == [False] * len(looks)
    assert not spent.call().allow


@FORMS
@given(st.sampled_from(UNKNOWN))
def test_what_cannot_be_told_runs_and_gives_nothing_back(spent: Host, line: str) -> None:
    spend(spent)
    assert run(spent, line)
    assert not spent.call().allow
