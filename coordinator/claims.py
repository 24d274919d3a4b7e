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

from coordinator import plateau
from coordinator.adherence import is_nudged, off_in_row
from coordinator.catalogue import Catalogue
from coordinator.ceiling import Ceiling, Ceilings, exhausted_lane
from coordinator.diversify import Choice, Past, Situation, choose, free
from coordinator.limits import Limits
from coordinator.plateau import Stage
from guard.domain.decision import Policy
from guard.domain.errors import (
    BadValue,
    ClaimClosed,
    ClaimTakenOver,
    KernelArcError,
    UnknownClaim,
    UnknownDevice,
    did_you_mean,
)
from guard.domain.value import Value
from memory import views
from memory.adherence import benchmarked
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState

WINS = 1000
"""Newest wins that a choice looks at."""
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
        device_kinds: Mapping[str, str],
    ) -> None:
        """`device_kinds`: the kind of each device of this host, by the device's name."""
        self._board = board
        self._database = database
        self._catalogue = catalogue
        self._device_kinds = device_kinds
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
        if prefer and prefer not in self._catalogue.names:
            near = did_you_mean(prefer, self._catalogue.names)
            raise BadValue("prefer", f"no strategy or lane is named {prefer!r}. {near}")
        # A lost race means that another agent holds the strategy now, so each round has one
        # less to choose from.
        for _ in self._catalogue.strategies:
            kept = self._keep(campaign, prefer, token, agent, now_s)
            if kept:
                return kept
            claims = views.claims(self._database, campaign.id)
            mine = [claim for claim in claims if (claim.token, claim.agent) == (token, agent)]
            if stop := self._ceiling.of(campaign, mine):
                return stop
            choice = choose(
                self._catalogue,
                self._situation(campaign, claims, now_s).model_copy(
                    update={"prefer": prefer, "avoid_lane": exhausted_lane(mine)}
                ),
            )
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
        situation = self._situation(campaign, views.claims(self._database, campaign.id), now_s)
        names = {strategy.id for strategy in free(self._catalogue, situation)}
        return tuple(name for name in strategies if name in names)

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
            strategy=choice.strategy.id,
            lane=choice.strategy.lane,
            token=token,
            agent=agent,
            reason=choice.reason,
            lease_s=campaign.policy.lease_s,
            now_s=now_s,
        )

    def _keep(
        self, campaign: Campaign, prefer: str, token: str, agent: str, now_s: float
    ) -> Claim | None:
        """The agent's live claim with a fresh lease, unless it has reached its plateau.

        An agent that strays is given what it asks for instead: its claim ends here.
        """
        for claim in views.claims(self._database, campaign.id):
            if (claim.token, claim.agent) == (token, agent):
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

    def _situation(self, campaign: Campaign, claims: Sequence[Claim], now_s: float) -> Situation:
        """What a choice depends on, without the agent's own part."""
        kind = self._device_kinds.get(campaign.device)
        if kind is None:
            raise UnknownDevice(campaign.device, self._device_kinds)
        live = [c for c in claims if c.state is ClaimState.LIVE]
        wins = self._wins(campaign.id)
        return Situation(
            device_kind=kind,
            families=self._catalogue.families_of(campaign.problem.definition),
            held=frozenset(c.strategy for c in live if c.expires_s > now_s),
            expired=frozenset(c.strategy for c in live if c.expires_s <= now_s),
            history=tuple(
                Past(strategy=c.strategy, lane=c.lane, win=wins.get(c.id)) for c in claims
            ),
        )

    def _wins(self, campaign_id: int) -> dict[str, float]:
        """The best speedup that a win tells, per claim."""
        best: dict[str, float] = {}
        for win in views.conclusions(self._database, campaign_id, kind="win", limit=WINS):
            if not win.sound:
                continue
            best[win.claim_id] = max(best.get(win.claim_id, 0.0), win.speedup or 0.0)
        return best

    def _refusal(self, campaign: Campaign, claim: Claim, now_s: float) -> KernelArcError:
        """The error that says why nothing is accepted under a claim."""
        if claim.state is ClaimState.TAKEN_OVER:
            claims = views.claims(self._database, campaign.id)
            situation = self._situation(campaign, claims, now_s)
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
