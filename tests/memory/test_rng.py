"""The generator gives the published numbers, the same for one counter as for many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from borgd.memory import rng

SPLITMIX_OF_ZERO = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
"""The first outputs of Vigna's splitmix64.c with state 0."""


def test_published_vectors() -> None:
    expected = [((bits >> 11) + 0.5) * 2.0**-53 for bits in SPLITMIX_OF_ZERO]
    assert rng.uniforms([rng.GOLDEN], 4)[:, 0].tolist() == expected


def test_vectors_of_our_own_keys() -> None:
    assert rng.key("draw", "session", "L001") == 0xBC10E7D813EED86F
    assert rng.uniform("draw", "session", "L001").hex() == "0x1.7aa7f1dd3148cp-4"


def test_parts_are_told_apart() -> None:
    assert len({rng.key("ab", "c"), rng.key("a", "bc"), rng.key("abc"), rng.key("abc", "")}) == 4


@given(st.lists(st.text(), min_size=1, max_size=3), st.integers(1, 20))
def test_one_and_many_agree(seed: list[str], count: int) -> None:
    many = rng.uniforms([rng.key(*seed), rng.key("other")], count)
    assert many.shape == (count, 2)
    assert many[0, 0] == rng.uniform(*seed)
    assert ((many > 0) & (many < 1)).all()


def test_uniforms_are_uniform() -> None:
    numbers = rng.uniforms([rng.key("s", str(i)) for i in range(500)], 200)
    counts, _ = np.histogram(numbers, bins=100, range=(0, 1))
    assert ((counts - 1000) ** 2 / 1000).sum() < 148  # chi-squared, 99 degrees, 0.1 %
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.01
