"""Command forms of many families, half of them made to mislead; general rules; programs inside a line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.limits.shell.awk import read_awk
from borgd.limits.shell.judge import judge
from borgd.limits.shell.sed import read_sed
from borgd.limits.shell.tables import TABLE
from borgd.limits.shell.tables.tool import Effect, look_up

MEANS = {"R": Effect.READ, "C": Effect.CHANGE, "U": Effect.UNKNOWN, "N": Effect.NOTHING}
FORMS = [
    (line.partition("\t")[2].replace("|NL|", "\n"), MEANS[line.partition("\t")[0]])
    for line in (Path(__file__).parent / "shell_forms.tsv").read_text().splitlines()
]
"""Per line: R it looks, C it changes, U cannot be told, N neither; the command (a line break as ``|NL|``)."""


@pytest.mark.parametrize(("line", "effect"), FORMS)
def test_a_form_is_told_and_the_reason_is_given(line: str, effect: Effect) -> None:
    judged = judge(line)
    assert judged.effect is effect, judged.reason
    assert judged.reason


WRAPPERS = ["bash -c {}", "( {} )", "sudo bash -c {}", "timeout 9 sh -c {}", "env bash -c {}"]
PLAIN = [(line, effect) for line, effect in FORMS if "\n" not in line and "alias" not in line and "()" not in line]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(PLAIN),
    st.sampled_from(WRAPPERS),
)
def test_what_runs_a_text_does_what_the_text_does(form: tuple[str, Effect], wrapper: str) -> None:
    line, effect = form
    inner = line if wrapper.startswith("(") else shlex.quote(line)
    assert judge(wrapper.format(inner)).effect is effect


VERBS = sorted((name, verb) for name, row in TABLE.items() for verb in row.change.split() if not verb.endswith("*"))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(VERBS), st.sampled_from(["--check", "--dry-run", "--help", "--diff", "--list"]))
def test_a_general_option_is_none_behind_two_dashes_or_as_a_value(verb: tuple[str, str], option: str) -> None:
    name, word = verb
    row = TABLE[name]
    alone = look_up(name, row, [word, "x"]).effect
    assert look_up(name, row, [word, "x", "--message", option]).effect is alone
    if not row.beyond and not row.verbs.get(word, row).beyond and row.runs is None and name != "cargo":
        assert look_up(name, row, [word, "x", "--", option]).effect is alone
    assert look_up(name, row, [word, "x", f"{option}=false"]).effect is alone


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(TABLE)), st.text("abcdefghijkl", min_size=9, max_size=12))
def test_a_verb_nobody_listed_is_no_look_where_verbs_decide(name: str, verb: str) -> None:
    row = TABLE[name]
    if row.look and row.default is Effect.UNKNOWN and row.runs is None:
        assert look_up(name, row, ["x" + verb]).effect in (Effect.UNKNOWN, Effect.CHANGE)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6), st.sampled_from(sorted(TABLE)))
def test_any_arguments_get_an_answer(arguments: list[str], name: str) -> None:
    assert look_up(name, TABLE[name], arguments).effect in Effect


SED_BEFORE = ["p", "s/a/b/g", "/x/d", "1,5p", "y/ab/cd/", "s|/|,|", "/a\\/b/p", "s/[/]/x/", "$!N", "s/w x/e/"]


@given(st.lists(st.sampled_from(SED_BEFORE), max_size=5), st.sampled_from([";", "\n", " ; "]), st.booleans())
def test_a_write_is_seen_behind_any_other_sed_command(before: list[str], between: str, braces: bool) -> None:
    script = between.join([*before, "w out"])
    assert read_sed("{" + script + "\n}" if braces else script).writes == ["out"]
    assert not read_sed(between.join(before)).writes
    assert not read_sed(between.join(before)).unreadable


AWK_WRITES = ['print > "out"', 'printf "x" >> "out"', 'print $1, $2 >"out"']
AWK_BEFORE = [
    "$1 > 2",
    "/a > b/",
    'x = "> f"',
    "if (a > b) c++",
    "print ($1 > 2)",
    "# > f\n",
    'a["|"]++',
    'printf "%s > %s", a, b',
]


@given(
    st.lists(st.sampled_from(AWK_BEFORE), max_size=5),
    st.sampled_from(['print > "out"', 'printf "x" >> "out"', 'print $1, $2 >"out"']),
)
def test_a_write_is_seen_behind_any_other_awk_statement(before: list[str], write: str) -> None:
    rules = "".join(f"{{ {one} }}\n" if not one.startswith("#") else one for one in before)
    assert not read_awk(rules).writes
    assert read_awk(rules + "{ " + write + " }").writes == ["out"]


@settings(max_examples=300)
@given(st.text("sywe/;{}[]\\w 12,$!\npaic#", max_size=40), st.text('pr int>"|system()/{};\n\\ab$', max_size=40))
def test_any_sed_script_and_awk_program_is_read(sed: str, awk: str) -> None:
    read_sed(sed)
    read_awk(awk)
