"""Every session in the ``.txt`` files beside this one, run as its reader would run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts.session import Session, confinement, may
from tests.transcripts.transcript import Case, Step, TranscriptError, cases_of, filled, matches, parse

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def prefix() -> list[str]:
    return confinement()


def check(step: Step, session: Session, known: dict[str, str], source: str) -> None:
    """Run one step and compare."""
    if step.name:
        session.write(step.name, filled(step.text, known))
        return
    done = session.run(filled(step.text, known))
    wanted = (step.exit, step.out, step.err)
    if done.code != step.exit or not matches(step.out, done.out, known) or not matches(step.err, done.err, known):
        marked = "".join(f"! {line}\n" for line in done.err.rstrip().split("\n") if done.err.strip())
        hoped = "\n".join([*wanted[1], *(f"! {line}" for line in wanted[2]), f"[exit {wanted[0]}]"])
        pytest.fail(
            f"{source}:{step.line}: $ {step.text}\n--- expected\n{hoped}\n--- was\n{done.out}{marked}[exit {done.code}]",
            pytrace=False,
        )


@pytest.mark.parametrize(
    ("path", "case"),
    [
        pytest.param(path, case, id=f"{path.stem}: {case.title}", marks=[pytest.mark.slow] if "time" in case.needs else [])
        for path, case in cases_of(HERE)
    ],
)
def test_transcript(path: Path, case: Case, prefix: list[str]) -> None:
    session = Session(prefix)
    try:
        if "mount" in case.needs:
            (session.root / "try").mkdir()
            if not may("mount", "-t", "tmpfs", "-o", "size=64k", "none", str(session.root / "try")):
                pytest.skip("this user may not mount a file system")
        known: dict[str, str] = {}
        for step in case.steps:
            check(step, session, known, path.name)
    finally:
        session.close()


def test_what_is_not_expected_is_a_difference() -> None:
    assert matches(["a {n} b"], "a 12 b\n", {})
    assert not matches(["a"], "a\nb\n", {})
    assert not matches([], "a\n", {})
    assert not matches(["a"], "", {})
    assert matches(["a", "...", "b", ""], "a\nx\ny\nb\n", {})
    assert not matches(["{id} said {any}"], "one two\n", {})


def test_what_was_remembered_is_filled_in_and_expected() -> None:
    known: dict[str, str] = {}
    assert matches(["lesson {id:first} at {time}"], "lesson La1 at 2026-11-30 11:28:23", known)
    assert filled("borg lesson show {first} {other}", known) == "borg lesson show La1 {other}"
    assert matches(["again {first}"], "again La1", known)
    assert not matches(["again {first}"], "again Lb2", known)


@pytest.mark.parametrize("text", ["", "== empty\n", "== a\n[file x]\nno end", "== a\n[needs wings]\n$ true\n"])
def test_a_transcript_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(TranscriptError):
        parse(text, "x.txt")
