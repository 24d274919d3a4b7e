"""Is a solution correct? Every workload, several input classes, nothing timed.

    Solution -> Artifact -> runner -> plain calls -> Judgement per workload

Start at `verify`. Not here: the checks themselves (`sides`), timing (`duel`).
"""

from guard.domain.decision import Policy
from guard.domain.problem import Problem, Workload
from guard.domain.solution import Solution
from guard.domain.trace import (
    Evaluation,
    Failed,
    IncorrectNumerical,
    Judgement,
    Passed,
    Verification,
)
from guard.referee.court import Court, fresh_seed, now
from guard.referee.inputs import InputClass, classes
from guard.referee.reference import Reference, ReferenceFailed
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.sides import Side, WrongOutput
from guard.referee.slots import Layout
from guard.verify import Correct, Incorrect, judge

SLOTS = 2
"""Slots used in turn by plain calls, so that no call reuses the place of the one before."""
LISTED_CALLS = 3
"""Plain calls on inputs as the format draws them, before the other classes."""
MAX_LOG = 4000


def verify(court: Court, problem: Problem, solution: Solution, policy: Policy) -> Verification:
    """Compile a solution and judge every workload of this device.

    Raises:
        OrderCancelled, RefereeLost: nothing is known of the candidate then.
    """
    court.step(0, 1, "compiling")
    artifact = court.build(solution, policy)
    workloads = problem.workloads_for(court.identity.kind)
    if not artifact.report.ok:
        log = artifact.report.messages
        failed = [_failed(court, w, "COMPILE_ERROR", log, 0) for w in workloads]
        return Verification(compiled=artifact.report, judgements=tuple(failed))
    reason = court.language(solution).runs_on(court.identity.kind)
    if reason:
        return Verification(compiled=artifact.report, judgements=(), note=reason)
    try:
        reference = Reference(problem.definition)
    except ReferenceFailed as error:
        broken = [_failed(court, w, "INVALID_REFERENCE", str(error), 0) for w in workloads]
        return Verification(compiled=artifact.report, judgements=tuple(broken))
    judgements = _judge_all(court, problem, solution, policy, reference)
    return Verification(compiled=artifact.report, judgements=tuple(judgements))


def _judge_all(
    court: Court, problem: Problem, solution: Solution, policy: Policy, reference: Reference
) -> list[Judgement]:
    """Judge the workloads in one runner; after a death the rest is not run."""
    workloads = problem.workloads_for(court.identity.kind)
    judgements: list[Judgement] = []
    with court.runner(policy) as runner:
        try:
            court.load(solution, policy, runner)
        except RunnerFailed as failed:
            return [_of_failure(court, w, failed, runner) for w in workloads]
        for done, workload in enumerate(workloads):
            court.step(done, len(workloads), f"checking workload {done + 1}")
            judgement = judge_workload(
                court, problem, workload, solution, runner, policy, reference
            )
            judgements.append(judgement)
            if runner.ended is not None:
                judgements += _not_run(court, workloads[done + 1 :], judgement, runner)
                break
        if all(j.evaluation.status == "PASSED" for j in judgements):
            court.keep_warm(solution, runner, policy)
    return judgements


def judge_workload(
    court: Court,
    problem: Problem,
    workload: Workload,
    solution: Solution,
    runner: Runner,
    policy: Policy,
    reference: Reference,
) -> Judgement:
    """Judge one workload by plain calls in a loaded runner."""
    layout = Layout.of(problem.definition, workload)
    arena = court.device.allocate(court.identity, SLOTS * layout.slot_bytes)
    side = Side(court.device, solution, runner, arena)
    try:
        side.attach(policy.call_limit_s)
        side.bind(layout, SLOTS, reference, problem, policy.call_limit_s, fresh_seed())
        _call_all_classes(side, problem, workload, reference, policy)
    except RunnerFailed as died:
        court.check_cancelled()
        return _of_failure(court, workload, died, runner)
    except WrongOutput as wrong:
        return Judgement(workload=workload.uuid, evaluation=_incorrect(court, wrong, runner))
    except ReferenceFailed as error:
        return _failed(court, workload, "INVALID_REFERENCE", str(error), runner.grade)
    finally:
        arena.close()
    outcome = judge(side.comparisons, workload.tolerance)
    if isinstance(outcome, Incorrect):
        failed = _incorrect(court, WrongOutput(outcome), runner)
        return Judgement(workload=workload.uuid, evaluation=failed)
    return Judgement(workload=workload.uuid, evaluation=_passed(court, outcome, runner))


def evaluation_of(court: Court, cause: RunnerFailed | WrongOutput, runner: Runner) -> Evaluation:
    """What a failure while being timed is called."""
    if isinstance(cause, WrongOutput):
        return _incorrect(court, cause, runner)
    return _of_failure(court, None, cause, runner).evaluation


def _call_all_classes(
    side: Side, problem: Problem, workload: Workload, reference: Reference, policy: Policy
) -> None:
    wanted = [InputClass.LISTED] * LISTED_CALLS
    wanted += classes(problem.definition, workload)[1:]
    for number, input_class in enumerate(wanted):
        side.plain_call(number % SLOTS, reference, policy, input_class)


def _not_run(
    court: Court, rest: tuple[Workload, ...], last: Judgement, runner: Runner
) -> list[Judgement]:
    """The candidate's process is gone: the later workloads share the reason."""
    status = last.evaluation.status
    log = f"not run: the candidate had already failed on workload {last.workload!r}"
    return [_failed(court, workload, status, log, runner.grade) for workload in rest]


def _passed(court: Court, outcome: Correct, runner: Runner) -> Evaluation:
    return Passed(
        environment=court.environment(runner.grade),
        timestamp=now(),
        log=_log(outcome.reason, runner),
        correctness=outcome.correctness,
    )


def _incorrect(court: Court, wrong: WrongOutput, runner: Runner) -> Evaluation:
    return IncorrectNumerical(
        environment=court.environment(runner.grade),
        timestamp=now(),
        log=_log(wrong.outcome.reason, runner),
        correctness=wrong.outcome.correctness,
    )


def _of_failure(
    court: Court, workload: Workload | None, failed: RunnerFailed, runner: Runner
) -> Judgement:
    uuid = workload.uuid if workload else "-"
    try:
        runner.check_bait()
    except RunnerFailed as caught:
        failed = caught
    return _judged_failed(court, uuid, failed.status, _log(failed.message, runner), runner.grade)


def _failed(court: Court, workload: Workload, status: str, log: str, grade: int) -> Judgement:
    return _judged_failed(court, workload.uuid, status, log, grade)


def _judged_failed(court: Court, uuid: str, status: str, log: str, grade: int) -> Judgement:
    # A workload that was not reached has no numbers, so it cannot share that one status.
    named = "RUNTIME_ERROR" if status == "INCORRECT_NUMERICAL" else status
    fields = {
        "status": named,
        "environment": court.environment(grade),
        "timestamp": now(),
        "log": log[:MAX_LOG],
    }
    return Judgement(workload=uuid, evaluation=Failed.model_validate(fields))


def _log(reason: str, runner: Runner) -> str:
    printed = runner.output().strip()
    return f"{reason}\n{printed}".strip()[:MAX_LOG] if printed else reason[:MAX_LOG]
