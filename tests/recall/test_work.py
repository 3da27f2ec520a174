"""Each observation of a context is a finite number, whatever the context holds and whatever was counted before."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from borgd.recall.context import Context
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.recall.work import Work

WORDS = ["limit", "pump", "uploader", "retry", "cap"]
counts = st.sampled_from([0.0, 1e-300, 0.5, 7.0, 1e6, 1e300])


@given(
    st.lists(st.sampled_from(WORDS), max_size=4),
    st.frozensets(st.sampled_from(WORDS), max_size=3),
    counts,
    counts,
    st.dictionaries(st.sampled_from(WORDS), counts),
)
@example([], frozenset({"limit"}), 7.0, 7.0, {})  # a subagent's first tool call: code, and not a word
@example(["limit"], frozenset(), 1e300, 7.0, {})
def test_every_observation_is_finite(
    words: list[str], code: frozenset[str], contexts: float, stems: float, counted: dict[str, float]
) -> None:
    prior = ContextPrior.from_plain({"contexts": contexts, "stems": stems, "counts": counted})
    work = Work(Context(text=" ".join(words), moment="early", code=code), prior, lambda _: 1, 3, ["Orion"])
    for one in WORDS:
        assert all(map(math.isfinite, work.worth(one)))
        assert math.isfinite(work.rare(one))
    assert all(map(math.isfinite, work.surprise(WORDS)))
    assert 0 <= work.coverage([WORDS]) <= 1 + 1e-9
    assert all(map(math.isfinite, work.weights(code).values()))
