"""`guard.domain.expression`: integer arithmetic over names, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.expression import BadExpression, evaluate

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
        "M if N else 1",
        "[M][0]",
        "M < N",
        "True",
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


@given(st.text(alphabet="MN0123456789+-*/%() .,'[]=:", max_size=30))
def test_no_text_does_more_than_give_an_integer_or_be_refused(text):
    try:
        value = evaluate(text, NAMES)
    except BadExpression:
        return
    assert type(value) is int
    assert abs(value) <= 2**62
