"""On a GPU: the corpus's hostile, honest and wrong candidates, each judged by the real court."""

import pytest

from guard import plugins
from guard.referee.court import Court
from guard.referee.verification import verify
from tests.cheats import judging
from tests.cheats.corpus import cases

pytestmark = pytest.mark.gpu

SIZES = {"M": 512, "N": 1024}


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    court = Court(device, device.found()[0], pin_cpu=-1)
    yield court
    court.close()


@pytest.mark.parametrize("case", cases("gpu"), ids=lambda c: f"{c.kind}-{c.name}")
def test_each_candidate_gets_what_its_header_says(court, case):
    problem = judging.gpu_problem(case, SIZES)
    found = verify(court, problem, case.solution, judging.policy(case, device="nvidia"))
    judging.check_verification(case, found, court)
    if case.header.duel:
        judging.check_duel(case, court, found, problem)
