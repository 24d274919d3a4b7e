from benchmarks._problems import PROBLEMS
from benchmarks.agreement import kernels, ours_us
from examples.team.plan import SOLUTIONS
from guard import plugins
from guard.domain.trace import WorkloadTiming


def test_every_kernel_exists_in_a_language_that_runs_in_this_process():
    for kernel in kernels():
        assert "def run(" in (SOLUTIONS / kernel.source).read_text("utf-8")
        assert (PROBLEMS / kernel.problem).is_dir()
        assert kernel.language in plugins.load("languages")
        assert list(kernel.rows) == sorted(set(kernel.rows))


def test_our_latency_is_told_with_its_range_over_processes():
    first, second = (
        WorkloadTiming(workload="a", champion_ms=a, candidate_ms=b, calls=4, mode="graph")
        for a, b in (((0.1, 0.1, 0.9), (0.2,)), ((0.3,), (0.4,)))
    )
    assert ours_us([first, second]) == (250.0, 100.0, 400.0)
