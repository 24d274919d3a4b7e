"""The tools that need a device: verify, benchmark, wait, cancel.

Each stores what it was asked for before it answers, gives the job to the server, and only waits:
the caller may leave at any moment and ask again with the same words.

Start at `Working.verify`. Not here: the road itself (`coordinator.pipeline`), its tasks (`jobs`),
what the answers say (`outcome`).
"""

import asyncio
import time
from collections.abc import Sequence

from coordinator.claims import Claims
from coordinator.drafting import Drafting
from guard.domain.errors import BadValue, NotVerified, UnknownJob, UnknownSubmission
from guard.domain.solution import Solution
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Claim, Job, JobState, Submission
from server import show, twins
from server.adherence import Steering
from server.answers import Answer
from server.benches import Benches
from server.handing_in import HandedIn, read_solution
from server.jobs import Jobs
from server.ladder import Ladder
from server.library import Library
from server.outcome import Outcome
from server.visit import Visit


class Working:
    """Verification and benchmark jobs of agents."""

    def __init__(
        self, *, database: Database, board: Board, claims: Claims, jobs: Jobs, library: Library,
        benches: Benches, ladder: Ladder,
    ) -> None:  # fmt: skip
        self._database = database
        self._board = board
        self._claims = claims
        self._jobs = jobs
        self._library = library
        self._benches = benches
        self._steering = Steering(database, claims)
        self._asking = asyncio.Lock()
        self._drafting = Drafting(database)
        self._outcome = Outcome(database, jobs, self._untimed, self._steering, ladder)

    async def verify(
        self,
        visit: Visit,
        claim_id: str,
        handed_in: tuple[str, str, bool, str, str, str],
        builds_on: Sequence[int],
        wait_s: float,
    ) -> Answer:
        """Hand a solution in and wait for its verdict."""
        token = visit.caller.token
        claim, renewed = await asyncio.to_thread(self._use, claim_id, token)
        await asyncio.to_thread(self._require_healthy, claim.campaign_id)
        solution = await asyncio.to_thread(self._solution, claim, HandedIn(*handed_in))
        await asyncio.to_thread(self._require_different, claim, solution)
        parents = tuple(dict.fromkeys(builds_on))
        job = await asyncio.to_thread(self._submit, claim, solution, parents)
        self._jobs.begin(job)
        await self._jobs.wait([job.id], wait_s, visit.tell)
        answer = await asyncio.to_thread(self._outcome.of_job, job.id)
        return show.with_renewal(answer, renewed)

    async def benchmark(self, visit: Visit, submission_id: int, wait_s: float) -> Answer:
        """Have a verified submission timed; a decided one, or the same one, answers at once."""
        token = visit.caller.token
        recorded = await asyncio.to_thread(self._recorded, submission_id, token)
        if recorded:
            return recorded
        # One at a time: whether it is one stray too many depends on those asked for before.
        async with self._asking:
            job, renewed = await asyncio.to_thread(self._request, submission_id, token)
        self._jobs.begin(job)
        await self._jobs.wait([job.id], wait_s, visit.tell)
        answer = await asyncio.to_thread(self._outcome.of_job, job.id)
        return show.with_renewal(answer, renewed)

    async def wait(self, visit: Visit, job_ids: Sequence[str], wait_s: float) -> Answer:
        """Wait for several jobs, and answer for each."""
        wanted = list(dict.fromkeys(job_ids))
        for job_id in wanted:
            await asyncio.to_thread(self._own_job, job_id, visit.caller.token)
        await self._jobs.wait(wanted, wait_s, visit.tell)
        answers = [await asyncio.to_thread(self._outcome.of_job, job_id) for job_id in wanted]
        if len(answers) == 1:
            return answers[0]
        waiting = [a["job_id"] for a in answers if a["state"] in ("queued", "running")]
        return {
            "jobs": answers,
            "next": f"Call `job_wait` again for {', '.join(waiting)}."
            if waiting
            else "All have ended; each says what to do next.",
        }

    async def cancel(self, visit: Visit, job_id: str) -> Answer:
        """End a job and its processes."""
        job = await asyncio.to_thread(self._own_job, job_id, visit.caller.token)
        cancelled = await self._jobs.cancel(job)
        answer = await asyncio.to_thread(self._outcome.of_job, job_id)
        return {"cancelled": cancelled, **answer}

    def _require_healthy(self, campaign_id: int) -> None:
        # Before anything is stored: a job that cannot run now would only be lost.
        device = views.campaign(self._database, campaign_id).device
        self._benches.require_healthy(device)

    def _use(self, claim_id: str, token: str, *, handed_in: bool = False) -> tuple[Claim, bool]:
        return self._claims.use(claim_id, token, time.time(), handed_in=handed_in)

    def _solution(self, claim: Claim, handed_in: HandedIn) -> Solution:
        campaign = views.campaign(self._database, claim.campaign_id)
        return read_solution(handed_in, campaign.problem, self._library)

    def _require_different(
        self, claim: Claim, solution: Solution, submission: Submission | None = None
    ) -> None:
        campaign = views.campaign(self._database, claim.campaign_id)
        self._drafting.require_different(claim, campaign, solution, submission)

    def _submit(self, claim: Claim, solution: Solution, builds_on: tuple[int, ...]) -> Job:
        for parent in builds_on:
            found = views.submission(self._database, parent)
            if found is None or found.campaign_id != claim.campaign_id:
                raise UnknownSubmission(parent)
        _, job = self._board.submit(claim.id, solution, builds_on, time.time())
        return job

    def _recorded(self, submission_id: int, token: str) -> Answer:
        """What another one's record says, unless this one has a benchmark of its own."""
        submission = self._own(submission_id, token)
        jobs = views.jobs_of_submission(self._database, submission.id)
        begun = (JobState.QUEUED, JobState.RUNNING, JobState.DONE)
        if any(job.kind == "benchmark" and job.state in begun for job in jobs):
            return {}
        twin = twins.answering(self._database, submission)
        if twin is None:
            return {}
        told = twins.answer(self._database, submission, twin)
        return {"submission_id": submission.id, "state": "done", **told}

    def _request(self, submission_id: int, token: str) -> tuple[Job, bool]:
        submission = self._own(submission_id, token)
        decided = self._decided(submission)
        if decided is not None:
            # Asked again after the claim ended, the same request still has the same answer.
            return decided, False
        if submission.verification is None:
            raise NotVerified(submission_id, "its verification has not ended; `job_wait` for it")
        if not submission.verification.passed:
            raise NotVerified(submission_id, "it did not pass every workload")
        if why := self._untimed(submission):
            raise NotVerified(submission_id, why, hint="Port it to a language that is timed here.")
        claim, renewed = self._use(submission.claim_id, token, handed_in=True)
        self._steering.check(submission, claim)
        self._require_healthy(submission.campaign_id)
        if not self._asked_before(submission):
            self._require_different(claim, submission.solution, submission)
        return self._board.request_benchmark(submission_id, time.time()), renewed

    def _untimed(self, submission: Submission) -> str:
        """Why nothing in its language is timed on its campaign's device, or nothing."""
        campaign = views.campaign(self._database, submission.campaign_id)
        language = self._library.languages.get(submission.solution.language)
        kinds = [d.kind for d in self._benches.devices() if d.name == campaign.device]
        if language is None or not kinds:
            return ""
        return language.timed_on(kinds[0]) or ""

    def _asked_before(self, submission: Submission) -> bool:
        jobs = views.jobs_of_submission(self._database, submission.id)
        waiting = (JobState.QUEUED, JobState.RUNNING)
        return any(job.kind == "benchmark" and job.state in waiting for job in jobs)

    def _decided(self, submission: Submission) -> Job | None:
        if submission.decision is None:
            return None
        jobs = views.jobs_of_submission(self._database, submission.id)
        ended = [j for j in jobs if j.kind == "benchmark" and j.state is JobState.DONE]
        return ended[-1] if ended else None

    def _own(self, submission_id: int, token: str) -> Submission:
        found = views.submission(self._database, submission_id)
        if found is None:
            raise UnknownSubmission(submission_id)
        claim = views.claim(self._database, found.claim_id)
        if claim is None or claim.token != token:
            reason = f"submission {submission_id} was handed in under another agent's claim."
            raise BadValue("submission_id", reason, hint="Hand its source in under your own claim.")
        return found

    def _own_job(self, job_id: str, token: str) -> Job:
        job = views.job(self._database, job_id)
        claim = views.claim(self._database, job.claim_id) if job else None
        if job is None or claim is None or claim.token != token:
            raise UnknownJob(job_id)
        return job
