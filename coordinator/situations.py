"""Read from the board all that an assignment depends on.

    campaign, its record, who asks, when -> Situation

What is read is counted by the database, so that the cost does not grow with the candidates. Start
at `Situations.of`. Not here: what follows from it (`diversify`).
"""

from collections.abc import Mapping, Sequence

from coordinator.adherence import is_nudged, off_in_row
from coordinator.catalogue import Catalogue
from coordinator.headroom import headroom
from coordinator.situation import Effort, Left, Mark, Owner, Phase, Situation
from guard.domain.errors import UnknownDevice
from guard.ports import DeviceIdentity
from memory import efforts, views
from memory.adherence import benchmarked
from memory.efforts import Lap, StrategyRecord
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState


class Situations:
    """The situation of every campaign."""

    def __init__(
        self, database: Database, catalogue: Catalogue, devices: Mapping[str, DeviceIdentity]
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._devices = devices

    def of(self, campaign: Campaign, now_s: float) -> Situation:
        """What a choice depends on, without the part of the agent that asks.

        Raises:
            UnknownDevice: the campaign's device is not on this host.
        """
        device = self._devices.get(campaign.device)
        if device is None:
            raise UnknownDevice(campaign.device, self._devices)
        live = efforts.live(self._database, campaign.id)
        champion = views.champion(self._database, campaign.id).submission_id
        most = campaign.policy.frontier_candidates
        stands = headroom(self._database, campaign)
        return Situation(
            device_kind=device.kind,
            architecture=device.architecture,
            families=self._catalogue.families_of(campaign.problem.definition),
            resource=stands.resource,
            reached=stands.reached,
            champion=champion,
            efforts=tuple(map(_effort, efforts.efforts(self._database, campaign.id))),
            frontier=frontier(efforts.laps(self._database, campaign.id, champion, most), champion),
            held=frozenset(c.strategy for c in live if c.expires_s > now_s),
            expired=frozenset(c.strategy for c in live if c.expires_s <= now_s),
        )

    def left(self, campaign: Campaign, mine: Sequence[Claim]) -> Left | None:
        """The last of an agent's claims, which has ended; None: it never had one."""
        if not mine:
            return None
        last = mine[-1]
        handed_in, timed = efforts.own_counts(self._database, last)
        strayed = off_in_row(list(benchmarked(self._database, last).values()))
        return Left(
            strategy=last.strategy,
            lane=last.lane,
            phase=Phase(last.phase) if last.phase else None,
            parents=last.parents,
            handed_in=handed_in,
            benchmarked=timed,
            exhausted=last.state is ClaimState.EXHAUSTED,
            sent_away=is_nudged(strayed, campaign.policy),
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
    best = None
    if record.best_id:
        best = Mark(submission_id=record.best_id, speedup=record.speedup, low=record.low)
    return Effort(
        strategy=record.strategy,
        lane=record.lane,
        claims=record.claims,
        exhausted=record.exhausted,
        handed_in=record.handed_in,
        benchmarked=record.benchmarked,
        best=best,
    )
