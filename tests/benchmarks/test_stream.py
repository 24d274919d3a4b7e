import random
from itertools import islice

import pytest

from benchmarks._duels import solution_of
from benchmarks._problems import read_problem, write_problem
from benchmarks._stream import SHARES, Edit, Outcome, outcomes, submission, templates
from guard import plugins
from guard.domain.solution import LaunchPlan
from guard.python_source import compile_python

EVERY = [
    pytest.param(name, outcome, id=f"{name}, {outcome.value}")
    for name in templates()
    for outcome in Outcome
]


@pytest.mark.parametrize(("name", "outcome"), EVERY)
def test_every_candidate_is_new_and_names_a_language_of_this_house(name, outcome):
    template = templates()[name]
    one, other = (submission(template, outcome, number) for number in (17, 18))
    assert one.source != other.source
    assert "{nonce}" not in one.source
    assert one.language in plugins.load("languages")
    assert not one.launch_plan or LaunchPlan.model_validate_json(one.launch_plan)


@pytest.mark.parametrize("name", list(templates()))
def test_the_kinds_of_one_number_differ_in_their_source(name):
    sources = {submission(templates()[name], outcome, 17).source for outcome in Outcome}
    assert len(sources) == len(Outcome)


@pytest.mark.parametrize("name", ["triton", "pytorch"])
def test_what_must_not_compile_as_python_does_not_and_the_rest_does(name, tmp_path):
    template = templates()[name]
    problem = read_problem(write_problem(tmp_path, template.problem, "nvidia", (8,)))
    for outcome in Outcome:
        solution = solution_of(submission(template, outcome, 17), problem)
        assert compile_python(solution).report.ok is (outcome is not Outcome.COMPILE_ERROR)


@pytest.mark.parametrize("name", ["cuda", "triton-ahead"])
def test_each_number_ends_up_in_the_machine_code(name, tmp_path):
    template = templates()[name]
    problem = read_problem(write_problem(tmp_path, template.problem, "nvidia", (8,)))
    built = []
    for number in (17, 18):
        place = tmp_path / str(number)
        place.mkdir()
        solution = solution_of(submission(template, Outcome.CORRECT, number), problem)
        built.append(
            plugins.load("languages")[template.language].compile(solution, "sm_90a", place)
        )
    assert all(artifact.report.ok for artifact in built), built[0].report.messages
    first, second = ({p: d for p, d in a.files.items() if p.endswith(".cubin")} for a in built)
    assert first.keys() == second.keys()
    assert all(first[path] != second[path] for path in first)


def test_each_ten_of_a_stream_hold_the_shares_in_a_drawn_order():
    stream = outcomes(random.Random(1))
    tens = [list(islice(stream, 10)) for _ in range(4)]
    assert all(ten.count(outcome) == share for ten in tens for outcome, share in SHARES.items())
    assert len({tuple(ten) for ten in tens}) > 1


def test_a_seed_repeats_its_stream():
    first, second = (list(islice(outcomes(random.Random(7)), 50)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("text", ["nothing here", "twice x, x"], ids=["missing", "twice"])
def test_an_edit_that_does_not_fit_exactly_once_is_refused(text):
    with pytest.raises(ValueError, match="not once"):
        Edit(find="x", put="y").of(text)
