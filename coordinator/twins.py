"""Answer from the record for what was judged before: nothing is compiled, run or timed again.

    submission × the same one before -> Verification without judgements, and who it is the same as

Pure. Such an answer passes nothing and promotes nobody: it only says what became of the other.
Start at `repeated`. Not here: which submissions are the same (`memory.twins`).
"""

from guard.domain.decision import Decision
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport, Verification
from memory.records import Submission


def repeated(solution: Solution, twin: Submission, compiled: CompileReport) -> Verification:
    """The verification of a solution that is the same as the twin's."""
    return Verification(compiled=compiled, judgements=(), note=told(solution, twin))


def told(solution: Solution, twin: Submission) -> str:
    """What a solution is the same as, whose that is, and what became of it."""
    same, but = "source", ""
    if solution.digest != twin.solution.digest:
        same, but = "machine code", "; only comments, names or the like differ"
    who = f"the same {same} as submission {twin.id} by {twin.agent}"
    return f"{who}: {end_of(twin)}{but}."


def end_of(twin: Submission) -> str:
    """How a submission ended, in few words."""
    if twin.decision is not None:
        return f"{twin.decision.verdict.value}{_figure(twin.decision)}"
    verification = twin.verification
    judged = verification.judgements if verification is not None else ()
    failed = dict.fromkeys(j.evaluation.status for j in judged if j.evaluation.status != "PASSED")
    return f"failed its verification ({', '.join(failed)})"


def _figure(decision: Decision) -> str:
    measured = decision.over_champion
    return f", {measured.estimate:.4g} over the champion" if measured is not None else ""
