"""The benchmark of the gate: drawn and live duels, by the guard's own rule."""

import json
import random

import pytest
from rich.console import Console

from benchmarks._resampling import Rate, resampled
from benchmarks.false_promotion import fight_itself, main
from coordinator.contest import Bout
from guard.domain.decision import Policy
from tests.coordinator.fakes import FakeReferee, problem, solution

QUIET = [random.Random(n).gauss(0, 0.003) for n in range(50)]
RATES = [
    # true gain, least and most promotions in 300 duels
    pytest.param(0.0, 0, 0, id="nothing"),
    pytest.param(-0.05, 0, 0, id="a loss"),
    pytest.param(0.02, 290, 300, id="2 %"),
    pytest.param(0.05, 300, 300, id="5 %"),
]


@pytest.mark.parametrize(("gain", "least", "most"), RATES)
def test_drawn_duels_promote_gains_and_nothing_else(gain, least, most):
    rate = resampled(QUIET, gain, 300, random.Random(1), Policy())
    assert least <= rate.promoted <= most
    assert 1 <= rate.pairs <= Policy().max_pairs


def test_what_none_of_many_says_is_bounded_by_the_rule_of_three():
    assert Rate(gain=0, duels=30_000, promoted=0, pairs=1).at_most == pytest.approx(1e-4)
    assert Rate(gain=0, duels=100, promoted=50, pairs=1).at_most == pytest.approx(0.598)


@pytest.mark.parametrize(("handicap", "detected"), [(0.0, 0), (0.02, 3)])
async def test_live_duels_are_fought_by_the_rule_and_a_planted_loss_is_seen(handicap, detected):
    same = solution(0.0)
    bout = Bout(
        job="b", problem=problem(), policy=Policy(), candidate=same, champion=same,
        handicap=handicap,
    )  # fmt: skip
    referee = FakeReferee()
    found = await fight_itself(referee, bout, 3, 60.0, Console(quiet=True))
    assert (found.live.rate.duels, found.live.rate.promoted) == (3, 0)
    assert (found.live.detected, found.live.failed) == (detected, 0)
    seeds = Policy().aa_pairs
    assert [order.handicap for order in referee.duels()] == [0.0] * seeds + [handicap] * 3
    assert len(found.pairs) == seeds + (0 if handicap else 3)


def test_recorded_pairs_are_drawn_from(tmp_path, capsys):
    machine = {"processor": "p", "cores": 2, "load": 0, "gpus": [], "kernel": "k", "versions": {}}
    told = {"machine": machine, "device": "cpu", "problem": "p", "solution": "s", "values": QUIET}
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps(told))

    main(pairs_from=file, duels=200, as_json=True)

    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"], found["live"]) == (50, None)
    shares = {rate["gain"]: rate["share"] for rate in found["resampled"]}
    assert shares[0.0] == shares[-0.02] == 0
    assert shares[0.05] == 1
    main(pairs_from=file, duels=20, as_json=False)
    assert "drawn from 50 pairs" in capsys.readouterr().out
