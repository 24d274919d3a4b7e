"""Read from the board all that an assignment depends on.

    campaign, its record, who asks, when -> Situation

What is read is counted by the database, so that the cost does not grow with the candidates. A
simulation counts its own lists and asks the pure half, `situation_of`, `left_of` and `for_agent`.
Start at `Situations.of`. Not here: what follows from it (`diversify`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coordinator.adherence import is_nudged, off_in_row
from coordinator.catalogue import Catalogue
from coordinator.headroom import Headroom, headroom
from coordinator.situation import Effort, Left, Mark, Owner, Phase, Situation
from guard.domain.adherence import Adherence
from guard.domain.decision import Policy
from guard.domain.errors import UnknownDevice
from guard.ports import DeviceIdentity
from memory import efforts, views
from memory.adherence import benchmarked
from memory.efforts import Lap, StrategyRecord
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState
from memory.tallies import Best, Counts, Tally


class Record(NamedTuple):
    """What was counted of a campaign, on a board or in a simulation."""

    efforts: Sequence[StrategyRecord]
    laps: Sequence[Lap]
    """The fastest believed submissions, the champion among them."""
    live: Sequence[Claim]
    """Those whose lease ran out included."""
    champion: int
    """Its submission; 0: the baseline."""
    stands: Headroom


class Situations:
    """The situation of every campaign."""

    def __init__(
        self, database: Database, catalogue: Catalogue, devices: Mapping[str, DeviceIdentity]
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._devices = devices
        self._tallies: dict[int, Tally] = {}
        """By campaign; facts are only ever added, so each is counted once."""

    def of(self, campaign: Campaign, now_s: float, mine: Sequence[Claim] = ()) -> Situation:
        """What a choice depends on; `mine`: the claims of the agent that asks, oldest first.

        Raises:
            UnknownDevice: the campaign's device is not on this host.
        """
        device = self._devices.get(campaign.device)
        if device is None:
            raise UnknownDevice(campaign.device, self._devices)
        champion = views.champion(self._database, campaign.id).submission_id
        most = campaign.policy.frontier_candidates
        known = self._tallies.get(campaign.id)
        found, self._tallies[campaign.id] = efforts.efforts(self._database, campaign.id, known)
        record = Record(
            efforts=found,
            laps=efforts.laps(self._database, campaign.id, champion, most),
            live=efforts.live(self._database, campaign.id),
            champion=champion,
            stands=headroom(self._database, campaign),
        )
        families = self._catalogue.families_of(campaign.problem.definition)
        situation = situation_of(device, families, record, now_s)
        return for_agent(situation, mine, self._left(campaign, mine))

    def _left(self, campaign: Campaign, mine: Sequence[Claim]) -> Left | None:
        if not mine:
            return None
        counts = efforts.own_counts(self._database, mine[-1])
        asked = benchmarked(self._database, mine[-1])
        return left_of(mine[-1], counts, tuple(asked.values()), campaign.policy)


def situation_of(
    device: DeviceIdentity, families: frozenset[str], record: Record, now_s: float
) -> Situation:
    """What a choice depends on, without the part of the agent that asks. Pure."""
    return Situation(
        device_kind=device.kind,
        architecture=device.architecture,
        families=families,
        resource=record.stands.resource,
        reached=record.stands.reached,
        champion=record.champion,
        efforts=tuple(map(_effort, record.efforts)),
        frontier=frontier(record.laps, record.champion),
        held=frozenset(c.strategy for c in record.live if c.expires_s > now_s),
        expired=frozenset(c.strategy for c in record.live if c.expires_s <= now_s),
    )


def for_agent(situation: Situation, mine: Sequence[Claim], left: Left | None) -> Situation:
    """The same for the agent whose claims these are, and who left that. Pure."""
    ended = tuple(claim.strategy for claim in mine if claim.state is not ClaimState.LIVE)
    return situation.model_copy(update={"left": left, "given_back": ended})


def left_of(last: Claim, counts: Counts, asked: Sequence[Adherence | None], policy: Policy) -> Left:
    """What an agent left. Pure.

    `counts`: under all its claims on that strategy; `asked`: whether each candidate that was to be
    benchmarked followed it.
    """
    return Left(
        strategy=last.strategy,
        lane=last.lane,
        phase=Phase(last.phase) if last.phase else None,
        parents=last.parents,
        handed_in=counts.handed_in,
        benchmarked=counts.benchmarked,
        exhausted=last.state is ClaimState.EXHAUSTED,
        sent_away=is_nudged(off_in_row(asked), policy),
    )


def frontier(laps: Sequence[Lap], champion: int) -> tuple[Owner, ...]:
    """The fastest on each workload that the champion was timed on, and its lead over it. Pure.

    Compared by the speedup over the baseline, which each took from a duel of its own.
    """
    held = next((lap.speedups for lap in laps if lap.submission_id == champion), None)
    if held is None:
        # The baseline is champion: it is as fast as itself wherever anybody was timed.
        held = {workload: 1.0 for lap in laps for workload in lap.speedups}
    owners = []
    for workload, speedup in held.items():
        timed = [lap for lap in laps if workload in lap.speedups]
        # Of equal ones the champion, then the faster as a whole.
        best = max(timed, key=lambda lap: (lap.speedups[workload], lap.submission_id == champion))
        owners.append(
            Owner(
                workload=workload,
                submission_id=best.submission_id,
                strategy=best.strategy,
                lead=best.speedups[workload] / speedup,
            )
        )
    return tuple(owners)


def _effort(record: StrategyRecord) -> Effort:
    tried = record.tried
    return Effort(
        strategy=record.strategy,
        lane=record.lane,
        claims=record.claims,
        exhausted=record.exhausted,
        handed_in=tried.counts.handed_in,
        benchmarked=tried.counts.benchmarked,
        measured=tried.counts.measured,
        gain=tried.gain,
        best=_mark(tried.best),
        win=_mark(tried.win),
    )


def _mark(best: Best | None) -> Mark | None:
    return Mark.model_validate(best.model_dump()) if best is not None else None
