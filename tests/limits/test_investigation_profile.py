"""Which limits hold where, and that a repository's own file can only tighten them."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.config.schema import (
    InvestigationConfig,
    ProfileConfig,
    RepositoryConfig,
    RepositoryInvestigationConfig,
    decode,
    load,
)
from borgd.limits.investigation.budget import BUDGETS, Limits
from borgd.limits.investigation.profile import MAIN, SUBAGENT, Profile, kind_of, profile_for, refine, tighten


def config(text: str = "") -> InvestigationConfig:
    return load(text.encode()).investigation


def own(text: str) -> RepositoryInvestigationConfig:
    return decode(text.encode(), RepositoryConfig, ".borgd.toml").investigation


def test_the_defaults_of_the_three_kinds() -> None:
    assert profile_for(config(), "explicit") == Profile(mode="enforce", limits=Limits())
    for found, profile in ((profile_for(config(), "main"), MAIN), (profile_for(config(), "subagent"), SUBAGENT)):
        assert found == profile
        assert profile.mode == "warn"
        for budget in BUDGETS:
            wide, narrow = profile.limits.of(budget), Limits().of(budget)
            assert wide is None or (narrow is not None and wide > narrow)


def test_read_only_subagents_have_a_profile_of_their_own() -> None:
    assert kind_of(config(), "a1", "Explore") == "subagent"
    assert kind_of(config(), "a1", "general-purpose") == "main"
    assert kind_of(config(), "", "Explore") == "main"
    assert kind_of(config('[investigation]\nread_only = ["reader"]'), "a1", "reader") == "subagent"


def test_the_more_particular_word_counts_and_the_rest_is_kept() -> None:
    said = config(
        """
        [investigation.subagent]
        mode = "enforce"
        max_iterations = 4
        max_retrieval_calls = 20
        max_wall_time_seconds = "none"
        [investigation.repositories."ada/engine"]
        max_retrieval_calls = 15
        mode = "warn"
        [investigation.agents.claude-code]
        max_iterations = 9
        [investigation.agents.Explore]
        max_retrieval_calls = 3
        """
    )
    plain = profile_for(said, "subagent")
    assert (plain.limits.max_retrieval_calls, plain.limits.max_wall_time_seconds, plain.limits.max_iterations) == (
        20,
        None,
        4,
    )
    there = profile_for(said, "subagent", repository="ada/engine", agent="claude-code", subagent_type="Plan")
    assert (there.mode, there.limits.max_retrieval_calls, there.limits.max_iterations) == ("warn", 15, 9)
    explore = profile_for(said, "subagent", repository="ada/engine", agent="claude-code", subagent_type="Explore")
    assert (explore.mode, explore.limits.max_retrieval_calls) == ("warn", 3)


def test_a_repository_tightens_and_cannot_loosen() -> None:
    stricter = own(
        '[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 5\n[investigation.agents.Explore]\nmax_iterations = 1'
    )
    tight = profile_for(config(), "main", own=stricter)
    assert (tight.mode, tight.limits.max_retrieval_calls, tight.limits.max_iterations) == (
        "enforce",
        5,
        MAIN.limits.max_iterations,
    )
    assert profile_for(config(), "subagent", subagent_type="Explore", own=stricter).limits.max_iterations == 1
    looser = own('[investigation.subagent]\nmode = "off"\nmax_retrieval_calls = 5000\nmax_iterations = "none"')
    assert profile_for(config(), "subagent", own=looser) == profile_for(config(), "subagent")


amount = st.none() | st.integers(0, 9)
modes = st.sampled_from(["enforce", "warn", "off"])
profiles = st.builds(Profile, mode=modes, limits=st.builds(Limits, **dict.fromkeys(BUDGETS, amount)))
said_values = st.integers(0, 9) | st.just("none")
said_profiles = st.fixed_dictionaries({}, optional={**dict.fromkeys(BUDGETS, said_values), "mode": modes}).map(
    lambda said: msgspec.convert(said, ProfileConfig)
)
STRICTNESS = {"off": 0, "warn": 1, "enforce": 2}


@settings(max_examples=500)
@given(profiles, said_profiles)
def test_nothing_a_repository_says_allows_more(profile: Profile, said: ProfileConfig) -> None:
    tight = tighten(profile, said)
    assert STRICTNESS[tight.mode] >= STRICTNESS[profile.mode]
    for budget in BUDGETS:
        before, after = profile.limits.of(budget), tight.limits.of(budget)
        assert before is None or (after is not None and after <= before)
    assert tighten(tight, said) == tight
    unsaid = all(getattr(said, budget) is msgspec.UNSET for budget in (*BUDGETS, "mode"))
    assert not unsaid or tight == profile == refine(profile, said)


def test_a_profile_has_a_hash_of_what_it_says() -> None:
    assert Profile().hash == Profile().hash != MAIN.hash
