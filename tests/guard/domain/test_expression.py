"""`guard.domain.expression`: integer arithmetic over names, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.expression import BadExpression, evaluate, names_in

NAMES = {"M": 100, "N": 7}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("M", 100),
        ("12", 12),
        (" M * N + 1 ", 701),
        ("(M + N - 1) // N", 15),
        ("M % N", 2),
        ("M / 4", 25),
        ("-M + +N", -93),
        ("2 ** N", 128),
        ("4 ** (1 / 2)", 2),
        ("-M // N", -15),
        ("cdiv(M, N)", 15),
        ("cdiv(-M, N)", -14),
        ("min(M, N, 50) + max(2, N)", 14),
        ("next_power_of_2(M)", 128),
        ("next_power_of_2(1)", 1),
        ("next_power_of_2(2 ** 61)", 2**61),
        ("M < N", 0),
        ("1 < N <= 7", 1),
        ("(M % 4 == 0) + (N != 7)", 1),
        ("M and N", 1),
        ("not M or N == 7", 1),
        ("M if N > 7 else 3", 3),
        ("1 if M else 1 // 0", 1),
        ("N == 7 or 1 // 0", 1),
        ("N == 8 and missing", 0),
    ],
)
def test_arithmetic_follows_python(expression, value):
    result = evaluate(expression, NAMES)
    assert result == value
    assert type(result) is int


@pytest.mark.parametrize(
    "expression",
    [
        "M / 3",
        "unknown",
        "M.real",
        "f(M)",
        "__import__('os')",
        "[M][0]",
        "True",
        "M in N",
        "M is N",
        "min(M)",
        "min(*M)",
        "min(M, key=N)",
        "cdiv(M, 0)",
        "cdiv(M, N, 2)",
        "next_power_of_2(0)",
        "next_power_of_2(M / 3)",
        "next_power_of_2(2 ** 62 - 1 + 2 ** 61)",
        "max.real",
        "(lambda: 1)()",
        "M if N",
        "1.5 * 2",
        "'a' * 3",
        "M // 0",
        "M % 0",
        "M /",
        "",
        "2 ** 65",
        "2 ** -1",
        "10 ** 20",
        "9" * 30,
        "(2 ** 62 / 1) ** 64",
        "(0 - 8) ** (1 / 3)",
        "1 + " * 100 + "1",
        "(" * 250 + "1" + ")" * 140,
        "M ; N",
        "M\nN",
    ],
)
def test_anything_else_is_refused(expression):
    with pytest.raises(BadExpression):
        evaluate(expression, NAMES)


FRAGMENTS = [
    *"MN()+-*/%,<>",
    "**",
    "==",
    " if ",
    " else ",
    " and ",
    "not ",
    "min(",
    "cdiv(",
    "2",
    "0",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
def test_what_can_be_evaluated_has_passed_the_check_of_its_syntax(text):
    try:
        value = evaluate(text, NAMES)
    except BadExpression:
        return
    assert abs(value) <= 2**62
    # Names that it does not look at, as in `0 and X`, may be anybody's.
    everybody = dict.fromkeys(names_in(text), 1) | NAMES
    assert evaluate(text, everybody) == value


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("M + N", {"M", "N"}),
        ("min(M, 3)", {"M"}),
        ("min + 1", {"min"}),
        ("A if B < 2 else next_power_of_2(C)", {"A", "B", "C"}),
    ],
)
def test_the_names_of_an_expression_are_not_its_functions(expression, names):
    assert names_in(expression) == names


@given(st.text(alphabet="MN0123456789+-*/%() .,'[]=:", max_size=30))
def test_no_text_does_more_than_give_an_integer_or_be_refused(text):
    try:
        value = evaluate(text, NAMES)
    except BadExpression:
        return
    assert type(value) is int
    assert abs(value) <= 2**62
