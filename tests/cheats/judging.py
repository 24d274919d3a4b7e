"""What the drivers of the corpus share: the problems, the duels, and what a header promises.

    Case × court -> Verification (× Duel -> Decision) -> asserted against the header

Start at `check_verification` and `check_duel`.
"""

import re

from guard.domain.decision import Policy, Verdict
from guard.domain.problem import Problem, Workload
from guard.domain.trace import Duel, Verification
from guard.formats.sol_execbench import FORMAT
from guard.gate import decide, speedup
from guard.referee.court import Court
from guard.referee.duel import duel
from guard.wire import DuelOrder
from tests.cheats.corpus import Case, Header
from tests.guard.duels import QUIET
from tests.guard.trials import POLICY, ROOT, closed, workload

CREDITED = 1 / 0.95
"""So many times as fast as its honest twin: measured below 0.95 of that one's latency."""
ROUNDS = ((1, 2), (3, 4), (3, 8), (5, 8))
"""Process pairs and turns of one duel after another: who is credited is credited in all of them.

A busy host may flatter one duel, and a longer one less; a cheat that works, works always."""


_CHECKED = (16, 64)
# A call takes about 0.1 ms, or next to nothing.
_TIMED = {False: (64, 2048), True: (2, 8)}


def policy(case: Case, *, device: str = "cpu") -> Policy:
    """The patient policy of the trials, with what the header changes."""
    # A GPU's blocks need more calls to stand out from what they cost besides them.
    slots = {"cpu": POLICY.max_slots, "nvidia": 128}[device]
    return POLICY.model_copy(update={"max_slots": slots, **case.header.policy})


def cpu_problem(case: Case) -> Problem:
    """The case's problem with one workload, long enough to be timed where a duel is fought."""
    read = FORMAT.read(ROOT / "examples" / "problems" / case.header.problem)
    chosen = read.workloads_for("cpu")[0]
    if case.header.problem == "softmax_rows":
        sizes = _TIMED[case.header.small] if case.header.duel else _CHECKED
        shape = workload("corpus", *sizes)
        chosen = shape.model_copy(update={"tolerance": chosen.tolerance})
    return _told_by_what_it_does(case, read.model_copy(update={"cpu_workloads": (chosen,)}))


def gpu_problem(case: Case, sizes: dict[str, int]) -> Problem:
    """The case's problem with one workload of these sizes."""
    read = FORMAT.read(ROOT / "examples" / "problems" / case.header.problem)
    first = read.workloads[0]
    fields = first.model_dump(mode="json") | {"uuid": "corpus", "axes": sizes}
    workloads = (Workload.model_validate(fields),)
    return _told_by_what_it_does(case, read.model_copy(update={"workloads": workloads}))


def _told_by_what_it_does(case: Case, problem: Problem) -> Problem:
    """A trick must not be refused merely because it is wrong on other shapes as well."""
    if case.kind == "honest" or case.header.trick.startswith("D11 "):
        return problem
    return closed(problem, *problem.definition.axes)


def walls(court: Court) -> set[str]:
    """What holds around a runner on this host."""
    with court.runner(POLICY) as runner:
        return set(runner.held)


def check_verification(case: Case, found: Verification, court: Court) -> None:
    """The verification is one that the header expects, and its log holds the evidence."""
    header = case.header
    if header.walls and not set(header.walls) & walls(court):
        return
    # Shapes that are not listed say no more than whether it is right there.
    told = [(j.evaluation.status, j.evaluation.log) for j in found.listed]
    assert told, found.note
    assert case.kind != "honest" or found.passed, found.judgements
    assert {status for status, _ in told} <= set(header.expect), told
    if header.evidence and header.duel != "refused":
        assert all(re.search(header.evidence, log) for _, log in told), told


def check_duel(case: Case, court: Court, verified: Verification, problem: Problem) -> None:
    """The duel against the honest twin shows what the header says, and promotes nobody."""
    if not verified.passed:
        # Refused already; the header allows that, or the verification had been objected to.
        assert case.kind == "hostile"
        return
    header, fought = case.header, fight(case, court, problem)
    decision = decide(verified, fought, policy(case, device=court.identity.kind), QUIET)
    told = (decision, [f.evaluation for f in fought.failures])
    if header.duel == "no refusal":
        assert decision.verdict not in (Verdict.REJECTED, Verdict.SUSPECT), told
        return
    refused = bool(fought.failures) or decision.verdict is Verdict.SUSPECT
    gains = not refused and speedup(fought).estimate > CREDITED
    assert _outcome(header, refused=refused, gains=gains), told
    if header.duel != "credited":
        assert decision.verdict is not Verdict.PROMOTED, told
    if header.duel == "refused" and header.evidence:
        assert all(re.search(header.evidence, f.evaluation.log) for f in fought.failures), told


def _outcome(header: Header, *, refused: bool, gains: bool) -> bool:
    if header.duel == "credited":
        return gains
    if header.duel == "refused":
        return refused
    return not gains and (header.duel == "refused or no gain" or not refused)


def fight(case: Case, court: Court, problem: Problem) -> Duel:
    """One duel after another while the candidate looks better than its honest twin.

    Who must be refused fights on until it is: every second block is compared in full, so one pair
    may miss a rare error, and the three that a promotion needs may not.
    """
    limits = policy(case, device=court.identity.kind)
    rounds = ROUNDS[:1] if case.kind == "honest" else ROUNDS
    for pairs, turns in rounds:
        order = DuelOrder(
            job="corpus",
            problem=problem,
            candidate=case.solution,
            champion=case.twin.solution,
            policy=limits.model_copy(update={"turns": turns}),
            pairs=pairs,
        )
        fought = duel(court, order)
        gains = speedup(fought).estimate > CREDITED
        if fought.failures or not (gains or case.header.duel == "refused"):
            break
    return fought
