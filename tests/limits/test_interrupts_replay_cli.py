"""borg debug interrupts as its user runs it: files in, one JSON document or a table out, bad lines named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.errors import BorgError

CONFIG = """
[interrupts]
daily_interrupt_budget = 4
base = 0.5
cap = 0.95
high_stakes_threshold = 0.9
[interrupts.scopes."a/b"]
weight = 0.5
ceiling = 3
[[interrupts.exclusions]]
source = "noisy"
cause = "too many"
"""


def _files(tmp_path: Path, lines: list[object], config: str = CONFIG) -> list[str]:
    (tmp_path / "config.toml").write_text(config)
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (tmp_path / "asks.jsonl").write_text(text + "\n")
    return ["debug", "interrupts", "--config", str(tmp_path / "config.toml"), "--asks", str(tmp_path / "asks.jsonl")]


def _run(
    tmp_path: Path, lines: list[object], capsys: pytest.CaptureFixture[str], config: str = CONFIG
) -> tuple[int, dict[str, Any], str]:
    code = dispatch([*_files(tmp_path, lines, config), "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def _ask(scope: str = "a/b", confidence: object = 0.5, stakes: object = 0.1, source: str = "s") -> dict[str, object]:
    return {"scope": scope, "source": source, "confidence": confidence, "stakes": stakes}


def test_a_day_of_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asks: list[object] = [
        _ask(confidence=0.5),
        _ask(confidence=0.7),
        _ask(confidence=0.725),
        _ask("a", 0.1, 0.95),
        _ask("a", 1, 1, "noisy"),
        _ask("c", 0.83),
    ]
    code, document, err = _run(tmp_path, asks, capsys)
    assert code == 0
    assert err == ""
    assert [ask["verdict"] for ask in document["asks"]] == ["admit", "defer", "admit", "admit", "excluded", "defer"]
    assert [ask["bar"] for ask in document["asks"]] == [0.5, 0.725, 0.725, 0.725, 0.8375, 0.8375]
    assert all(ask["reason"] for ask in document["asks"])
    assert document["scopes"] == {
        "__global__": {"spent": 3, "ceiling": 4, "bypass": 1},
        "a": {"spent": 3, "ceiling": 4, "bypass": 1},
        "a/b": {"spent": 2, "ceiling": 2, "bypass": 0},
        "c": {"spent": 0, "ceiling": 4, "bypass": 0},
    }
    assert (document["admitted"], document["deferred"], document["excluded"]) == (3, 2, 1)


def test_the_same_line_twice_is_two_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, document, _ = _run(tmp_path, [_ask("x", 0.94)] * 6, capsys)
    assert [ask["verdict"] for ask in document["asks"]] == ["admit"] * 4 + ["defer"] * 2


@pytest.mark.parametrize("field", ["confidence", "stakes"])
@pytest.mark.parametrize(
    "bad", ["NaN", "Infinity", "-0.1", "1.0000000000000000001", "true", '"0.9"', "null", "[]", "1e999999999"]
)
def test_a_number_that_is_none_is_deferred_flagged_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str, bad: str
) -> None:
    other = "stakes" if field == "confidence" else "confidence"
    line = f'{{"scope": "x", "source": "s", "{other}": 1, "{field}": {bad}}}'
    code, document, err = _run(tmp_path, [_ask("x"), line, _ask("x", 0.9)], capsys)
    assert code == 0
    assert [ask["verdict"] for ask in document["asks"]] == ["admit", "defer", "admit"]
    assert document["asks"][1]["flags"] == [field]
    assert f"asks.jsonl:2: {field}: expected a number in [0, 1]" in err


@pytest.mark.parametrize("bad", ["a//b", "/a", "a/", "..", "a\u202eb", 7, None])
def test_a_scope_that_is_none_is_deferred_flagged_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: object
) -> None:
    code, document, err = _run(tmp_path, [{**_ask(), "scope": bad}, _ask("x")], capsys)
    assert code == 0
    assert [(ask["verdict"], ask["flags"]) for ask in document["asks"]] == [("defer", ["scope"]), ("admit", [])]
    assert "asks.jsonl:1: scope: " in err


@pytest.mark.parametrize("bad", ["nope", "[1]", "3", '"x"', '{"scope": ', "null", "[" * 100_000])
def test_a_line_that_is_no_ask_is_named_and_the_rest_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: str
) -> None:
    code, document, err = _run(tmp_path, [_ask("x"), bad, _ask("x", 0.9)], capsys)
    assert code == 1
    assert [ask["line"] for ask in document["asks"]] == [1, 3]
    assert "asks.jsonl:2: expected one JSON object" in err


def test_an_unknown_field_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document, err = _run(tmp_path, [{**_ask("x"), "confidense": 1}], capsys)
    assert (code, len(document["asks"])) == (0, 1)
    assert "asks.jsonl:1: confidense: expected one of" in err


def test_blank_lines_crlf_and_a_bom_are_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = json.dumps(_ask("x"))
    files = _files(tmp_path, [])
    (tmp_path / "asks.jsonl").write_bytes(b"\xef\xbb\xbf" + f"{line}\r\n\r\n{line}".encode())
    assert dispatch([*files, "--json"]) == 0
    assert [ask["line"] for ask in json.loads(capsys.readouterr().out)["asks"]] == [1, 3]


def test_numbers_are_decimals_as_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0.28999999999999999999 reads as 0.29 in floats; a tenth is a tenth in the configuration as well."""
    config = "[interrupts]\ndaily_interrupt_budget = 1\nbase = 0.1\ncap = 0.29\n"
    lines: list[object] = [
        _ask("x", 1),
        '{"scope": "x", "confidence": 0.28999999999999999999, "stakes": 0}',
        _ask("x", 0.29),
    ]
    _, document, _ = _run(tmp_path, lines, capsys, config)
    assert [ask["verdict"] for ask in document["asks"]] == ["admit", "defer", "admit"]
    assert document["asks"][0]["bar_exact"] == "1/10"


