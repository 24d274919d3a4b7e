"""Who is on which strategy: handing out, leases, and the end of a claim.

A claim is exclusive per campaign and strategy, and an agent (token and label) holds one at a time.
The database decides every race; this module asks again when it lost one. A lease that ran out
costs nothing until somebody else takes the strategy.

    assign -> Claim | Busy | Ceiling      use -> Claim, renewed?      release -> Claim

Start at `Claims.assign`. Methods block, like the board's. Not here: which strategy is the best
choice (`diversify`), what a plateau is (`plateau`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from coordinator import composites, plateau
from coordinator.adherence import is_nudged, off_in_row
from coordinator.catalogue import Catalogue
from coordinator.ceiling import Ceiling, Ceilings
from coordinator.diversify import Choice, choose, free, names
from coordinator.limits import Limits
from coordinator.plateau import Stage
from coordinator.situations import Situations
from guard.domain.decision import Policy
from guard.domain.errors import (
    BadValue,
    ClaimClosed,
    ClaimTakenOver,
    KernelArcError,
    UnknownClaim,
    did_you_mean,
)
from guard.domain.value import Value
from guard.ports import DeviceIdentity
from memory import efforts, views
from memory.adherence import benchmarked
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState

NEAREST = 3
"""Names that are offered for a wish that does not exist."""
SOONEST_S = 1.0
"""Never ask an agent to come back sooner."""


class Busy(Value):
    """No strategy is free: who holds them, and when to ask again."""

    holders: tuple[Claim, ...]
    retry_after_s: float


class Claims:
    """The claims of every campaign."""

    def __init__(
        self,
        board: Board,
        database: Database,
        catalogue: Catalogue,
        *,
        devices: Mapping[str, DeviceIdentity],
    ) -> None:
        """`devices`: those of this host by their names."""
        self._board = board
        self._database = database
        self._catalogue = catalogue
        self._situations = Situations(database, catalogue, devices)
        self._ceiling = Ceilings(database)
        self.limits = Limits(board, database)

    def assign(
        self, campaign: Campaign, *, prefer: str, token: str, agent: str, now_s: float
    ) -> Claim | Busy | Ceiling:
        """Give the agent a strategy of its own; one that holds a claim gets that one again.

        Raises:
            BadValue: `prefer` names no strategy and no lane.
            CampaignClosed, CampaignStopped, CampaignPaused: it takes no new work.
            UnknownDevice: the campaign's device is not on this host.
        """
        self.limits.require_going(campaign, now_s)
        self._require_known(campaign, prefer, now_s)
        # A lost race means that another agent holds the strategy now, so each round has one
        # less to choose from.
        for _ in self._catalogue.strategies:
            kept = self._keep(campaign, prefer, token, agent, now_s)
            if kept:
                return kept
            mine = efforts.claims_of(self._database, campaign.id, token, agent)
            if stop := self._ceiling.of(campaign, mine):
                return stop
            situation = self._situations.of(campaign, now_s, mine)
            situation = situation.model_copy(update={"prefer": prefer})
            choice = choose(self._catalogue, situation, campaign.policy)
            if choice is None:
                break
            taken = self._take(campaign, choice, token=token, agent=agent, now_s=now_s)
            if taken is not None:
                return taken
        return self._busy(campaign, now_s)

    def use(
        self, claim_id: str, token: str, now_s: float, *, handed_in: bool = False
    ) -> tuple[Claim, bool]:
        """Check that a claim may be worked under, and renew its lease.

        `handed_in`: the work is on a candidate that is on the board already. The second value is
        true when the lease had run out and nobody had taken the strategy.

        Raises:
            UnknownClaim: there is none, or it belongs to another token.
            CampaignClosed, CampaignStopped, CampaignPaused: it takes no new work.
            ClaimTakenOver, ClaimClosed: nothing more is accepted under it.
        """
        claim = self._own(claim_id, token)
        campaign = views.campaign(self._database, claim.campaign_id)
        self.limits.require_going(campaign, now_s, handed_in=handed_in)
        expired = claim.expires_s <= now_s
        claim = settle(self._board, self._database, claim, campaign.policy, now_s)
        if claim.state is ClaimState.LIVE:
            claim = self._board.renew(claim_id, lease_s=campaign.policy.lease_s, now_s=now_s)
        if claim.state is not ClaimState.LIVE:
            raise self._refusal(campaign, claim, now_s)
        return claim, expired

    def release(
        self,
        claim_id: str,
        token: str,
        outcome: Literal["done", "abandoned"],
        *,
        now_s: float,
        model: str = "",
        tokens: int = 0,
        cost_usd: float = 0.0,
    ) -> Claim:
        """End a claim and note what it cost; releasing twice is harmless.

        An exhausted claim stays in that state, so that its agent still changes lanes.

        Raises:
            UnknownClaim: there is none, or it belongs to another token.
            ClaimTakenOver: another agent holds the strategy now.
        """
        claim = self._own(claim_id, token)
        if claim.state is ClaimState.TAKEN_OVER:
            campaign = views.campaign(self._database, claim.campaign_id)
            raise self._refusal(campaign, claim, now_s)
        return self._board.close_claim(
            claim_id,
            ClaimState(outcome),
            detail="released by its agent",
            now_s=now_s,
            model=model,
            tokens=tokens,
            cost_usd=cost_usd,
        )

    def free_of(
        self, campaign: Campaign, strategies: Sequence[str], now_s: float
    ) -> tuple[str, ...]:
        """Those of these strategies that nobody holds, in the order given."""
        situation = self._situations.of(campaign, now_s)
        here = {strategy.id for strategy in free(self._catalogue, situation)}
        return tuple(name for name in strategies if name in here)

    def _require_known(self, campaign: Campaign, prefer: str, now_s: float) -> None:
        """Refuse a wish for what does not exist, with the names that are nearest."""
        if not prefer or prefer in self._catalogue.names:
            return
        known = names(self._catalogue, self._situations.of(campaign, now_s), campaign.policy)
        if prefer not in known and not composites.is_known(prefer, self._catalogue):
            near = did_you_mean(prefer, known, NEAREST)
            raise BadValue("prefer", f"no strategy or lane is named {prefer!r}. {near}")

    def _own(self, claim_id: str, token: str) -> Claim:
        claim = views.claim(self._database, claim_id)
        # One answer for both: a claim id is its agent's identity, and must not be confirmed.
        if claim is None or claim.token != token:
            raise UnknownClaim(claim_id)
        return claim

    def _take(
        self, campaign: Campaign, choice: Choice, *, token: str, agent: str, now_s: float
    ) -> Claim | None:
        return self._board.claim(
            campaign.id,
            strategy=choice.strategy,
            lane=choice.lane,
            token=token,
            agent=agent,
            reason=choice.reason,
            phase=choice.phase.value,
            parents=choice.parents,
            lease_s=campaign.policy.lease_s,
            now_s=now_s,
        )

    def _keep(
        self, campaign: Campaign, prefer: str, token: str, agent: str, now_s: float
    ) -> Claim | None:
        """The agent's live claim with a fresh lease, unless it has reached its plateau.

        An agent that strays is given what it asks for instead: its claim ends here.
        """
        for claim in efforts.claims_of(self._database, campaign.id, token, agent):
            if claim.state is ClaimState.LIVE:
                settled = settle(self._board, self._database, claim, campaign.policy, now_s)
                if settled.state is ClaimState.LIVE and self._leaves(campaign, settled, prefer):
                    detail = f"off its strategy; its agent asked for {prefer!r}"
                    settled = self._board.close_claim(
                        claim.id, ClaimState.ABANDONED, detail=detail, now_s=now_s
                    )
                if settled.state is ClaimState.LIVE:
                    lease_s = campaign.policy.lease_s
                    settled = self._board.renew(claim.id, lease_s=lease_s, now_s=now_s)
                if settled.state is ClaimState.LIVE:
                    return settled
        return None

    def _leaves(self, campaign: Campaign, claim: Claim, prefer: str) -> bool:
        """Whether an agent that was told to claim what it really does asks for something else."""
        if prefer in ("", claim.strategy, claim.lane):
            return False
        asked = benchmarked(self._database, claim)
        return is_nudged(off_in_row(list(asked.values())), campaign.policy)

    def _busy(self, campaign: Campaign, now_s: float) -> Busy:
        holders = views.live_claims(self._database, campaign.id, now_s)
        soonest = min((claim.expires_s for claim in holders), default=now_s)
        return Busy(holders=holders, retry_after_s=max(SOONEST_S, soonest - now_s))

    def _refusal(self, campaign: Campaign, claim: Claim, now_s: float) -> KernelArcError:
        """The error that says why nothing is accepted under a claim."""
        if claim.state is ClaimState.TAKEN_OVER:
            situation = self._situations.of(campaign, now_s)
            options = [s.id for s in free(self._catalogue, situation)]
            return ClaimTakenOver(claim.id, claim.strategy, options)
        if claim.state is ClaimState.EXHAUSTED:
            return ClaimClosed(claim.id, "ended at its plateau: another lane is next")
        return ClaimClosed(claim.id)


def settle(board: Board, database: Database, claim: Claim, policy: Policy, now_s: float) -> Claim:
    """End a live claim that has reached the last step of its plateau; any other stays as it is.

    Asked after each benchmark and at each use, so that a server stopped between the two still
    comes to the same end.
    """
    if claim.state is not ClaimState.LIVE:
        return claim
    found = plateau.standing(views.benchmarks_of_claim(database, claim.id), policy)
    if found.stage is not Stage.ANOTHER_LANE:
        return claim
    detail = f"{found.stalled} benchmarked candidates in a row without progress"
    return board.close_claim(claim.id, ClaimState.EXHAUSTED, detail=detail, now_s=now_s)
