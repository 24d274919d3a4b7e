"""Is a solution correct? Every workload and some hidden shapes, several input classes, no clock.

    Solution -> Artifact -> runner -> plain calls -> Judgement per workload and hidden neighbour

Start at `verify`. Not here: the checks themselves (`sides`), the hidden shapes (`neighbours`),
timing (`duel`).
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

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
from guard.referee.neighbours import drawn
from guard.referee.reference import Reference, ReferenceFailed, load_reference
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.sides import Side, WrongOutput
from guard.referee.slots import Layout
from guard.verify import Correct, Incorrect, judge

SLOTS = 2
"""Slots used in turn by plain calls, so that no call reuses the place of the one before."""
LISTED_CALLS = 3
"""Plain calls on inputs as the format draws them, before the other classes; one if hidden."""
MAX_LOG = 4000

Outcome = Correct | Incorrect | RunnerFailed | ReferenceFailed


class _Trial(NamedTuple):
    """Who judges what, by which rules."""

    court: Court
    problem: Problem
    solution: Solution
    policy: Policy
    reference: Reference


class _FailedAtOnce(Exception):
    """The first call on the smallest workload failed."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement.workload)
        self.judgement = judgement


def verify(court: Court, problem: Problem, solution: Solution, policy: Policy) -> Verification:
    """Compile a solution and judge every workload of this device.

    Raises:
        OrderCancelled, RefereeLost: nothing is known of the candidate then.
    """
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
        reference = load_reference(problem.definition)
    except ReferenceFailed as error:
        broken = [_failed(court, w, "INVALID_REFERENCE", str(error), 0) for w in workloads]
        return Verification(compiled=artifact.report, judgements=tuple(broken))
    judgements = _judge_all(_Trial(court, problem, solution, policy, reference))
    sealed = court.is_sealed(solution)
    return Verification(compiled=artifact.report, judgements=tuple(judgements), sealed=sealed)


def _judge_all(trial: _Trial) -> list[Judgement]:
    """Judge workloads and hidden neighbours, together in one runner while the candidate lives.

    Who dies on a hidden shape is told too little to mend it. The listed ones are therefore judged
    nevertheless, in a fresh runner.
    """
    court, problem = trial.court, trial.problem
    listed = problem.workloads_for(court.identity.kind)
    court.step(0, len(listed), "drawing hidden shapes")
    hidden = drawn(court, problem, trial.reference).neighbours
    shapes = {neighbour.workload.uuid: neighbour.shape for neighbour in hidden}
    every = [*listed, *(neighbour.workload for neighbour in hidden)]
    # A candidate that meets a shape shall not know from its place whether it will be timed.
    todo = secrets.SystemRandom().sample(every, len(every))
    found: dict[str, Judgement | None] = {}
    while todo:
        try:
            found |= _in_one_runner(trial, todo, shapes, len(every))
        except _FailedAtOnce as failed:
            return [failed.judgement]
        todo = [workload for workload in todo if workload.uuid not in found]
        last = found[next(reversed(found))]
        if todo and last is not None:
            given_up = [w for w in todo if last.workload not in shapes or w.uuid in shapes]
            found |= _not_run(court, given_up, last)
            todo = [workload for workload in todo if workload.uuid not in found]
    judged = (found[workload.uuid] for workload in every)
    return [judgement for judgement in judged if judgement is not None]


