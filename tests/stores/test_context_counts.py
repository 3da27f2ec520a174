"""A machine's own word counts: they sharpen recall, survive a restart, and hold no session and no secret."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from borgd.cli import dispatch
from borgd.cli.memory.forget import _counted
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.stores.matching.context_counts import ContextCounts
from tests.server.support import Agent, lesson, running_service, write_lessons

WORK = "raise the retry limit of the uploader in Orion and keep the backoff cap"


def test_what_was_counted_is_there_after_a_restart(tmp_path: Path) -> None:
    counts = ContextCounts(tmp_path / "contexts.json")
    for _ in range(3):
        counts.add(WORK)
    counts.save()
    again = ContextCounts(tmp_path / "contexts.json")
    assert again.prior.plain() == counts.prior.plain()
    assert again.prior.contexts == ContextPrior.shipped().contexts + 3
    assert again.prior.share("backoff") > ContextPrior.shipped().share("backoff")
    assert (tmp_path / "contexts.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"contexts": -5, "counts": {"a": "x"}}', b"\xff" * 100])
def test_a_damaged_file_is_as_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "contexts.json").write_bytes(data)
    assert ContextCounts(tmp_path / "contexts.json").prior.contexts == ContextPrior.shipped().contexts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_counted(tmp_path: Path, text: str) -> None:
    counts = ContextCounts(tmp_path / "contexts.json")
    counts.add(text)
    counts.save()


def test_no_secret_and_no_odd_word_is_kept(tmp_path: Path) -> None:
    counts = ContextCounts(tmp_path / "contexts.json")
    counts.add(f"{WORK} ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 password=hunter2Correct9Horse x9k2 {'q' * 60}")
    counts.save()
    written = (tmp_path / "contexts.json").read_text()
    assert "backoff" in written
    for secret in ("ghp", "hunter", "x9k2", "q" * 30):
        assert secret not in written


@pytest.mark.anyio
async def test_each_session_counts_once_when_it_ends(home: Path) -> None:
    write_lessons(home, lesson("L1", "Is it?"))
    async with running_service() as service:
        assert service.assembly is not None
        before = service.assembly.knowledge.prior.contexts
        agent = Agent(service)
        await agent.prompt(WORK)
        await agent.send("SessionEnd", reason="other")
        await agent.send("SessionEnd", reason="other")
        await Agent(service, session="s2").send("SessionEnd", reason="other")
        assert service.assembly.knowledge.prior.contexts == before + 1
    assert (home / ".local/state/borgd/contexts.json").exists()


def test_a_word_of_one_session_is_kept_only_as_a_hash_until_another_says_it(tmp_path: Path) -> None:
    path = tmp_path / "contexts.json"
    counts = ContextCounts(path)
    counts.add("project Zwiebelfisch moves the importer to Quarknado")
    counts.save()
    assert "zwiebelfisch" not in path.read_text()
    again = ContextCounts(path)
    again.add("Zwiebelfisch needs a test")
    again.save()
    written = path.read_text()
    assert "zwiebelfisch" in written
    assert "quarknado" not in written
    shipped = ContextPrior.shipped()
    assert again.prior.contexts == shipped.contexts + 2
    assert again.prior.counts["zwiebelfisch"] == 2
    again.add("Zwiebelfisch once more")
    assert again.prior.counts["zwiebelfisch"] == 3


WORDS = ["uploader", "backoff", "zwiebelfisch", "quarknado", "test", "moewenpick"]
said = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def held(counts: ContextCounts) -> dict[str, object]:
    """What the file of ``counts`` says, words known by one session in no order."""
    counts.save()
    found: dict[str, object] = msgspec.json.decode(counts.path.read_bytes())
    once = found["once"]
    assert isinstance(once, list)
    return {**found, "once": set(once)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(said, st.booleans()), min_size=1, max_size=8), st.booleans())
@example([("quarknado", True)], True)
@example([("quarknado", True), ("quarknado", False)], False)
@example([("test", True), ("test", True), ("uploader", False)], False)
def test_a_forgotten_session_is_as_if_it_had_never_been(
    tmp_path: Path, sessions: list[tuple[str, bool]], restarted: bool
) -> None:
    for name in ("all.json", "kept.json"):
        (tmp_path / name).write_text('{"contexts": 0, "stems": 0, "counts": {}, "salt": "5a", "once": []}')
    every, kept = ContextCounts(tmp_path / "all.json"), ContextCounts(tmp_path / "kept.json")
    added = [(every.add(text), forgotten) for text, forgotten in sessions]
    for text, forgotten in sessions:
        if not forgotten:
            kept.add(text)
    if restarted:
        every.save()
        every = ContextCounts(tmp_path / "all.json")
    for words, forgotten in added:
        if forgotten:
            every.take_back(words)
    if any(forgotten for _, forgotten in sessions) and any(not forgotten for _, forgotten in sessions):
        assert held(every) == held(kept)
    assert every.prior.contexts == kept.prior.contexts
    assert every.prior.counts == pytest.approx(kept.prior.counts)


@pytest.mark.anyio
@pytest.mark.parametrize("running", [True, False])
async def test_forgetting_a_session_takes_its_words_out_of_the_counts(home: Path, running: bool) -> None:
    write_lessons(home, lesson("L1", "Is it?"))
    path = home / ".local/state/borgd/contexts.json"
    async with running_service() as service:
        assert service.assembly is not None
        for name in ("s1", "s2"):
            agent = Agent(service, session=name)
            await agent.prompt("the Zwiebelfisch needs a test of its backoff")
            await agent.send("SessionEnd", reason="other")
        service.assembly.knowledge.counts.save()
        assert "zwiebelfisch" in path.read_text()
        if running:
            counted = _counted(home / ".local/state/borgd/sessions/claude-code-s1.ctx")
            assert "zwiebelfisch" in counted
            asked = {"sessions": ["s1"], "counted": [counted]}
            await service.call("forget", msgspec.json.encode(asked))
            assert "zwiebelfisch" not in path.read_text()
    if not running:
        assert dispatch(["forget", "--session", "s1"]) == 0
    assert "zwiebelfisch" not in path.read_text()
    assert ContextCounts(path).prior.contexts == ContextPrior.shipped().contexts + 1


@pytest.mark.anyio
async def test_a_session_is_counted_once_over_a_restart_too(home: Path) -> None:
    write_lessons(home, lesson("L1", "Is it?"))
    for _ in range(2):
        async with running_service() as service:
            agent = Agent(service)
            await agent.prompt(WORK)
            await agent.send("SessionEnd", reason="other")
    assert ContextCounts(home / ".local/state/borgd/contexts.json").prior.contexts == ContextPrior.shipped().contexts + 1
