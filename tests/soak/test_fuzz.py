"""Fuzzers: what comes from outside is mangled for a while; it is answered or refused by name, never a crash, never a hang.

``BORGD_FUZZ_S`` seconds each (a minute by default): ``BORGD_FUZZ_S=600 pytest -m soak tests/soak/test_fuzz.py``.
What they find is kept as a small case in the tests of the part that was at fault.
"""

from __future__ import annotations

import inspect
import json
import os
import random
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from borgd.agents import AGENTS, agent
from borgd.agents.event import checked
from borgd.agents.settings_text import with_entries, without_entries
from borgd.agents.transcripts import SESSION_FILES, reader_of
from borgd.config.schema import Config, RepositoryConfig, decode
from borgd.errors import BorgError, InputError
from borgd.journal import Journal
from borgd.lessons.redact import redact
from borgd.lessons.rules_file import candidates
from borgd.lessons.store import LessonStore
from borgd.limits.escalation.evaluate import compile_policy, evaluate
from borgd.limits.escalation.facts import Facts
from borgd.limits.escalation.versions import check
from borgd.limits.shell.judge import judge as judge_command
from borgd.protocol import frames
from borgd.server.request import RequestReader
from borgd.stores.off_switch import OffSwitch
from tests.agents.conversations import CONVERSATIONS, CORRECTION, written

pytestmark = pytest.mark.soak

SECONDS = float(os.environ.get("BORGD_FUZZ_S", "60"))
SEED = int(os.environ.get("BORGD_FUZZ_SEED", str(time.time_ns())))
SLOW_S = 2.0
"""A case that costs more of the processor's time hangs whoever waits for it."""
RECORDED = sorted((Path(__file__).parents[1] / "agents" / "transcripts").glob("*.jsonl"))
PAYLOADS = Path(__file__).parents[1] / "agents" / "payloads"
PIECES = [
    b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b"\\ud800", b"\0", b"\xff", b"\xe2\x80\xa8", b"\r\n", b"\n", b"null",
    b"1e999", b"-", b"9" * 400, b"[" * 300, b'{"a":' * 200, b"\xef\xbb\xbf", b"../../", b"$(x)", b"'", b"`", b"<<EOF\n",
    b"true", b"=", b"#",
]  # fmt: skip


