"""Every recorded payload of Claude Code, through the real client and the real daemon, against its golden answer.

To write the golden files anew: ``BORGD_WRITE_GOLDEN=1 pytest tests/agents/test_golden_claude_code.py``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.support import client, lesson, running_daemon, write_config, write_lessons

HERE = Path(__file__).parent
PAYLOADS = sorted((HERE / "payloads" / "claude-code").glob("*.json"))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A daemon with one standing lesson of the recorded project, so that an answer is more than silence."""
    home = tmp_path_factory.mktemp("golden") / "home"
    home.mkdir(mode=0o700)
    write_lessons(home, lesson("C1", "Is every bug fix here covered by a test?", scope=["project"], source="constraint"))
    write_config(home, "[people]\nengineer = 'mira'\n")
    with running_daemon(home) as env:
        yield env


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_golden(path: Path, daemon: dict[str, str]) -> None:
    payload = json.loads(path.read_bytes())
    payload["session_id"] = f"golden-{path.stem}"  # each on its own, whatever order they run in
    if "transcript_path" in payload:  # by which a session that changed its id is known
        payload["transcript_path"] = f"/home/dev/.claude/projects/-home-dev-project/golden-{path.stem}.jsonl"
    out = client(daemon, payload["hook_event_name"], json.dumps(payload).encode())
    answer = json.loads(out)
    golden = HERE / "golden" / "claude-code" / path.name
    if os.environ.get("BORGD_WRITE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
    assert answer == json.loads(golden.read_text())


def test_no_payload_lacks_a_golden_answer() -> None:
    assert {path.name for path in PAYLOADS} == {path.name for path in (HERE / "golden" / "claude-code").glob("*.json")}
