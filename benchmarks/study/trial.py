"""One run of the study: a cell, a seed, a budget of candidates, and what came of it.

    Cell × seed × evaluator -> agents take turns on a road -> Run

Every solution that an agent hands in spends one of the budget: failed, repeated and refused ones
too, since writing it was the agent's work. Start at `play`.
"""

import random
from collections import Counter
from typing import Annotated

from pydantic import Field

from benchmarks.study.evaluator import Evaluator
from benchmarks.study.policy import Agent, Answer
from benchmarks.study.road import Road, policy_of
from benchmarks.study.space import Design
from benchmarks.study.values import Values
from coordinator.catalogue import Catalogue
from coordinator.plateau import Stage
from guard.domain.decision import Retention
from guard.domain.value import Value
from memory.records import Claim

RESTS = 10
"""Rounds after which an agent that got no strategy asks again."""
POINTS = 24
"""Points of a run's curve."""
NEAR = 0.95
"""Share of its own last log-speedup at which a run counts as having arrived."""


class Cell(Value):
    """One combination of what is varied."""

    agents: Annotated[int, Field(ge=1)]
    memory: Retention
    assigned: bool
    """Whether the coordinator hands strategies out; else everybody turns any knob."""
    forced: bool
    """Whether a plateau forces a change."""
    shows_champion: bool = True
    """Whether agents see the design that holds the first place, as on the board."""


class Run(Value):
    """What came of one run."""

    cell: Cell
    seed: int
    budget: int
    optimum: float
    """Log-speedup of the best design."""
    reached: float
    """True log-speedup of the last champion over the baseline."""
    curve: tuple[float, ...]
    """The same after each of `POINTS` equal parts of the budget."""
    arrived: int
    """Candidates until `NEAR` of what was reached in the end."""
    distinct: int
    """Different designs handed in."""
    failed: int
    similar: int
    """Refused by drafting."""
    promotions: int
    forced_promotions: int
    """Of these, handed in while in drafting, or under a claim that a plateau had made begin."""
    learned_promotions: int
    """Of these, with settings that were read in a sibling's win."""
    claims: int
    idle: int
    """Agents that never had a strategy."""


class _Team:
    """The agents of one run, and its count."""

    def __init__(self, cell: Cell, seed: int, evaluator: Evaluator, road: Road) -> None:
        self.road = road
        self.spent = 0
        self.counts: Counter[str] = Counter()
        self.designs: set[Design] = set()
        self.trail: list[float] = []
        self._evaluator = evaluator
        self._rng = random.Random(f"team {seed}")
        names = [f"agent{number}" for number in range(cell.agents)]
        self._agents = [
            Agent(name, evaluator.space, random.Random(f"agent {seed} {name}")) for name in names
        ]
        self._claims: dict[str, Claim] = {}
        self._had: set[str] = set()
        self._moved: dict[str, bool] = {}
        """Whether the agent's present claim began because a plateau ended the one before."""
        self._rests: Counter[str] = Counter()

    @property
    def idle(self) -> int:
        """Agents that never had a claim."""
        return len(self._agents) - len(self._had)

    async def round(self, budget: int) -> None:
        """One candidate of every agent that can work, in an order drawn anew.

        They work at the same time: whoever has no claim asks for one before any of these is judged.
        """
        order = self._rng.sample(self._agents, len(self._agents))
        for agent in order:
            if self._rests[agent.name]:
                self._rests[agent.name] -= 1
            elif agent.name not in self._claims and self._begin(agent) is None:
                self._rests[agent.name] = RESTS
        for agent in order:
            claim = self._claims.get(agent.name)
            if claim is not None and self.spent < budget:
                await self._turn(agent, claim)

    def _begin(self, agent: Agent) -> Claim | None:
        claim = self.road.claim(agent.name)
        if claim is None:
            return None
        self.counts["claims"] += 1
        self._had.add(agent.name)
        self._claims[agent.name] = claim
        parents = [self.road.design(parent) for parent in claim.parents]
        agent.begin(self._evaluator.space.angle(claim.strategy, parents))
        return claim

    async def _turn(self, agent: Agent, claim: Claim) -> None:
        design = agent.propose(self.road.sight(claim))
        if design is None:
            self._end(agent, claim)
            return
        before, drafting = self.road.champion(), agent.stage is Stage.DRAFTING
        answer = await self.road.hand_in(claim, design, agent.grew_from)
        self._count(agent, design, answer, drafting, self.road.champion() != before)
        lesson = agent.learn(design, answer)
        if lesson is not None and answer.submission_id:
            self.road.post(claim, lesson, answer.submission_id)
        if not answer.open or agent.gives_up:
            self._end(agent, claim, forced=not answer.open)

    def _end(self, agent: Agent, claim: Claim, *, forced: bool = False) -> None:
        if not forced:
            self.road.leave(claim)
        self._moved[agent.name] = forced
        del self._claims[agent.name]

    def _count(
        self, agent: Agent, design: Design, answer: Answer, drafting: bool, promoted: bool
    ) -> None:
        self.spent += 1
        self.designs.add(design)
        self.counts["similar"] += answer.similar
        passed = self._evaluator.verification(design).passed
        self.counts["failed"] += not passed
        if promoted:
            learned = agent.adopted is not None and agent.adopted.agent != agent.name
            self.counts["promotions"] += 1
            self.counts["forced"] += drafting or self._moved.get(agent.name, False)
            self.counts["learned"] += learned
        champion = self.road.champion()
        self.trail.append(self._evaluator.truth(champion) if champion is not None else 0.0)


async def play(
    cell: Cell, seed: int, budget: int, evaluator: Evaluator, catalogue: Catalogue
) -> Run:
    """Play one run over values."""
    road = Values(
        evaluator,
        policy_of(cell.memory, forced=cell.forced),
        seed,
        catalogue if cell.assigned else None,
        shows_champion=cell.shows_champion,
    )
    return await played(cell, seed, budget, evaluator, road)


async def played(cell: Cell, seed: int, budget: int, evaluator: Evaluator, road: Road) -> Run:
    """Play one run on this road."""
    await road.open()
    team = _Team(cell, seed, evaluator, road)
    while team.spent < budget:
        await team.round(budget)
    trail, counts = team.trail, team.counts
    reached = trail[-1]
    return Run(
        cell=cell,
        seed=seed,
        budget=budget,
        optimum=evaluator.optimum,
        reached=reached,
        curve=tuple(trail[max(0, budget * part // POINTS - 1)] for part in range(1, POINTS + 1)),
        arrived=1 + next(n for n, gain in enumerate(trail) if gain >= NEAR * reached),
        distinct=len(team.designs),
        failed=counts["failed"],
        similar=counts["similar"],
        promotions=counts["promotions"],
        forced_promotions=counts["forced"],
        learned_promotions=counts["learned"],
        claims=counts["claims"],
        idle=team.idle,
    )