def mangled(chance: random.Random, data: bytes) -> bytes:
    """``data`` with a few bytes changed, doubled, cut out, or something odd put in."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randrange(len(out) + 1)
        end = min(len(out), at + chance.choice((1, 2, 8, 64, 512)))
        match chance.randrange(5):
            case 0:
                out[at:at] = chance.choice(PIECES)
            case 1:
                del out[at:end]
            case 2:
                out[at:at] = out[at:end] * chance.choice((1, 2, 20))
            case 3 if at < len(out):
                out[at] = chance.randrange(256)
            case _:
                out[at:end] = chance.choice(PIECES)
    return bytes(out)


def fuzz(name: str, seeds: list[bytes], attempt: Callable[[bytes], object]) -> None:
    """Mangle ``seeds`` for SECONDS; a case that is not answered or refused fails with what reproduces it."""
    chance = random.Random(f"{SEED} {name}")
    end, count = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        case = mangled(chance, chance.choice(seeds))
        began = time.process_time()
        try:
            attempt(case)
        except BorgError:
            pass
        except Exception as error:
            raise AssertionError(f"{name}, seed {SEED}, case {count}: {case[:2000]!r}") from error
        assert time.process_time() - began < SLOW_S, f"{name}, seed {SEED}: took too long: {case[:2000]!r}"
        count += 1
    print(f"{name}: {count} cases in {SECONDS:g} s, seed {SEED}")
    assert count


def payloads(name: str) -> list[tuple[str, bytes]]:
    return [(path.name.split(".")[0], path.read_bytes()) for path in sorted((PAYLOADS / name).glob("*.json"))]


def test_the_wire() -> None:
    def attempt(case: bytes) -> None:
        reader, size = RequestReader(), len(case) % 97 + 1
        for begin in range(0, len(case), size):
            if reader.take(case[begin : begin + size]) is not None:
                return
        reader.take(b"")

    seeds = [b"borg/1 hook claude-code Stop a.b\n" + body for _, body in payloads("claude-code")]
    fuzz("wire", [*seeds, b'borg/1 call status\n{"text":true}'], attempt)


def test_replies() -> None:
    fuzz("replies", [b"borg/1 0 2 0\n{}", b"borg/1 1 2 4\n{}busy"], frames.unpack)


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_adapters(name: str) -> None:
    module = agent(name)
    found = payloads(name) or payloads("claude-code")
    by_body = {body: event for event, body in found}
    chance = random.Random(SEED)

    def attempt(case: bytes) -> None:
        checked(module.parse(chance.choice(list(by_body.values())), case))

    fuzz(name, list(by_body), attempt)


@pytest.mark.parametrize("name", sorted(SESSION_FILES))
def test_transcripts(name: str) -> None:
    rows = CONVERSATIONS[name](CORRECTION)
    seeds = [written(rows), *(path.read_bytes() for path in RECORDED if path.name.startswith(f"{name}."))]
    if name == "claude-code":
        seeds.append(written([{"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": "b"}]))
    fuzz(f"transcripts of {name}", seeds, lambda case: reader_of(name)().feed(case))


def test_journals(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    seed = b"".join(json.dumps({"id": f"l{number}", "question": "ü" * number}).encode() + b"\n" for number in range(9))

    def attempt(case: bytes) -> None:
        path.write_bytes(case)
        before = Journal(path).read().records
        Journal(path).append([{"id": "new"}])
        after = Journal(path).read().records
        assert after[-1] == {"id": "new"}
        assert after[:-1] == before, "what could be read before can be read after"

    fuzz("journals", [seed], attempt)


def test_settings_of_agents() -> None:
    ours = {"hooks": [{"type": "command", "command": "/x/ours"}]}
    seeds = [b'{\n  // c\n  "a": [1, 2,],\n  "hooks": {"Stop": [{"x": "\\u00e9"}]}\n}\n', b"{}", b'{"hooks":{"Stop":[]}}']

    def is_ours(entry: object) -> bool:
        return entry == ours

    def attempt(case: bytes) -> None:
        text = case.decode("utf-8", "replace")
        for comments in (False, True):
            try:
                put = with_entries(text, {("hooks", "Stop"): [ours]}, is_ours, "x", comments=comments)
            except InputError:
                continue
            assert with_entries(put, {("hooks", "Stop"): [ours]}, is_ours, "x", comments=comments) == put
            without_entries(put, is_ours, "x", comments=comments, like=text)

    fuzz("settings", seeds, attempt)


def test_configuration() -> None:
    seed = b'[recall]\nholdout = 0.1\ngrader = ["a"]\n[interrupts.scopes."a/b"]\nweight = 0.5\n[team]\ndirectory = "/x"\n'
    fuzz("config", [seed], lambda case: decode(case, Config, "config.toml"))
    fuzz(
        "repository",
        [b"off = true\n[investigation.main]\nmax_iterations = 3\n"],
        lambda case: decode(case, RepositoryConfig, "x"),
    )


def test_rules_files_and_secrets() -> None:
    seed = b"# Rules\n\n- Always raise the cap.\n  * never `x`\n\n```\ncode\n```\n<!-- note -->\n1. Ask first\n"
    fuzz("rules", [seed], lambda case: candidates(case.decode("utf-8", "replace"), "CLAUDE.md"))
    fuzz(
        "secrets",
        [b"password=hunter2 ghp_" + b"a" * 36 + b" mysql -pS3 https://u:p@h/"],
        lambda case: redact(case.decode("utf-8", "replace")),
    )


def test_lessons(tmp_path: Path) -> None:
    path = tmp_path / "lessons.jsonl"
    line = {"id": "a", "version": 1, "ms": 1, "question": "Is the cap raised?", "consequence": "It floods."}
    more = {"situations": ["raising a cap"], "scope": ["Tethys"], "signs": ["cap *="], "supersedes": ["b"], "reach": "repo"}
    rows = [line, {**line, "id": "b", **more}, {**line, "id": "c", "version": 2, "retired": True}, {"id": "a", "deleted": 2}]
    seed = b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def attempt(case: bytes) -> None:
        path.write_bytes(case)
        own, peers = LessonStore(), LessonStore()
        own.apply(Journal(path).read().records)
        peers.apply(Journal(path).read().records, peer=True, owner="bob@b")

    fuzz("lessons", [seed], attempt)


def test_policies() -> None:
    shipped = Path(inspect.getfile(compile_policy)).with_name("escalation.metta").read_bytes()
    facts = Facts(spent=7, ceiling=9, soft=Fraction(1, 2), min_local=1, iterations=2, hard=True)
    seed = b"".join(line for line in shipped.splitlines(keepends=True) if not line.startswith(b";"))

    def attempt(case: bytes) -> None:
        evaluate(compile_policy(case), facts)
        check(case, shipped.decode())

    fuzz("policies", [seed], attempt)


def test_command_lines() -> None:
    seeds = [
        b"git status && rm -rf x | tee y > z",
        b"find . -name '*.py' -exec grep -n x {} +",
        b"cat <<'E'\nx\nE\n",
        b"$(ls) `id` ${x:-y}",
    ]
    fuzz("commands", seeds, lambda case: judge_command(case.decode("utf-8", "replace")))


def test_switches(tmp_path: Path) -> None:
    switch = OffSwitch(tmp_path)

    def attempt(case: bytes) -> None:
        switch.path.write_bytes(case)
        OffSwitch(tmp_path).is_off("a", "s", "/", 0)

    fuzz("switches", [b'[{"kind":"all","value":"","until_ms":0}]'], attempt)
