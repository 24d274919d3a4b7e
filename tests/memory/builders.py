"""Small, valid values of the domain for the board's tests."""

from guard.domain.decision import Decision, Interval, Policy, Verdict
from guard.domain.problem import Definition, Problem, TensorSpec, VarAxis, Workload
from guard.domain.solution import Solution, Source
from guard.domain.trace import (
    Baseline,
    CompileReport,
    Correctness,
    Duel,
    Environment,
    Failed,
    Judgement,
    Passed,
    Performance,
    ProcessPair,
    Timed,
    Verification,
    WorkloadTiming,
)
from memory.board import Board
from memory.records import Benchmark, Campaign, Claim, Job, Submission

NOW = 1_000_000.0
LEASE = 900.0
ENVIRONMENT = Environment(hardware="a cpu", libs={"python": "3.11"}, sandbox_grade=2)
CORRECTNESS = Correctness(max_relative_error=1e-7, max_absolute_error=1e-8)


def problem(name: str = "copy") -> Problem:
    tensor = TensorSpec(shape=("N",), dtype="float32")
    definition = Definition(
        name=name,
        axes={"N": VarAxis(type="var")},
        inputs={"x": tensor},
        outputs={"y": tensor},
        reference="def run(x):\n    return x.clone()\n",
    )
    workload = Workload.model_validate(
        {"uuid": "w1", "axes": {"N": 8}, "inputs": {"x": {"type": "random"}}}
    )
    return Problem(name=name, definition=definition, workloads=(workload,))


def solution(text: str = "run") -> Solution:
    sources = (Source(path="main.cpp", content=text), Source(path="shared.h", content="// shared"))
    return Solution(definition="copy", language="cpp", sources=sources)


def baseline() -> Baseline:
    return Baseline(
        kind="eager",
        solution=solution("the baseline"),
        latency_ms={"w1": 1.0},
        contenders={"eager": "1.0 ms", "compiled": "not timed: no compiler"},
    )


def passed() -> Verification:
    right, late = (
        Passed(environment=ENVIRONMENT, timestamp="2026-01-01T00:00:00Z", correctness=CORRECTNESS),
        Failed(environment=ENVIRONMENT, timestamp="2026-01-01T00:00:01Z", status="RUNTIME_ERROR"),
    )
    judgements = (
        Judgement(workload="w2", evaluation=right),
        Judgement(workload="w1", evaluation=late),
    )
    return Verification(compiled=CompileReport(ok=True, messages="fine"), judgements=judgements)


def late() -> Verification:
    judgement = Judgement(
        workload="w1",
        evaluation=Failed(
            environment=ENVIRONMENT, timestamp="2026-01-01T00:00:01Z", status="TIMEOUT"
        ),
    )
    return Verification(compiled=CompileReport(ok=True), judgements=(judgement,), sealed=True)


def duel(candidate: str, champion_ms: tuple[float, ...] = (1.0, 1.1)) -> Duel:
    timing = WorkloadTiming(
        workload="w1", champion_ms=champion_ms, candidate_ms=(0.5, 0.1 + 0.2), calls=9, mode="host"
    )
    return Duel(
        champion=solution("the baseline").digest,
        candidate=candidate,
        pairs=(ProcessPair(swapped=False, workloads=(timing,)),),
    )


def benchmark(
    submission: Submission,
    verdict: Verdict = Verdict.PROMOTED,
    *,
    generation: int = 0,
    champion: int = 0,
    speedup: float = 2.0,
) -> Benchmark:
    interval = Interval(estimate=speedup, low=speedup * 0.99, high=speedup * 1.01)
    timed = Timed(
        environment=ENVIRONMENT,
        timestamp="2026-01-01T00:00:02Z",
        correctness=CORRECTNESS,
        performance=Performance(latency_ms=0.5, reference_latency_ms=1.0, speedup_factor=speedup),
    )
    numbers = duel(submission.solution.digest)
    return Benchmark(
        submission_id=submission.id,
        over_baseline=numbers,
        over_champion=numbers,
        decision=Decision(verdict=verdict, reason="it is faster", over_champion=interval),
        speedup=interval,
        evaluations={"w2": timed, "w1": timed},
        champion_submission_id=champion,
        generation=generation,
        decided_s=NOW + 3,
        progress=verdict is Verdict.PROMOTED,
    )


def start(board: Board, name: str = "copy") -> Campaign:
    return board.start_campaign(problem(name), "cpu", "a cpu", Policy(), baseline())


def claim(
    board: Board,
    campaign: Campaign,
    strategy: str = "tiling",
    agent: str = "ada",
    *,
    now_s: float = NOW,
) -> Claim | None:
    return board.claim(
        campaign.id,
        strategy=strategy,
        lane="memory",
        token="local",
        agent=agent,
        reason="free",
        lease_s=LEASE,
        now_s=now_s,
    )


def held(
    board: Board,
    campaign: Campaign,
    strategy: str = "tiling",
    agent: str = "ada",
    *,
    now_s: float = NOW,
) -> Claim:
    taken = claim(board, campaign, strategy, agent, now_s=now_s)
    assert taken is not None
    return taken


def verified(board: Board, its_claim: Claim, text: str = "run") -> Submission:
    submission, job = board.submit(its_claim.id, solution(text), (), NOW)
    board.start_job(job.id)
    board.record_verification(submission.id, job.id, passed(), NOW + 1)
    return submission


def running_benchmark(board: Board, submission: Submission) -> Job:
    job = board.request_benchmark(submission.id, NOW + 2)
    board.start_job(job.id)
    return job


def promoted(board: Board, its_claim: Claim, text: str, *, generation: int = 0) -> Submission:
    submission = verified(board, its_claim, text)
    job = running_benchmark(board, submission)
    decided = benchmark(submission, generation=generation, speedup=2.0 + generation)
    assert board.record_benchmark(decided, job.id, promote=submission.solution)
    return submission
