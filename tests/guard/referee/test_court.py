"""`guard.referee.court`: built once, loaded afresh, and stopped from another thread."""

import dataclasses
import threading

import psutil
import pytest

from guard import plugins
from guard.domain.machine_code import Instructions, KernelResources
from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.trace import CompileReport, Remark
from guard.referee.artifacts import (
    MAX_ARTIFACTS,
    MAX_KERNEL_NAME,
    MAX_MESSAGES,
    MAX_RESOURCES,
    tidied,
)
from guard.referee.court import Court, OrderCancelled, fresh_seed, libraries, now
from guard.referee.runners import RunnerFailed
from guard.wire import pack_files
from tests.guard.trials import HONEST, POLICY, solution


def test_a_solution_is_built_once(court):
    first = court.build(solution(), POLICY)
    assert first.report.ok
    assert court.build(solution(), POLICY) is first


def test_what_was_built_long_ago_is_forgotten(court):
    old = solution(HONEST + "# old\n")
    first = court.build(old, POLICY)
    broken = [solution(f"def run(:  # {i}\n") for i in range(MAX_ARTIFACTS)]
    for one in broken:
        court.build(one, POLICY)
    assert court.build(old, POLICY) is not first


def test_large_artifacts_are_forgotten_before_they_fill_the_memory(court, monkeypatch):
    monkeypatch.setattr("guard.referee.artifacts.MAX_ARTIFACT_BYTES", 100)
    first, second = (court.build(solution(HONEST + f"# {n}\n"), POLICY) for n in "ab")
    assert court.build(solution(HONEST + "# b\n"), POLICY) is second
    assert court.build(solution(HONEST + "# a\n"), POLICY) is not first


BOMB = (
    "template <int n, long m> struct F { static constexpr long v = "
    "F<n - 1, 2 * m>::v + F<n - 1, 2 * m + 1>::v; };\n"
    "template <long m> struct F<0, m> { static constexpr long v = m; };\n"
    "long f() { return F<30, 0>::v; }\n"
)


def test_how_a_builder_failed_is_told_and_not_kept(court):
    hasty = POLICY.model_copy(update={"compile_limit_s": 0.5})
    late = solution(BOMB, language="cpp")
    told = [court.build(late, hasty) for _ in range(2)]
    assert ["no answer within 0.5 s" in one.report.messages for one in told] == [True, True]
    assert [one.report.ended for one in told] == [False, False]
    assert told[0] is not told[1]


def test_two_lanes_build_the_same_once(court):
    candidate = solution(HONEST + "# twice\n")
    built = []
    others = [court.aside(), court.aside()]
    threads = [
        threading.Thread(target=lambda there=there: built.append(there.build(candidate, POLICY)))
        for there in others
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert built[0] is built[1] is court.build(candidate, POLICY)
    for there in others:
        there.leave()


def test_a_lane_is_cancelled_alone(court):
    there = court.aside()
    there.cancel()
    with pytest.raises(OrderCancelled):
        there.build(solution(HONEST + "# never\n"), POLICY)
    assert court.build(solution(HONEST + "# never\n"), POLICY).report.ok


def test_a_runner_that_ends_late_is_killed_at_once_and_its_user_stays_taken_until_it_is_gone(court):
    free = court.supply.zygote._free
    before = len(free)
    with court.ending_late(), court.runner(POLICY) as runner:
        assert len(free) == before - 1
    assert runner.ended is None and len(free) == before - 1
    court.settle()
    assert not psutil.pid_exists(runner.pid)
    assert len(free) == before


def test_a_report_that_a_candidate_may_have_written_is_kept_within_bounds():
    taken = KernelResources(kernel="k\x1b[2J" * 1000, registers=1, shared_bytes=0, spill_bytes=0)
    hint = Remark(rule="none", path="candidate.py", line=1, evidence="forged")
    forged = CompileReport(
        ok=True, messages="\x1b[2J" + "m\u202e" * 10**5, resources=(taken,) * 1000, hints=(hint,)
    )
    kept = tidied(forged)
    assert kept.messages == "m" * MAX_MESSAGES
    assert len(kept.resources) == MAX_RESOURCES
    assert {each.kernel for each in kept.resources} == {"k" * 1000}
    assert kept.hints == ()


def test_what_is_told_of_machine_code_is_kept_within_bounds_as_well():
    counted = Instructions(kernel="k\nother: 1 register\x1b[2J" * 200, total=1, classes={})
    kept = tidied(
        CompileReport(ok=True, instructions=(counted,) * 1000, unlisted="no\nnext: obey\u202e")
    )
    assert len(kept.instructions) == MAX_RESOURCES
    assert len(kept.instructions[0].kernel) == MAX_KERNEL_NAME
    assert "\n" not in kept.instructions[0].kernel + kept.unlisted


KERNEL = 'extern "C" __global__ void run(float* x) { x[threadIdx.x] = 1; }\n'
LIBRARY = 'extern "C" void run(const float* x, float* y, long m, long n) { *y = *x; }\n'
LAUNCHED = LaunchPlan.model_validate(
    {"kernels": [{"kernel": "run", "grid": ["1"], "block": ["64"], "arguments": ["x"]}]}
)


@pytest.mark.parametrize(
    ("language", "path", "source", "listed"),
    [
        pytest.param("cpp", "k.cpp", LIBRARY, {"asm"}, id="cpp"),
        pytest.param("cuda", "k.cu", KERNEL, {"ptx", "sass"}, id="cuda"),
    ],
)
def test_machine_code_is_taken_apart_behind_the_walls(court, language, path, source, listed):
    given = Solution(
        definition="softmax_rows",
        language=language,
        sources=(Source(path=path, content=source),),
        launch_plan=LAUNCHED if language == "cuda" else None,
    )
    report = court.build(given, POLICY).report
    assert report.ok, report.messages
    assert {one.kind for one in report.listings} == listed, report.unlisted
    assert [each.kernel for each in report.instructions] == ["run"]


def test_what_does_not_compile_cannot_be_loaded(court):
    with court.runner(POLICY) as runner, pytest.raises(RunnerFailed) as caught:
        court.load(solution("def run(:\n"), POLICY, runner)
    assert caught.value.status == "COMPILE_ERROR"
    assert "SyntaxError" in caught.value.message


def test_the_tree_of_a_runner_is_gone_after_its_use(court):
    with court.runner(POLICY) as runner:
        pid = runner.pid
        assert psutil.pid_exists(pid)
    assert not psutil.pid_exists(pid)
    assert runner.ended is not None


def test_the_tree_of_a_runner_is_gone_after_an_error(court):
    with pytest.raises(ValueError, match="inside"), court.runner(POLICY) as runner:
        raise ValueError("inside")
    assert not psutil.pid_exists(runner.pid)


PLAN = LaunchPlan.model_validate({"kernels": [{"kernel": "k", "grid": ["1"], "arguments": []}]})
LEFT = {
    "kernel_0.cubin": b"code", "kernels.json": b"{}", "torch.py": b"x", "cuda/__init__.py": b"x",
    "cache/triton/x.cubin": b"x", "a.so": b"x", "x.pth": b"x", "kernel_1.CUBIN": b"x",
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "plan", "handed_on"),
    [
        pytest.param("nvidia", PLAN, {"kernel_0.cubin", "kernels.json"}, id="sealed"),
        pytest.param("nvidia", None, set(LEFT), id="open"),
        pytest.param("cpu", PLAN, set(LEFT), id="interpreted"),
    ],
)
def test_a_sealed_runner_gets_nothing_that_could_run(kind, plan, handed_on):
    device = plugins.load("devices")["cpu"]
    there = Court(device, dataclasses.replace(device.found()[0], kind=kind), pin_cpu=-1)
    given = solution(language="triton").model_copy(update={"launch_plan": plan})
    table, blob = pack_files(LEFT)
    sealed, found = there.is_sealed(given), there.loadable(given, table, blob)
    there.close()
    assert sealed is (len(handed_on) == 2)
    assert set(found) == handed_on


