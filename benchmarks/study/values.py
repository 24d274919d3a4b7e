"""A campaign held as values in memory: the coordinator's pure functions, and lists around them.

    claims × catalogue -> diversify.choose            verification, duel -> recording.decided
    benchmarks of a claim -> plateau.standing         conclusions -> notes.Notes

What a board adds (transactions, leases, races between processes) has no part in a run in which one
agent after the other acts. Start at `Values.hand_in`.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.study import counting
from benchmarks.study.counting import Adherences, Timed, Worked
from benchmarks.study.evaluator import Evaluator
from benchmarks.study.notes import Notes
from benchmarks.study.policy import Answer, Lesson, Sight
from benchmarks.study.referee import DEVICE, StudyReferee
from benchmarks.study.road import TOKEN, free_choice, gain_of
from benchmarks.study.space import Design
from coordinator import contest, plateau
from coordinator.catalogue import Catalogue
from coordinator.contest import Bout, Candidate
from coordinator.diversify import Choice, choose
from coordinator.headroom import headroom_of
from coordinator.orders import Meter, Orders
from coordinator.plateau import Stage
from coordinator.recording import decided
from coordinator.situation import Situation
from coordinator.situations import Record, for_agent, situation_of
from guard.benchmark import noise_values
from guard.domain.decision import Policy, Verdict
from guard.domain.solution import Solution
from guard.promotion import terms
from memory.records import Benchmark, Campaign, Champion, Claim, ClaimState, Submission

NOW = 1.0


class Judged(NamedTuple):
    """What is known of a design that was judged in this campaign."""

    passed: bool
    benchmark: Benchmark | None


class Values:
    """One campaign; satisfies `road.Road`."""

    def __init__(
        self,
        evaluator: Evaluator,
        policy: Policy,
        seed: int,
        catalogue: Catalogue | None,
        *,
        shows_champion: bool = True,
    ) -> None:
        """`catalogue`: what claims are assigned from; none: agents choose for themselves."""
        self._evaluator = evaluator
        self._policy = policy
        self._adherences = Adherences(evaluator, catalogue) if catalogue is not None else None
        self._shows_champion = shows_champion
        self._referee = StudyReferee(evaluator, seed)
        self._orders = Orders(self._referee)
        self._claims: dict[str, Claim] = {}
        self._benchmarks: dict[str, list[Benchmark]] = defaultdict(list)
        self._notes = Notes(policy, NOW)
        self._submitted: list[Design] = []
        self._numbers: dict[tuple[str, Design], int] = {}
        self._judged: dict[Design, Judged] = {}
        self._over_parents: dict[int, float] = {}
        """By submission."""
        self._noise: list[float] = []
        self._decisions = 0
        self._held: Benchmark | None = None
        self._champion = Champion(
            submission_id=0, generation=0, solution=evaluator.baseline.solution, speedup=None
        )
        self._campaign = Campaign(
            id=1,
            problem=evaluator.problem,
            device=DEVICE.name,
            hardware=DEVICE.hardware,
            policy=policy,
            baseline=evaluator.baseline,
            started_s=NOW,
        )

    async def open(self) -> None:
        """Have the baseline fight itself, for sigma."""
        bout = self._bout(self._champion.solution)
        duel = await contest.fight_itself(self._orders, bout, Meter(None, 1))
        self._noise = noise_values(duel, self._policy)

    def claim(self, agent: str) -> Claim | None:
        """What `diversify.choose` hands out, or a claim that binds to nothing."""
        choice: Choice | None = free_choice(agent)
        if self._adherences is not None:
            situation = self._situation(self._adherences, agent)
            choice = choose(self._adherences.catalogue, situation, self._policy)
        if choice is None:
            return None
        claim = Claim(
            id=f"c{len(self._claims)}",
            campaign_id=1,
            strategy=choice.strategy,
            lane=choice.lane,
            token=TOKEN,
            agent=agent,
            generation=1 + sum(c.strategy == choice.strategy for c in self._claims.values()),
            state=ClaimState.LIVE,
            reason=choice.reason,
            phase=choice.phase.value,
            parents=choice.parents,
            claimed_s=NOW,
            expires_s=NOW + self._policy.lease_s,
        )
        self._claims[claim.id] = claim
        return claim

    def leave(self, claim: Claim) -> None:
        """Abandon it."""
        self._close(claim, ClaimState.ABANDONED)

    def sight(self, claim: Claim) -> Sight:
        """The champion, and what retention shows of the conclusions."""
        shown = self._notes.shown(claim.agent)
        cited = {number: self._submitted[number - 1] for c in shown for number in c.submission_ids}
        speedup, design = self._champion.speedup, None
        if self._shows_champion and speedup is not None:
            design = self.champion()
        return Sight(
            design, math.log(speedup.estimate) if speedup is not None else 0.0, shown, cited
        )

    async def hand_in(self, claim: Claim, design: Design, grew_from: Sequence[Design]) -> Answer:
        """Drafting's check, the record, verification, the duel, the gate, the plateau."""
        stage, number = self._stage(claim), self._numbers.get((claim.id, design))
        if number is None:
            if stage is Stage.DRAFTING and self._too_similar(claim, design):
                return Answer(0, None, stage, similar=True)
            self._submitted.append(design)
            number = self._numbers[claim.id, design] = len(self._submitted)
        known = self._judged.get(design)
        if known is None:
            known = await self._judge(claim, design, number, self._builds_on(grew_from))
            self._judged[design] = known
        stage = self._stage(claim)
        if stage is Stage.ANOTHER_LANE:
            self._close(claim, ClaimState.EXHAUSTED)
        still = self._claims[claim.id].state is ClaimState.LIVE
        return Answer(number, gain_of(known.benchmark), stage, open=still)

    def post(self, claim: Claim, lesson: Lesson, submission_id: int) -> None:
        """Append it, once, with the speedup that the record tells."""
        known = self._judged[self.design(submission_id)].benchmark
        self._notes.post(claim, lesson, submission_id, known)

    def design(self, submission_id: int) -> Design:
        """What was handed in under this number."""
        return self._submitted[submission_id - 1]

    def champion(self) -> Design | None:
        """The last one promoted."""
        return self._referee.design(self._champion.solution)

    def _builds_on(self, grew_from: Sequence[Design]) -> tuple[int, ...]:
        """Their submissions, where they are some."""
        submitted = (d for d in grew_from if d in self._judged)
        return tuple(1 + self._submitted.index(design) for design in submitted)

    async def _judge(
        self, claim: Claim, design: Design, number: int, builds_on: tuple[int, ...]
    ) -> Judged:
        solution = self._referee.solution(design)
        verification = self._evaluator.verification(design)
        if not verification.passed:
            return Judged(False, None)
        submission = Submission(
            id=number,
            campaign_id=1,
            claim_id=claim.id,
            agent=claim.agent,
            strategy=claim.strategy,
            lane=claim.lane,
            solution=solution,
            builds_on=builds_on,
            submitted_s=NOW,
            verification=verification,
        )
        candidate = Candidate(
            job_id="study",
            submission=submission,
            campaign=self._campaign,
            verification=verification,
        )
        self._decisions += 1
        under = terms(self._decisions, self._noise, self._policy)
        baseline, meter = self._campaign.baseline, Meter(None, 1)
        bout = self._bout(solution)
        fought = await contest.compete(self._orders, bout, verification, baseline, under, meter)
        mine = self._benchmarks[claim.id]
        found = decided(candidate, self._champion, fought, mine, self._held, submission, NOW)
        mine.append(found)
        parents = [self._judged[self.design(parent)].benchmark for parent in builds_on]
        self._over_parents[number] = found.speedup.estimate / counting.parents_speedup(parents)
        if found.decision.verdict is Verdict.PROMOTED:
            self._promote(found, solution)
        return Judged(True, found)

    def _promote(self, found: Benchmark, solution: Solution) -> None:
        self._held = found
        self._champion = Champion(
            submission_id=found.submission_id,
            generation=found.generation + 1,
            solution=solution,
            speedup=found.speedup,
            derived=found.derived,
        )

    def _bout(self, candidate: Solution) -> Bout:
        return Bout(
            job="study",
            problem=self._campaign.problem,
            policy=self._policy,
            candidate=candidate,
            champion=self._champion.solution,
            screens=True,
        )

    def _stage(self, claim: Claim) -> Stage:
        return plateau.standing(self._benchmarks[claim.id], self._policy).stage

    def _too_similar(self, claim: Claim, design: Design) -> bool:
        """As `drafting.Drafting`: beside the champion and the claim's last benchmarked ones."""
        last = self._benchmarks[claim.id][-self._policy.drafting_last :]
        others = [self._submitted[one.submission_id - 1] for one in last]
        return any(self._evaluator.similar(design, one) for one in (self.champion(), *others))

    def _close(self, claim: Claim, state: ClaimState) -> None:
        if self._claims[claim.id].state is ClaimState.LIVE:
            self._claims[claim.id] = claim.model_copy(update={"state": state})

    def _worked(self) -> list[Worked]:
        handed_in: dict[str, list[Judged]] = defaultdict(list)
        for claim_id, design in self._numbers:
            handed_in[claim_id].append(self._judged[design])
        return [
            Worked(
                claim=claim,
                handed_in=len(handed_in[id_]),
                measured=sum(one.benchmark is not None for one in handed_in[id_]),
                timed=[
                    Timed(self.design(b.submission_id), b, self._over_parents[b.submission_id])
                    for b in self._benchmarks[id_]
                ],
            )
            for id_, claim in self._claims.items()
        ]

    def _situation(self, adherences: Adherences, agent: str) -> Situation:
        """As `situations.Situations` reads it from the board; nobody owns a workload here."""
        claims = self._claims.values()
        record = self._worked()
        counted = Record(
            efforts=counting.efforts(record, adherences),
            laps=(),
            live=[claim for claim in claims if claim.state is ClaimState.LIVE],
            champion=self._champion.submission_id,
            stands=headroom_of(self._campaign.baseline, self._held),
        )
        families = adherences.catalogue.families_of(self._campaign.problem.definition)
        situation = situation_of(DEVICE, families, counted, NOW)
        mine = [one for one in record if one.claim.agent == agent]
        left = counting.left(mine, adherences, self._policy)
        return for_agent(situation, [one.claim for one in mine], left)
