"""`guard.domain.solution`: equal solutions have equal digests."""

import pytest
from pydantic import ValidationError

from guard.domain.solution import KernelLaunch, LaunchPlan, Solution, Source

PLAN = LaunchPlan(
    kernels=(KernelLaunch(kernel="k", grid=("M",), block=("256",), arguments=("x", "y")),)
)


def solution(**changed):
    base = {
        "definition": "scale",
        "language": "cuda",
        "sources": (Source(path="a.cu", content="one"), Source(path="b.h", content="two")),
    }
    return Solution(**{**base, **changed})


def test_equal_solutions_have_equal_digests():
    assert solution().digest == solution().digest
    assert len(solution().digest) == 64


def test_a_digest_survives_storage():
    stored = Solution.model_validate_json(solution(launch_plan=PLAN).model_dump_json())
    assert stored.digest == solution(launch_plan=PLAN).digest


@pytest.mark.parametrize(
    "changed",
    [
        {"definition": "other"},
        {"language": "cpp"},
        {"sources": (Source(path="a.cu", content="one "), Source(path="b.h", content="two"))},
        {"sources": (Source(path="b.h", content="two"), Source(path="a.cu", content="one"))},
        {"entry_point": "go"},
        {"destination_passing_style": False},
        {"options": ("-O3",)},
        {"launch_plan": PLAN},
    ],
    ids=["definition", "language", "content", "order", "entry", "style", "options", "plan"],
)
def test_whatever_changes_what_is_called_changes_the_digest(changed):
    assert solution(**changed).digest != solution().digest


def test_the_entry_file_is_the_source():
    assert solution().source == "one"


@pytest.mark.parametrize(
    "changed",
    [{"sources": ()}, {"note": "unknown field"}, {"launch_plan": {"kernels": []}}],
    ids=["no sources", "unknown field", "empty plan"],
)
def test_a_malformed_solution_is_refused(changed):
    with pytest.raises(ValidationError):
        solution(**changed)
