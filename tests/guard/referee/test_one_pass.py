"""`guard.referee.one_pass`: the same numbers where nothing is lost, and what is recognised."""

import pytest
import torch

from guard.referee.one_pass import OnePass, averages

X = torch.randn(6, 8, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
F = torch.nn.functional
GAIN = torch.linspace(0.5, 1.5, 8, dtype=torch.float64)


def written_out(x):
    centred = x - x.mean(dim=(1, 2), keepdim=True)
    return (centred**2).sum((1, 2)) / 40


CALLS = [
    pytest.param(X.var, id="variance of all"),
    pytest.param(lambda: X.var(False), id="biased, of all"),
    pytest.param(lambda: X.var(1), id="variance"),
    pytest.param(lambda: torch.var(X, dim=(0, 2), correction=0, keepdim=True), id="correction"),
    pytest.param(lambda: torch.std(X, 1, False), id="biased deviation"),
    pytest.param(lambda: torch.std_mean(X, dim=2, keepdim=True)[0], id="deviation and mean"),
    pytest.param(lambda: torch.var_mean(X, dim=(0, 1))[1], id="the mean beside a variance"),
    pytest.param(lambda: F.layer_norm(X, (8, 5)), id="layer norm"),
    pytest.param(lambda: F.layer_norm(X, (5,), GAIN[:5], GAIN[3:], 0.1), id="with gain and bias"),
    pytest.param(lambda: torch.nn.LayerNorm(5, dtype=torch.float64)(X), id="its module"),
    pytest.param(lambda: F.group_norm(X, 4, GAIN, GAIN, eps=0.1), id="group norm"),
    pytest.param(lambda: F.batch_norm(X, None, None, GAIN, GAIN, True), id="batch norm"),
    pytest.param(lambda: written_out(X), id="written out"),
]


@pytest.mark.parametrize("call", CALLS)
def test_one_pass_gives_the_same_where_nothing_is_lost(call):
    expected = call()
    altered = OnePass()
    with altered:
        found = call()
    assert altered.used
    assert torch.allclose(found, expected, rtol=1e-9, atol=1e-9)


UNTOUCHED = [
    pytest.param(lambda: X.pow(2).mean(1), id="mean square"),
    pytest.param(lambda: (X - X.amax(1, keepdim=True)).exp().mean(1), id="another shift"),
    pytest.param(lambda: (X - X[:1].mean()).pow(2).mean(), id="the mean of something else"),
    pytest.param(lambda: F.batch_norm(X, GAIN, GAIN), id="statistics that are given"),
]


@pytest.mark.parametrize("call", UNTOUCHED)
def test_what_is_no_variance_stays_as_it_is(call):
    expected = call()
    with OnePass():
        assert torch.equal(call(), expected)


SOURCES = [
    pytest.param("def run(x):\n    return x.var()\n", True, id="method"),
    pytest.param("from torch.nn.functional import layer_norm\nrun = layer_norm\n", True, id="name"),
    pytest.param("def run(x):\n    return x.sum()  # no mean\n", False, id="comment"),
]


@pytest.mark.parametrize(("source", "expected"), SOURCES)
def test_a_source_says_whether_it_takes_averages(source, expected):
    assert averages(source) is expected
