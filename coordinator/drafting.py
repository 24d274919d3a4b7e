"""What drafting demands: the next candidate is a different idea, or it is refused.

    claim in drafting × solution -> nothing, or TooSimilar

Asked twice: of the source, before anything is compiled, and of the machine code as well, before the
device's time is spent on a benchmark. It is compared with the champion and with the claim's last
benchmarked candidates. Methods block, like the board's.

Start at `Drafting.require_different`. Not here: when a claim is in drafting (`plateau`), what a
different idea is (`distance`).
"""

from collections.abc import Iterable

from coordinator import plateau
from coordinator.distance.machine import machine_distance
from coordinator.distance.measure import Distance, apart, ideas
from coordinator.headroom import headroom
from coordinator.plateau import Stage, Standing
from guard.domain.decision import Policy
from guard.domain.errors import TooSimilar
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.domain.value import Value
from memory import twins, views
from memory.engine import Database
from memory.records import Campaign, Claim, Submission


class Earlier(Value):
    """A candidate that the next must differ from."""

    name: str
    """Which it is, and whose, as an agent reads it."""
    solution: Solution
    compiled: CompileReport | None = None


class Drafting:
    """The ladder of every claim, and its third step."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def standing(self, claim: Claim, campaign: Campaign) -> Standing:
        """Where a claim stands."""
        benchmarks = views.benchmarks_of_claim(self._database, claim.id)
        return plateau.standing(
            benchmarks, campaign.policy, headroom(self._database, campaign).reached
        )

    def require_different(
        self, claim: Claim, campaign: Campaign, solution: Solution, submission: Submission | None
    ) -> None:
        """Refuse an earlier idea under a claim in drafting; `submission`: once it is one.

        What was handed in before is not refused a second time: the same request has the same
        answer.

        Raises:
            TooSimilar: it is not different enough.
        """
        if self.standing(claim, campaign).stage is not Stage.DRAFTING:
            return
        if submission is None and self._known(claim, solution):
            return
        compiled = _compiled(submission) if submission is not None else None
        earlier = self._earlier(claim, campaign, submission)
        refuse_similar(solution, compiled, earlier, campaign.policy)

    def _known(self, claim: Claim, solution: Solution) -> bool:
        return twins.is_handed_in(self._database, claim.id, solution.digest)

    def _earlier(
        self, claim: Claim, campaign: Campaign, submission: Submission | None
    ) -> list[Earlier]:
        champion = views.champion(self._database, campaign.id)
        own = submission.id if submission is not None else 0
        found = []
        if not champion.submission_id:
            found.append(Earlier(name="the baseline", solution=champion.solution))
        benchmarks = views.benchmarks_of_claim(self._database, claim.id)
        last = benchmarks[-campaign.policy.drafting_last :]
        wanted = [champion.submission_id, *(one.submission_id for one in reversed(last))]
        for submission_id in dict.fromkeys(wanted):
            known = views.submission(self._database, submission_id) if submission_id else None
            if known is not None and submission_id != own:
                whose = "your own" if known.claim_id == claim.id else f"agent {known.agent!r}'s"
                role = ", the champion" if submission_id == champion.submission_id else ""
                name = f"{whose} submission {submission_id}{role}"
                found.append(Earlier(name=name, solution=known.solution, compiled=_compiled(known)))
        return found


def refuse_similar(
    solution: Solution, compiled: CompileReport | None, earlier: Iterable[Earlier], policy: Policy
) -> None:
    """Raise when a solution is one of the earlier ideas again. Pure.

    Raises:
        TooSimilar: it is.
    """
    mine = ideas(solution)
    for other in earlier:
        found = apart(mine, ideas(other.solution))
        if found.value < policy.drafting_distance:
            raise TooSimilar(other.name, _likeness(found, policy))
        code = machine_distance(compiled, other.compiled) if compiled and other.compiled else None
        if code is not None and code < policy.machine_distance:
            told = f"the compiler made {1 - code:.1%} the same instructions of both"
            raise TooSimilar(other.name, told)


def _likeness(found: Distance, policy: Policy) -> str:
    beside = f"; it differs only in {', '.join(found.apart)}" if found.apart else ""
    return (
        f"the same idea: {', '.join(found.shared)}{beside} "
        f"(a distance of {found.value:.2f} where {policy.drafting_distance:g} is asked)"
    )


def _compiled(submission: Submission) -> CompileReport | None:
    return submission.verification.compiled if submission.verification is not None else None
