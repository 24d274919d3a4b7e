"""How the house watches its own gate: the champion against itself, and against the first one.

    before the first duel   seed      champion x itself -> sigma
    every 20th decision     aa        champion x itself, by the rule -> a false promotion?
    every 40th decision     planted   the same, slowed on one side -> detected?
    every 5th promotion     grand     champion x the first one -> the product of all gains?

No runner and no referee knows which of these a duel is, but for the planted loss, which the referee
makes. They run after a decision was recorded; nobody waits for them, and what fails in them is
logged and made up for after a later decision. What is due is counted on the board.

Start at `Health.terms` and `Health.look_after`. Not here: the rule itself (`guard.promotion`).
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import structlog

from coordinator.contest import Bout, fight, fight_itself
from coordinator.orders import Meter, Notify, Orders, Stopped, twice
from guard import gate, promotion
from guard.benchmark import noise_values
from guard.domain.decision import Policy, Terms
from guard.domain.errors import KernelArcError
from guard.domain.solution import Solution
from guard.domain.trace import Duel
from guard.wire import Progress
from memory import health, views
from memory.board import Board
from memory.engine import Database
from memory.records import Benchmark, Campaign, HealthDuel, HealthKind, Tally

_LOG = structlog.get_logger(__name__)


class Noise(NamedTuple):
    """What a campaign's A/A duels have shown so far."""

    values: list[float]
    through: int
    """Number of the newest fact among them."""


class Pairing(NamedTuple):
    """Who fights whom in a health duel, and what should come of it."""

    candidate: int
    champion: int
    expected: float
    handicap: float = 0.0