def test_without_numbers_they_come_from_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, document, _ = _run(tmp_path, [{"scope": "x", "question": "Drop the orders table?"}, {"scope": "x"}], capsys)
    assert [(ask["stakes"], ask["stakes_from"]) for ask in document["asks"]] == [
        (0.95, "rule loses shared data"),
        (0.5, "default"),
    ]


def test_a_day_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG.replace("= 4", "= 1") + '[interrupts.scopes."z"]\n'
    asks: list[object] = [{**_ask("x", 0.6), "ms": ms} for ms in (1_000_000_000, 1_000_000_001, 1_000_000_000 + 86_400_000)]
    _, document, _ = _run(tmp_path, asks, capsys, config)
    assert [ask["verdict"] for ask in document["asks"]] == ["admit", "defer", "admit"]


def test_no_asks_and_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(_files(tmp_path, [])) == 0
    assert "no asks" in capsys.readouterr().out
    assert dispatch(_files(tmp_path, [_ask("x")])) == 0
    out = capsys.readouterr().out
    assert "admit" in out
    assert "x: 1 of 4, 0 by high stakes" in out


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ("[interrupts]\nbase = 2\n", "interrupts.base"),
        ("[interrupts]\ndaily_interrupt_budget = 2.5\n", "daily_interrupt_budget"),
        ("[interrupts]\ndaily_interrupt_budget = true\n", "daily_interrupt_budget"),
        ("[interrupts]\ndaily_interrupt_budget = nan\n", "daily_interrupt_budget"),
        ("[interrupts]\ndaily_interrupt_budget = -1\n", "daily_interrupt_budget"),
        ('[interrupts]\ntime_zone = "Mars"\n', "interrupts.time_zone"),
        ('[interrupts.scopes."a/b"]\nweight = 0\n', 'interrupts.scopes."a/b".weight'),
        ('[interrupts.scopes."a"]\nceiling = 2.0\n', "ceiling"),
        ("[interrupts]\ndaily = 3\n", "daily"),
        ("[interrupts", "TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_names_file_and_field(tmp_path: Path, config: str, named: str) -> None:
    with pytest.raises(BorgError) as caught:
        dispatch(_files(tmp_path, [_ask()], config))
    assert named in str(caught.value)
    assert "config.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BorgError, match=r"nowhere\.jsonl: cannot be read"):
        dispatch([*_files(tmp_path, [])[:-1], str(tmp_path / "nowhere.jsonl")])
