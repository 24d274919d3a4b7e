"""What agents are told of whether they follow their strategy, and what is refused for it.

    stored adherence -> one line          a row of strays -> the next call to make | OffStrategy

Start at `Steering`. Not here: judging and counting (`coordinator.adherence`), the rest of an answer
(`outcome`).
"""

import time

from coordinator.adherence import is_nudged, is_refused, off_in_row
from coordinator.claims import Claims
from coordinator.drafting import Drafting
from coordinator.plateau import Stage
from guard.domain.adherence import Adherence
from guard.domain.decision import Verdict
from guard.domain.errors import OffStrategy
from memory import views
from memory.adherence import benchmarked
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState, Submission
from server.answers import Answer

OFFERED = 3
"""Strategies that are named to an agent that does something else than it claimed."""


def line(submission: Submission) -> Answer:
    """Whether it follows its strategy, in one line; nothing where that was not judged."""
    found = submission.adherence
    if found is None:
        return {}
    how = found.word if found.holds is not None else "cannot be told whether it is on strategy"
    return {"strategy": f"{how} {submission.strategy}: {found.evidence}"}


class Steering:
    """Keeps agents to what they claimed."""

    def __init__(self, database: Database, claims: Claims) -> None:
        self._database = database
        self._claims = claims
        self._drafting = Drafting(database)

    def check(self, submission: Submission, claim: Claim) -> None:
        """Let a benchmark through, unless it is one too many that strays.

        What was asked for before is let through as well: the same request has the same answer. So
        is what a claim in drafting brings: there something different is just what is asked for.

        Raises:
            OffStrategy: so many before it were off the strategy, and so is it.
        """
        found, asked = submission.adherence, benchmarked(self._database, claim)
        campaign = views.campaign(self._database, claim.campaign_id)
        if found is None or submission.id in asked or self._is_drafting(claim, campaign):
            return
        if is_refused(off_in_row(list(asked.values())), found, campaign.policy):
            instead = self._instead(campaign, found)
            raise OffStrategy(
                submission.id,
                claim.strategy,
                found.evidence,
                hint=_way_out(campaign, claim, instead),
            )

    def after_verification(self, submission: Submission) -> Answer:
        """What to do instead of a benchmark that would be refused, or nothing."""
        claim = views.claim(self._database, submission.claim_id)
        if claim is None or submission.decision is not None:
            return {}
        try:
            self.check(submission, claim)
        except OffStrategy as error:
            return {"next": f"A benchmark would be refused: it is off the strategy. {error.hint}"}
        return {}

    def after_benchmark(self, submission: Submission, verdict: Verdict) -> Answer:
        """What to call after so many strays in a row, or nothing."""
        claim, found = views.claim(self._database, submission.claim_id), submission.adherence
        if claim is None or claim.state is not ClaimState.LIVE or found is None or found.holds:
            return {}
        campaign = views.campaign(self._database, claim.campaign_id)
        off = off_in_row(list(benchmarked(self._database, claim).values()))
        if found.holds is None or not is_nudged(off, campaign.policy):
            return {}
        if self._is_drafting(claim, campaign):
            return {}
        instead = self._instead(campaign, found)
        first = "Post it with `post_conclusion` (win). " if verdict is Verdict.PROMOTED else ""
        return {
            "off_strategy": f"{off} benchmarked candidates in a row; number "
            f"{campaign.policy.off_strategy_limit} is refused",
            "claim_instead": list(instead),
            "next": first + _way_out(campaign, claim, instead),
        }

    def _is_drafting(self, claim: Claim, campaign: Campaign) -> bool:
        return self._drafting.standing(claim, campaign).stage is Stage.DRAFTING

    def _instead(self, campaign: Campaign, found: Adherence) -> tuple[str, ...]:
        return self._claims.free_of(campaign, found.follows, time.time())[:OFFERED]


def _way_out(campaign: Campaign, claim: Claim, instead: tuple[str, ...]) -> str:
    """The call that ends the row."""
    follow = f"Follow {claim.strategy!r}, or "
    if not instead:
        return f"{follow}`release_claim` and `claim_strategy` for another one."
    others = f" (or {', '.join(map(repr, instead[1:]))})" if instead[1:] else ""
    return (
        f"{follow}claim what you really do: `claim_strategy` with "
        f"problem={campaign.problem.name!r}, agent={claim.agent!r}, device={campaign.device!r}, "
        f"prefer={instead[0]!r}{others}; then hand the same source in under that claim."
    )
