"""The corpus on the CPU: hostile, honest and wrong candidates, each judged by the real court."""

import pytest

from guard import plugins
from guard.referee.verification import verify
from tests.cheats import judging, table
from tests.cheats.corpus import CATALOGUE, FOLDER, REFUSALS, cases

DRIVEN = [c for c in cases("cpu") if not c.header.own_test]
WITH_OWN_TESTS = [c for c in cases("cpu") if c.header.own_test]
SEALED = [c for c in cases("gpu") if c.path.suffix == ".cu"]
HOSTILE = cases("cpu", "hostile") + cases("gpu", "hostile")


@pytest.mark.parametrize("case", DRIVEN, ids=lambda c: f"{c.kind}-{c.name}")
def test_each_candidate_gets_what_its_header_says(court, case):
    problem = judging.cpu_problem(case)
    found = verify(court, problem, case.solution, judging.policy(case))
    judging.check_verification(case, found, court)
    if case.header.duel:
        judging.check_duel(case, court, found, problem)


@pytest.mark.parametrize("case", WITH_OWN_TESTS, ids=lambda c: c.name)
def test_who_has_a_test_of_its_own_is_named_there(case):
    texts = [path.read_text() for path in FOLDER.glob("test_*.py")]
    (text,) = [text for text in texts if f"def {case.header.own_test}(" in text]
    assert f'"{case.path.stem}"' in text or f'"{case.name}"' in text


@pytest.mark.parametrize("case", HOSTILE, ids=lambda c: c.name)
def test_a_hostile_header_fits_the_catalogue_and_claims_nothing_vague(case):
    number, name = case.tricks
    assert CATALOGUE[number[0]][number] == name
    header = case.header
    assert header.caught
    if header.caught == "not caught" or header.own_test or set(header.expect) <= REFUSALS:
        return
    # It may pass verification: then it must gain nothing by it, or look for what must not be there.
    assert header.duel or header.probe


@pytest.mark.parametrize(
    "case", cases("cpu", "honest") + cases("gpu", "honest"), ids=lambda c: c.name
)
def test_an_honest_header_expects_no_refusal(case):
    assert case.header.expect == ("PASSED",)
    assert case.header.duel in ("", "no refusal")


@pytest.mark.parametrize("case", SEALED, ids=lambda c: c.name)
def test_sealed_candidates_for_a_gpu_compile_anywhere(case, tmp_path):
    language = plugins.load("languages")["cuda"]
    language.check(case.solution)
    report = language.compile(case.solution, "native", tmp_path).report
    assert report.ok, report.messages


def test_the_page_of_all_tricks_is_up_to_date():
    assert table.PAGE.read_text() == table.page()


def test_the_corpus_is_as_large_as_it_claims_to_be():
    families = {c.tricks[0][0] for c in cases("cpu", "hostile")}
    assert families == set(CATALOGUE)
    assert len(cases("cpu", "hostile")) >= 60
    assert len(cases("gpu", "hostile")) >= 20
    assert min(len(cases(device, "honest")) for device in ("cpu", "gpu")) >= 14
    assert len(cases("cpu", "wrong")) >= 6
