"""Completions and the manual page are made from what the commands take, and are loaded by the programs they are for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from borgd.cli import COMMANDS, dispatch
from borgd.cli.lesson.subcommands import SUBCOMMANDS
from borgd.cli.service.completion import manual_page, parser_of, run, text_of, whole_parser


@pytest.fixture(scope="module")
def page() -> str:
    return manual_page(whole_parser())


def test_the_manual_page_has_every_command_and_its_options(page: str) -> None:
    for words in COMMANDS:
        if words != ("lesson",):
            assert f".SS borg {' '.join(words)}" in page
    for name in SUBCOMMANDS:
        assert f".SS borg lesson {name}" in page
    assert ".B \\-\\-apply" in page
    assert ".B \\-\\-stay" in page, "of a command that reads its arguments by hand too"


@pytest.mark.parametrize(("shell", "check"), [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["-n"])])
def test_completions_are_read_by_their_shell(
    shell: str, check: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([shell]) == 0
    text = capsys.readouterr().out
    for word in ("doctor", "uninstall", "ratify", "--purge"):
        assert word in text
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    file = tmp_path / "completion"
    file.write_text(text)
    assert subprocess.run([program, *check, file], check=False, capture_output=True).returncode == 0


def test_bash_completes_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["bash"])
    file = tmp_path / "completion"
    file.write_text(capsys.readouterr().out)
    script = f"source {file}; COMP_WORDS=(borg doc); COMP_CWORD=1; _shtab_borg; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["doctor"]


@pytest.mark.parametrize(("typed", "meant"), [("borg doc", ["doctor"]), ("borg lesson ra", ["ratify"])])
def test_fish_completes_a_command(typed: str, meant: list[str], tmp_path: Path) -> None:
    program = shutil.which("fish")
    if program is None:
        pytest.skip("no fish here")
    file = tmp_path / "borg.fish"
    file.write_text(text_of("fish"))
    script = f"complete -e borg; source {file}; complete -C '{typed}'"
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([program, "-c", script], check=True, capture_output=True, text=True, env=env)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == meant


def test_zsh_takes_the_file_for_the_command(tmp_path: Path) -> None:
    """By zsh's own completion system: found on its path, bound to ``borg``, and all of its functions defined."""
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("no zsh here")
    (tmp_path / "_borg").write_text(text_of("zsh"))
    script = f"""
fpath=({tmp_path} $fpath)
autoload -Uz compinit && compinit -D -u
print -r -- "bound: $_comps[borg]"
_arguments() {{ : }}
autoload +X _borg && _borg >/dev/null 2>&1
print -r -- "known: ${{(k)functions[(I)_shtab_borg_*]}}"
"""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    done = subprocess.run([program, "-f", "-c", script], check=True, capture_output=True, text=True, env=env, timeout=60)
    bound, known = done.stdout.splitlines()
    assert bound == "bound: _borg"
    assert {"_shtab_borg_lesson_commands", "_shtab_borg_commands"} <= set(known.split())


def test_man_reads_the_page_without_a_complaint(page: str, tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    file = tmp_path / "borg.1"
    file.write_text(page)
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-K", "utf8", file], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    assert "--sort" in page.replace("\\-", "-")
    assert '.BI "\\-\\-for " "TIME"' in page


def test_asking_for_a_parser_runs_nothing(home: Path) -> None:
    for words, (module, _) in COMMANDS.items():
        if words not in (("lesson",), ("completion",)):
            parser_of(f"borgd.cli.{module}", [words[0]] if module in ("service.install", "service.off") else [])
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("docter", "doctor"),
        ("instal", "install"),
        ("stauts", "status"),
        ("assimlate", "assimilate"),
        ("completions", "completion"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_what_was_meant(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch([typed]) == 2
    assert f"did you mean borg {meant}?" in capsys.readouterr().err


def test_nothing_near_is_nothing_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["xyzzy"]) == 2
    assert "did you mean" not in capsys.readouterr().err
