"""When to stop instead of forcing: a problem at its ceiling for one agent.

    an agent's claims × champion -> Ceiling, or None

A new champion opens everything again. Start at `Ceilings.of`. Not here: the stages of one claim
(`plateau`).
"""

from collections.abc import Sequence

from coordinator.headroom import headroom
from guard.domain.value import Value
from memory import views
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState


class Ceiling(Value):
    """Another lane would bring this agent nothing."""

    why: str


class Ceilings:
    """The last step of every agent's ladder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, campaign: Campaign, mine: Sequence[Claim]) -> Ceiling | None:
        """Why an agent whose claims these are should stop, if it should."""
        if not mine or mine[-1].state is not ClaimState.EXHAUSTED:
            return None
        policy = campaign.policy
        reached = headroom(self._database, campaign).reached
        if reached is not None and reached >= policy.ceiling_fraction:
            return Ceiling(why=f"The champion reaches {reached:.0%} of the bound.")
        champion = views.champion(self._database, campaign.id).submission_id
        crowned = views.benchmark_of(self._database, champion) if champion else None
        since_s = crowned.decided_s if crowned is not None else 0.0
        ended = [c for c in mine if c.state is ClaimState.EXHAUSTED and c.claimed_s >= since_s]
        if len(ended) < policy.ceiling_lanes:
            return None
        lanes = ", ".join(dict.fromkeys(claim.lane for claim in ended))
        return Ceiling(why=f"{len(ended)} of your claims ended at their plateaus ({lanes}).")