class Health:
    """The health duels of one device."""

    def __init__(
        self, board: Board, database: Database, orders: Orders, clock: Callable[[], float]
    ) -> None:
        self._board = board
        self._database = database
        self._orders = orders
        self._clock = clock
        self._given: Counter[int] = Counter()
        self._numbering = asyncio.Lock()
        self._seeding: dict[int, asyncio.Task[None]] = {}
        self._looking: dict[int, asyncio.Task[None]] = {}

    async def terms(self, campaign: Campaign, notify: Notify | None = None) -> Terms:
        """The terms of the campaign's next duel; before its first one, sigma is measured.

        Raises:
            HouseError: sigma could not be measured.
        """
        if not await asyncio.to_thread(self._is_seeded, campaign):
            if notify is not None:
                message = "timing the champion against itself"
                await notify(Progress(job="", done=0, total=1, message=message))
            # Shared by all who wait, and not ended by one of them that leaves.
            await asyncio.shield(self._seed_once(campaign))
        # Two duels must not get one number: each spends its own share of alpha.
        async with self._numbering:
            found = await asyncio.to_thread(self._terms, campaign)
            self._given[campaign.id] = found.number
        return found

    def look_after(self, campaign: Campaign) -> None:
        """Begin the health duels that are due now, if any, unless some are under way."""
        running = self._looking.get(campaign.id)
        if running is None or running.done():
            task = asyncio.create_task(self._look(campaign), name=f"health {campaign.id}")
            self._looking[campaign.id] = task

    async def idle(self) -> None:
        """Return when no health duel is under way."""
        await asyncio.gather(*self._looking.values())

    async def close(self) -> None:
        """Stop; what was under way is due again at the next start."""
        tasks = [*self._looking.values(), *self._seeding.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- sigma -------------------------------------------------------------------------------

    def _is_seeded(self, campaign: Campaign) -> bool:
        found = health.health_duels(self._database, campaign.id)
        return not campaign.policy.aa_pairs or any(duel.kind == "seed" for duel in found)

    def _seed_once(self, campaign: Campaign) -> asyncio.Task[None]:
        seeding = self._seeding.get(campaign.id)
        if seeding is None:
            seeding = asyncio.create_task(self._fight(campaign, "seed"))
            self._seeding[campaign.id] = seeding
            seeding.add_done_callback(lambda _: self._seeding.pop(campaign.id, None))
        return seeding

    def _terms(self, campaign: Campaign) -> Terms:
        noise = noise_of(health.health_duels(self._database, campaign.id), campaign.policy)
        seen = health.tally(self._database, campaign.id)
        # A duel that ended without a decision has spent its share all the same.
        last = max(seen.decisions, seen.last_number, self._given[campaign.id])
        return promotion.terms(last + 1, noise.values, campaign.policy, noise.through)

    # --- the duels ---------------------------------------------------------------------------

    async def _look(self, campaign: Campaign) -> None:
        try:
            for kind in await asyncio.to_thread(self._due, campaign):
                await self._fight(campaign, kind)
        except (KernelArcError, Stopped) as error:
            _LOG.warning("health duel failed", campaign=campaign.id, reason=str(error))

    def _due(self, campaign: Campaign) -> tuple[HealthKind, ...]:
        found = health.health_duels(self._database, campaign.id)
        fought = Counter(duel.kind for duel in found)
        return due(health.tally(self._database, campaign.id), fought, campaign.policy)

    async def _fight(self, campaign: Campaign, kind: HealthKind) -> None:
        pairing = await asyncio.to_thread(self._pairing, campaign, kind)
        if pairing is None:
            return
        terms = await asyncio.to_thread(self._terms, campaign)
        policy = campaign.policy
        bout = Bout(
            job=f"health-{campaign.id}-{kind}",
            problem=campaign.problem,
            policy=policy,
            candidate=await asyncio.to_thread(self._solution, campaign, pairing.candidate),
            champion=await asyncio.to_thread(self._solution, campaign, pairing.champion),
            handicap=pairing.handicap,
        )
        with self._orders.on_the_road(bout.job, campaign.id):
            duel = await self._duel(kind, bout, terms)
        found = self._found(campaign, kind, pairing, duel, terms)
        await twice(lambda: asyncio.to_thread(self._board.record_health, found))
        if found.wrong or duel.failures:
            _LOG.warning("health duel", kind=kind, wrong=found.wrong, failures=len(duel.failures))

    async def _duel(self, kind: HealthKind, bout: Bout, terms: Terms) -> Duel:
        policy, meter = bout.policy, Meter(None, 1)
        if kind == "seed":
            return await fight_itself(self._orders, bout, meter)
        whole = kind == "grand"
        return await fight(
            self._orders,
            bout,
            meter,
            lambda duel: whole or gate.needs_more(duel, policy, terms),
            most=policy.min_pairs if whole else policy.max_pairs,
        )

    def _found(
        self, campaign: Campaign, kind: HealthKind, pairing: Pairing, duel: Duel, terms: Terms
    ) -> HealthDuel:
        policy = campaign.policy
        ratio = gate.speedup(duel, policy, terms)
        promoted = gate.clears(duel, policy, terms)
        return HealthDuel(
            campaign_id=campaign.id,
            kind=kind,
            champion_submission_id=pairing.candidate,
            against_submission_id=pairing.champion,
            duel=duel,
            terms=terms,
            ratio=ratio,
            expected=pairing.expected,
            promoted=promoted,
            wrong=went_wrong(kind, duel, policy, terms),
            fought_s=self._clock(),
        )

    def _pairing(self, campaign: Campaign, kind: HealthKind) -> Pairing | None:
        holder = views.champion(self._database, campaign.id).submission_id
        if kind == "planted":
            loss = campaign.policy.planted_loss
            return Pairing(holder, holder, 1 / (1 + loss), loss)
        if kind != "grand":
            return Pairing(holder, holder, 1.0)
        decided = {b.submission_id: b for b in views.benchmarks(self._database, campaign.id)}
        first, product = lineage(decided, holder)
        return Pairing(holder, first, product) if first != holder else None

    def _solution(self, campaign: Campaign, submission_id: int) -> Solution:
        found = views.submission(self._database, submission_id)
        return found.solution if found is not None else campaign.baseline.solution


def due(seen: Tally, fought: Mapping[HealthKind, int], policy: Policy) -> tuple[HealthKind, ...]:
    """The kinds of which fewer were fought than a campaign so far should have seen."""
    wanted: dict[HealthKind, int] = {
        "aa": seen.decisions // policy.aa_every,
        "planted": seen.decisions // policy.planted_every,
        "grand": seen.promotions // policy.grand_every,
    }
    return tuple(kind for kind, count in wanted.items() if fought.get(kind, 0) < count)


def noise_of(duels: Sequence[HealthDuel], policy: Policy) -> Noise:
    """The log-ratios of every pair in which the champion fought itself, oldest first."""
    aa = [duel for duel in duels if duel.kind in ("seed", "aa")]
    values = [x for found in aa for x in noise_values(found.duel, policy)]
    return Noise(values, max((found.seq for found in aa), default=0))


def went_wrong(kind: HealthKind, duel: Duel, policy: Policy, terms: Terms) -> bool:
    """Whether a health duel shows a fault of the gate: see `HealthDuel.wrong`."""
    promoted = gate.clears(duel, policy, terms)
    if kind == "aa":
        return promoted
    # A duel without figures says nothing of the gate.
    lost = gate.speedup(duel, policy).estimate < 1
    return kind == "planted" and bool(noise_values(duel, policy)) and (promoted or not lost)


def lineage(decided: Mapping[int, Benchmark], holder: int) -> tuple[int, float]:
    """The first champion that the holder descends from, and the product of the gains since.

    Each step is what one of them was promoted over, so a revoked champion leaves no gap.
    """
    product, at = 1.0, holder
    while at in decided and decided[at].champion_submission_id:
        gain = decided[at].decision.over_champion
        product *= gain.estimate if gain is not None else 1.0
        at = decided[at].champion_submission_id
    return at, product
