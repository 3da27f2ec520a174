"""The policy language: what compiles, what it means, what is refused and where."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import pytest

from borgd.limits.escalation.evaluate import MAX_STEPS, EscalationVerdict, compile_policy, digest, evaluate
from borgd.limits.escalation.facts import MAX_DIGITS, Facts, exact, facts_from
from borgd.limits.escalation.syntax import MAX_DEPTH, MAX_NODES, MAX_POLICY_BYTES, MAX_TEXT_CHARS, PolicyError

SHIPPED = files("borgd.limits.escalation").joinpath("escalation.metta").read_bytes()
HEAD = "(escalate $spent $ceiling $soft $min_local $iterations $hard)"
DENY = '(deny "no")'


def facts(**changes: object) -> Facts:
    base = {"spent": 0, "ceiling": 100, "soft": 50, "min_local": 2, "iterations": 2, "hard": False}
    return facts_from({**base, **changes})


def rule(body: str, head: str = HEAD) -> bytes:
    return f"(= {head} {body})".encode()


def say(body: str, **changes: object) -> EscalationVerdict:
    return evaluate(compile_policy(rule(body)), facts(**changes))


def holds(condition: str, **changes: object) -> bool:
    return say(f'(if {condition} (allow "yes") {DENY})', **changes).allow


def refusal(data: bytes | str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        compile_policy(data if isinstance(data, bytes) else data.encode())
    return caught.value


@pytest.mark.parametrize(
    ("changes", "word", "reason"),
    [
        ({"iterations": 1}, "deny", "locally"),
        ({"iterations": 0, "spent": 100, "hard": True}, "deny", "locally"),
        ({"spent": 100, "hard": True}, "deny", "ceiling"),
        ({"spent": 101}, "deny", "ceiling"),
        ({"ceiling": 0, "soft": 0, "min_local": 0, "iterations": 0}, "deny", "ceiling"),
        ({"spent": 49}, "allow", "soft"),
        ({"spent": 49, "soft": "99/2"}, "allow", "soft"),
        ({"spent": 50, "soft": "50.5"}, "allow", "soft"),
        ({"spent": 50, "hard": True}, "allow", "hard"),
        ({"spent": 99, "hard": True}, "allow", "hard"),
        ({"spent": 50}, "deny", "hard"),
        ({"spent": 150, "soft": 200}, "deny", "ceiling"),
    ],
)
def test_the_shipped_rules_in_their_order(changes: dict[str, object], word: str, reason: str) -> None:
    verdict = evaluate(compile_policy(SHIPPED), facts(**changes))
    assert (verdict.word, reason in verdict.reason) == (word, True), verdict
    assert verdict.policy == digest(SHIPPED)
    assert 0 < verdict.steps <= MAX_STEPS


def test_operators() -> None:
    assert holds("(< 1 2)")
    assert not holds("(< 2 2)")
    assert holds("(<= 2 2)")
    assert holds("(> 3 2)")
    assert not holds("(> 2 2)")
    assert holds("(>= 2 2)")
    assert holds("(== (+ 1 2) (- 5 2))")
    assert holds("(== (* -3 0.5) -1.5)")
    assert not holds("(== 1 2)")
    assert holds("(== True (not False))")
    assert holds("(and True (or False $hard))", hard=True)
    assert not holds("(and $hard True)")
    assert holds("(== (if $hard 1 2) 2)")
    assert holds("(if $hard False True)")


def test_arithmetic_is_exact() -> None:
    assert holds("(== (+ 0.1 0.2) 0.3)")
    assert holds("(== (* $ceiling 0.29) 29)")
    assert holds("(== $soft 29)", soft="29")
    assert holds("(< $spent $soft)", spent=10**17, soft=str(10**17 + 1))
    assert not holds("(< $spent $soft)", spent=10**17, soft=str(10**17))


def test_parameters_are_bound_by_place_and_may_have_names_of_their_own() -> None:
    head = "(may-call $a $b $c $d $e $f)"
    policy = compile_policy(rule(f'(if (< $a $b) (allow "under") {DENY})', head))
    assert evaluate(policy, facts(spent=1)).allow
    swapped = "(escalate $ceiling $spent $soft $min_local $iterations $hard)"
    assert "in the place of $spent" in str(refusal(rule(DENY, swapped)))


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 0, 0, "no rule"),
        ("; only a comment\n", 0, 0, "no rule"),
        ("(", 1, 1, "never closed"),
        ("\n  )", 2, 3, "without an opening"),
        (f"(= {HEAD} {DENY})\n(= {HEAD} {DENY})", 2, 1, "exactly one rule"),
        (f"!(import! &self x)\n(= {HEAD} {DENY})", 1, 2, "exactly one rule"),
        ("!(escalate 1 2 3 4 5 True)", 1, 2, "exactly one rule"),
        ('(deny "x")', 1, 1, "expected one rule"),
        (f"(= {HEAD})", 1, 1, "expected one rule"),
        ("(= (escalate $spent) x)", 1, 4, "expected (escalate"),
        (f"(= {HEAD.replace('$hard', '$spent')} {DENY})", 1, 59, "six different"),
        ('(= (if $a $b $c $d $e $f) (deny "x"))', 1, 5, "expected (escalate"),
        (f"(= {HEAD} 1)", 1, 66, "must end in"),
        (f"(= {HEAD} $hard)", 1, 66, "not in a truth"),
        (f'(= {HEAD} "deny")', 1, 66, "only stand in a verdict"),
        (f"(= {HEAD} (deny))", 1, 66, "a reason"),
        (f'(= {HEAD} (deny ""))', 1, 66, "a reason"),
        (f'(= {HEAD} (deny "a" "b"))', 1, 66, "a reason"),
        (f"(= {HEAD} (deny no))", 1, 66, "a reason"),
        (f'(= {HEAD} (maybe "x"))', 1, 67, "not in the policy language"),
        (f"(= {HEAD} (escalate 1 2 3 4 5 True))", 1, 67, "not in the policy language"),
        (f"(= {HEAD} ((py-atom os.getpid)))", 1, 66, "expected an operator"),
        (f"(= {HEAD} (if (< $spent 1) {DENY}))", 1, 66, "takes 3 arguments"),
        (f"(= {HEAD} (if $spent {DENY} {DENY}))", 1, 70, "must be a truth"),
        (f"(= {HEAD} (if $hard {DENY} 1))", 1, 66, "of one kind"),
        (f"(= {HEAD} (if (< $hard 1) {DENY} {DENY}))", 1, 73, "expected a number"),
        (f"(= {HEAD} (if (== $hard 1) {DENY} {DENY}))", 1, 70, "compares two"),
        (f"(= {HEAD} (if (== $hard true) {DENY} {DENY}))", 1, 80, "not 'true'"),
        (f"(= {HEAD} (if (< $tokens 1) {DENY} {DENY}))", 1, 73, "not one of the rule's parameters"),
        (f"(= {HEAD} (if (< 1 {'9' * 19}) {DENY} {DENY}))", 1, 75, "18 digits"),
        (f"(= {HEAD} (if (and $hard) {DENY} {DENY}))", 1, 70, "takes 2 arguments"),
        (f"(= {HEAD} (if (not $hard $hard) {DENY} {DENY}))", 1, 70, "takes 1 argument,"),
        (f"(= {HEAD} (if (< 1 1e3) {DENY} {DENY}))", 1, 75, "not '1e3'"),
        (f"(= {HEAD} (if (< 1 ²) {DENY} {DENY}))", 1, 75, "not '²'"),
        (f'(= {HEAD} (deny "a\nb"))', 1, 72, "does not end on its line"),
        (f'(= {HEAD} (deny "a\\n"))', 1, 72, "can be escaped"),
        (f'(= {HEAD} (deny "a\u202eb"))', 1, 72, "invisible"),
        (f'(= {HEAD} (deny "a\x00b"))', 1, 72, "control"),
        (f'(= {HEAD} (deny "{"x" * (MAX_TEXT_CHARS + 1)}"))', 1, 72, "at most 200"),
    ],
)
def test_a_broken_file_is_refused_where_it_is_broken(text: str, line: int, column: int, says: str) -> None:
    error = refusal(text)
    assert (error.line, error.column) == (line, column), error
    assert says in str(error)


def test_bounds_of_size_depth_and_words() -> None:
    assert "bytes" in str(refusal(b";" * (MAX_POLICY_BYTES + 1)))
    assert compile_policy(SHIPPED + b";" * (MAX_POLICY_BYTES - len(SHIPPED)))
    assert "deeper" in str(refusal("(" * (MAX_DEPTH + 1)))
    assert "deeper" in str(refusal("(" * MAX_POLICY_BYTES))
    assert "words" in str(refusal("x " * (MAX_NODES + 1)))
    assert "UTF-8" in str(refusal(b"(= \xff"))
    assert compile_policy(b"\xef\xbb\xbf" + SHIPPED.replace(b"\n", b"\r\n"))
    deep = DENY
    for _ in range(MAX_DEPTH - 3):
        deep = f"(if $hard {DENY} {deep})"
    assert not say(deep).allow


def test_the_largest_policy_takes_no_more_steps_than_it_may() -> None:
    sum_of_ones = "1"
    count = 0
    while count < 54:
        sum_of_ones, count = f"(+ 1 {sum_of_ones})", count + 1
    verdict = say(f"(if (and (< 0 {sum_of_ones}) (< 0 {sum_of_ones})) {DENY} {DENY})")
    assert verdict.steps <= MAX_STEPS
    with pytest.raises(PolicyError, match="more steps"):
        evaluate(compile_policy(SHIPPED), facts(), max_steps=3)


def test_products_of_the_largest_numbers_stay_small_enough() -> None:
    product = "9" * MAX_DIGITS
    for _ in range(55):
        product = f"(* {product} {'9' * MAX_DIGITS})"
    assert holds(f"(< 1 {product})")


@pytest.mark.parametrize(
    ("value", "result"),
    [(0, 0), (-5, -5), (0.29, Fraction(29, 100)), ("0.58", Fraction(29, 50)), ("1/3", Fraction(1, 3)), (3.0, 3)],
)
def test_numbers_are_read_exactly(value: object, result: Fraction | int) -> None:
    assert exact(value, "soft") == result


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        [],
        float("nan"),
        float("inf"),
        10**18,
        5**500,
        pytest.param(10**6000, id="huge"),
        "1e999999999",
        "0x10",
        "",
        "1/0",
        "½",
        "1_0",
        1e-300,
    ],
)
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(PolicyError, match="soft: expected a number"):
        exact(value, "soft")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hard": 1}, "hard: expected true or false"),
        ({"hard": "True"}, "hard: expected true or false"),
        ({"spent": 1.5}, "spent: expected a whole number"),
        ({"iterations": True}, "iterations: expected a number"),
        ({"token": 1}, "token: no such fact"),
    ],
)
def test_facts_of_the_wrong_kind_are_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        facts(**changes)


def test_a_missing_fact_is_named() -> None:
    with pytest.raises(PolicyError, match="ceiling: missing"):
        facts_from({"spent": 1, "soft": 1, "min_local": 1, "iterations": 1, "hard": True})


def test_facts_are_written_as_json_values() -> None:
    assert facts(soft="99/2").plain() == {
        "spent": 0, "ceiling": 100, "soft": "99/2", "min_local": 2, "iterations": 2, "hard": False,
    }  # fmt: skip
    assert facts_from(facts(soft="99/2").plain()) == facts(soft="99/2")