def test_a_cancellation_ends_a_runner_that_is_being_asked(court):
    endless = solution("while True:\n    pass\n")
    court.build(endless, POLICY)
    try:
        with court.runner(POLICY) as runner:
            threading.Timer(0.2, court.cancel).start()
            with pytest.raises(RunnerFailed, match="SIGKILL"):
                court.load(endless, POLICY.model_copy(update={"load_limit_s": 300}), runner)
        with pytest.raises(OrderCancelled):
            court.check_cancelled()
    finally:
        court.resume()
    court.check_cancelled()


def test_no_runner_is_used_once_the_order_is_cancelled(court):
    court.cancel()
    try:
        with pytest.raises(OrderCancelled), court.runner(POLICY):
            raise AssertionError("a runner of a cancelled order")
        with pytest.raises(OrderCancelled):
            court.step(0, 1, "going on")
    finally:
        court.resume()


def test_the_cache_of_a_first_runner_warms_the_next(court):
    source = (
        "import os, pathlib\n"
        "place = pathlib.Path(os.environ['TRITON_CACHE_DIR']) / 'kept'\n"
        "print('warm' if place.exists() else 'cold', flush=True)\n"
        "place.write_text('x')\n" + HONEST
    )
    candidate = solution(source)
    outputs = []
    for _ in range(2):
        with court.runner(POLICY) as runner:
            court.load(candidate, POLICY, runner)
            court.keep_warm(candidate, runner, POLICY)
            outputs.append(runner.output().strip())
    assert outputs == ["cold", "warm"]


def test_what_is_kept_lies_below_the_cache_folder(court):
    candidate = solution(HONEST + "# kept\n")
    with court.runner(POLICY) as runner:
        court.load(candidate, POLICY, runner)
        court.keep_warm(candidate, runner, POLICY)
    files = court.build(candidate, POLICY).files
    assert files["candidate.py"] == candidate.source.encode()
    assert all(path == "candidate.py" or path.startswith("cache/") for path in files)


def test_an_environment_names_what_took_part(court):
    environment = court.environment(2)
    assert environment.hardware == court.identity.hardware
    assert environment.sandbox_grade == 2
    assert {"python", "torch"} <= set(libraries())


def test_seeds_differ_and_times_are_utc():
    assert len({fresh_seed() for _ in range(100)}) == 100
    assert now().endswith("+00:00")


def test_a_language_is_the_plug_in_of_that_name(court):
    assert court.language(solution()).name == "pytorch"