def _in_one_runner(
    trial: _Trial, todo: Sequence[Workload], shapes: Mapping[str, str], total: int
) -> dict[str, Judgement | None]:
    """Judge these shapes in a fresh runner, until its process ends; None: no fault of the author's.

    `shapes` says of each hidden one what is unusual about it; `total` counts those before, too.

    Raises:
        _FailedAtOnce: nothing else needs to be tried.
    """
    court, solution, policy = trial.court, trial.solution, trial.policy
    sizes = [_call_bytes(trial, workload) for workload in todo]
    found: dict[str, Judgement | None] = {}
    with ExitStack() as stack:
        # A candidate may keep hold of each shape's decoy, which is not larger than a slot.
        runner = stack.enter_context(court.runner(policy, SLOTS * max(sizes) + sum(sizes)))
        arena = court.device.allocate(court.identity, SLOTS * max(sizes))
        stack.callback(arena.close)
        side = Side(court.device, solution, runner, arena)
        try:
            court.load(solution, policy, runner)
            side.attach(policy.call_limit_s)
        except RunnerFailed as failed:
            return {
                w.uuid: None if w.uuid in shapes else _judgement(court, w, failed, runner)
                for w in todo
            }
        if len(todo) == total:
            _try_smallest(trial, side)
        for done, workload in enumerate(todo, start=total - len(todo)):
            court.step(done, total, f"checking shape {done + 1} of {total}")
            shape = shapes.get(workload.uuid, "")
            asked = _classes(trial.problem, workload, hidden=bool(shape))
            outcome = _outcome(trial, workload, side, asked)
            # It served when the shape was drawn. That it does not always is not the author's
            # fault: nobody listed this shape.
            excused = shape and isinstance(outcome, ReferenceFailed)
            judged = None if excused else _judgement(court, workload, outcome, runner, shape)
            found[workload.uuid] = judged
            if runner.ended is not None:
                break
        if all(j is None or j.evaluation.status == "PASSED" for j in found.values()):
            court.keep_warm(solution, runner, policy)
    return found


def _try_smallest(trial: _Trial, side: Side) -> None:
    """Two calls on the smallest workload (the second shows who repeats the first one's answer).

    Raises:
        _FailedAtOnce: it failed.
    """
    listed = trial.problem.workloads_for(trial.court.identity.kind)
    trial.court.step(0, len(listed), "checking the smallest shape")
    smallest = min(listed, key=lambda workload: _call_bytes(trial, workload))
    outcome = _outcome(trial, smallest, side, [InputClass.LISTED] * 2)
    if isinstance(outcome, Incorrect | RunnerFailed):
        raise _FailedAtOnce(_judgement(trial.court, smallest, outcome, side.runner))


def _call_bytes(trial: _Trial, workload: Workload) -> int:
    return Layout.of(trial.problem.definition, workload).call_bytes


def _classes(problem: Problem, workload: Workload, *, hidden: bool) -> list[InputClass]:
    """Which inputs the plain calls get; on a hidden shape one drawn class stands for the others."""
    listed, *others = classes(problem.definition, workload)
    if hidden:
        return [listed, *secrets.SystemRandom().sample(others, min(1, len(others)))]
    return [listed] * LISTED_CALLS + others


def _outcome(trial: _Trial, workload: Workload, side: Side, asked: Sequence[InputClass]) -> Outcome:
    """What plain calls on one shape come to, one on inputs of each class."""
    court, problem, _, policy, reference = trial
    layout = Layout.of(problem.definition, workload)
    side.comparisons = []
    try:
        bind = side.lay(layout, SLOTS, reference, problem, policy.call_limit_s, fresh_seed())
        side.runner.ask(bind, policy.call_limit_s)
        for number, input_class in enumerate(asked):
            side.preparation.restock(number % SLOTS, input_class)
            side.plain_call(number % SLOTS, reference, policy, input_class)
    except RunnerFailed as died:
        court.check_cancelled()
        return died
    except WrongOutput as wrong:
        return wrong.outcome
    except ReferenceFailed as error:
        return error
    return judge(side.comparisons, workload.tolerance)


def evaluation_of(court: Court, cause: RunnerFailed | WrongOutput, runner: Runner) -> Evaluation:
    """What a failure while being timed is called."""
    outcome = cause.outcome if isinstance(cause, WrongOutput) else _caught(cause, runner)
    return _evaluation(court, outcome, _log(outcome, runner), runner.grade)


