import pytest

from benchmarks._outside import CannotCount, Span, per_call, traced


@pytest.mark.parametrize(
    ("seen", "calls", "expected"),
    [
        pytest.param([(0, 2), (10, 13)], 2, [2, 3], id="one kernel a call"),
        pytest.param([(0, 2), (3, 4), (10, 11), (12, 15)], 2, [4, 5], id="with the gap inside"),
        pytest.param([(10, 13), (0, 2)], 2, [2, 3], id="told out of order"),
        pytest.param([(0, 9), (1, 4)], 1, [9], id="the second ends before the first"),
    ],
)
def test_a_call_lasts_from_its_first_kernels_start_to_its_last_ones_end(seen, calls, expected):
    assert per_call([Span(*each) for each in seen], calls) == expected


@pytest.mark.parametrize("kernels", [0, 3], ids=["none", "a half"])
def test_kernels_that_do_not_divide_by_the_calls_are_no_timing(kernels):
    with pytest.raises(CannotCount):
        per_call([Span(n, n + 1) for n in range(kernels)], 2)


def test_only_kernels_of_a_trace_count():
    trace = {
        "traceEvents": [
            {"cat": "kernel", "ts": 5.0, "dur": 2.5, "name": "softmax"},
            {"cat": "gpu_memset", "ts": 1.0, "dur": 2.0, "name": "Memset"},
            {"cat": "cuda_runtime", "ts": 0.5, "dur": 9.0, "name": "cudaLaunchKernel"},
            {"ph": "M", "name": "process_name"},
        ]
    }
    assert traced(trace) == [Span(5.0, 7.5)]
