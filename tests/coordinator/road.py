"""A pipeline on a real board, with all that a test hands in and looks up."""

from coordinator.catalogue import load
from coordinator.pipeline import Pipeline
from guard.domain.decision import Policy
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Benchmark, Claim, Job, JobState
from tests.coordinator.fakes import FakeReferee, baseline, problem, seeded, solution
from tests.guard.duels import verification

NOW = 1_000_000.0


class Road:
    """A pipeline with everything around it, and a clock that stands still."""

    def __init__(
        self, board: Board, database: Database, policy: Policy, *, seed: bool = True
    ) -> None:
        self.board, self.database, self.now_s = board, database, NOW
        self.campaign = board.start_campaign(problem(), "cpu", "a cpu", policy, baseline())
        # A quiet machine: sigma was measured already.
        if seed:
            board.record_health(seeded(self.campaign.id, *[0.0] * policy.aa_pairs))
        self.referee = FakeReferee()
        self.pipeline = self.beside(self.referee)

    @classmethod
    def unseeded(cls, board: Board, database: Database, policy: Policy) -> "Road":
        """One of which sigma is not known yet."""
        return cls(board, database, policy, seed=False)

    def beside(self, referee: FakeReferee) -> Pipeline:
        """Another pipeline on the same board."""
        return Pipeline(self.board, self.database, referee, load(), clock=lambda: self.now_s)

    def claim(self, agent: str = "ada", strategy: str = "memory.resident-row") -> Claim:
        claim = self.board.claim(
            self.campaign.id,
            strategy=strategy,
            lane=strategy.partition(".")[0],
            token="local",
            agent=agent,
            reason="",
            lease_s=self.campaign.policy.lease_s,
            now_s=self.now_s,
        )
        assert claim is not None
        return claim

    def hand_in(self, claim: Claim, gain: float, text: str = "") -> Job:
        return self.board.submit(claim.id, solution(gain, text), (), self.now_s)[1]

    def verified(self, claim: Claim, gain: float, text: str = "") -> Job:
        """A benchmark job of a submission that passed."""
        job = self.hand_in(claim, gain, text)
        passed = verification("w")
        self.board.record_verification(job.submission_id, job.id, passed, self.now_s)
        return self.board.request_benchmark(job.submission_id, self.now_s)

    async def benchmark(self, claim: Claim, gain: float, text: str = "") -> Benchmark:
        job = self.verified(claim, gain, text)
        await self.pipeline.benchmark(job)
        return self.result(job)

    def result(self, job: Job) -> Benchmark:
        found = views.benchmark_of(self.database, job.submission_id)
        assert found is not None
        return found

    def state(self, job: Job) -> tuple[JobState, str]:
        now = views.job(self.database, job.id)
        assert now is not None
        return now.state, now.reason

    def claim_now(self, claim: Claim) -> Claim:
        now = views.claim(self.database, claim.id)
        assert now is not None
        return now