def _caught(failed: RunnerFailed, runner: Runner) -> RunnerFailed:
    """The failure, or what the candidate's own end would have covered up."""
    try:
        runner.check_bait()
    except RunnerFailed as caught:
        return caught
    return failed


def _not_run(court: Court, rest: Sequence[Workload], last: Judgement) -> dict[str, Judgement]:
    """The candidate's process is gone: the later workloads share the reason."""
    status = last.evaluation.status
    # A workload that was not reached has no numbers, so it cannot share that one status.
    named = "RUNTIME_ERROR" if status == "INCORRECT_NUMERICAL" else status
    why = last.evaluation.log.split("\n", 1)[0]
    log = f"not run: the candidate had already failed on workload {last.workload!r}: {why}"
    grade = last.evaluation.environment.sandbox_grade
    return {w.uuid: _failed(court, w, named, log, grade) for w in rest}


def _judgement(
    court: Court, workload: Workload, outcome: Outcome, runner: Runner, shape: str = ""
) -> Judgement:
    """An outcome with its evidence; on a hidden neighbour only its kind and what was unusual."""
    if isinstance(outcome, RunnerFailed):
        outcome = _caught(outcome, runner)
    log = _hint(outcome, shape) if shape else _log(outcome, runner)
    evaluation = _evaluation(court, outcome, log, runner.grade)
    return Judgement(workload=workload.uuid, evaluation=evaluation)


def _evaluation(court: Court, outcome: Outcome, log: str, grade: int) -> Evaluation:
    environment = court.environment(grade)
    if isinstance(outcome, Correct | Incorrect):
        kind = Passed if isinstance(outcome, Correct) else IncorrectNumerical
        return kind(
            environment=environment,
            timestamp=now(),
            log=log,
            correctness=outcome.correctness,
        )
    status = outcome.status if isinstance(outcome, RunnerFailed) else "INVALID_REFERENCE"
    fields = {"status": status, "environment": environment, "timestamp": now(), "log": log}
    return Failed.model_validate(fields)


def _failed(court: Court, workload: Workload, status: str, log: str, grade: int) -> Judgement:
    failed = RunnerFailed(status, log)
    evaluation = _evaluation(court, failed, log[:MAX_LOG], grade)
    return Judgement(workload=workload.uuid, evaluation=evaluation)


def _reason(outcome: Outcome) -> str:
    return outcome.reason if isinstance(outcome, Correct | Incorrect) else str(outcome)


def _hint(outcome: Outcome, shape: str) -> str:
    """Enough to look for the fault, too little to write a case for it: no size, no count."""
    if isinstance(outcome, Correct):
        return "Right on a shape that is not listed."
    found = _FAILURES[outcome.status] if isinstance(outcome, RunnerFailed) else ""
    if isinstance(outcome, Incorrect):
        found = f"an output is wrong ({outcome.finding.value})"
    return (
        f"On a shape near a listed one ({shape}) {found}. Every solution meets other such shapes; "
        "make it right for any size of the open axes."
    )


_FAILURES = {
    "RUNTIME_ERROR": "the call raised or ended the process",
    "TIMEOUT": "the call took too long",
    "INCORRECT_SHAPE": "an output has another shape than the definition says",
    "INCORRECT_DTYPE": "an output has another type than the definition says",
    "REWARD_HACK": "the call broke a rule",
}
"""What a runner's failure is called on a hidden neighbour, by status."""


def _log(outcome: Outcome, runner: Runner) -> str:
    reason = _reason(outcome)
    if isinstance(outcome, RunnerFailed) and outcome.status == "REWARD_HACK":
        # Evidence of what it did, and nothing that helps to do it better.
        return f"refused: {reason}"[:MAX_LOG]
    printed = runner.output().strip()
    return f"{reason}\n{printed}".strip()[:MAX_LOG] if printed else reason[:MAX_LOG]
