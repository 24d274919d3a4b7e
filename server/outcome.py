"""What a job's answer says: its state, what was found, and what to do next.

Start at `Outcome.of_job`. Not here: how records are worded (`show`), the jobs' tasks (`jobs`).
"""

from collections.abc import Callable

from guard.domain.decision import Verdict
from memory import views
from memory.engine import Database
from memory.records import Benchmark, Campaign, Job, JobState, Submission
from server import adherence, show, twins
from server.adherence import Steering
from server.answers import Answer
from server.jobs import Jobs
from server.ladder import Ladder

_NEXT = {
    Verdict.PROMOTED: "You hold the champion. Post it with `post_conclusion` (win), then go on.",
    Verdict.ACCEPTED: "Near the champion. Post what you learned, then try the next idea.",
    Verdict.REVERTED: "Slower than the champion. Find out why, post a trap if it would mislead "
    "others, then try the next idea.",
    Verdict.SUSPECT: "The figures are not believed; the reason says why. Submit an honest variant.",
    Verdict.REJECTED: "It failed while being timed: `get_solution` with part='log' shows how.",
}
_AGAIN = (
    "It ran out of time, which a busy host can cause too. Send the same request again to have it "
    "judged anew; if that ends so too, look for what hangs."
)


class Outcome:
    """Answers about jobs, from the board."""

    def __init__(
        self,
        database: Database,
        jobs: Jobs,
        untimed: Callable[[Submission], str],
        steering: Steering,
        ladder: Ladder,
    ) -> None:
        """`untimed`: why a submission cannot be timed where it was verified, or nothing."""
        self._database = database
        self._jobs = jobs
        self._untimed = untimed
        self._steering = steering
        self._ladder = ladder

    def of_job(self, job_id: str) -> Answer:
        """Everything that is known of a job now."""
        job = views.job(self._database, job_id)
        submission = views.submission(self._database, job.submission_id) if job else None
        if job is None or submission is None:
            raise LookupError(f"job {job_id} has left the board")
        answer = show.job(job, self._jobs.said(job_id))
        if job.state in (JobState.QUEUED, JobState.RUNNING):
            answer["next"] = f"Call `job_wait` with job_ids=['{job.id}']."
        elif job.state in (JobState.CANCELLED, JobState.LOST):
            answer["next"] = "Nothing is charged to you. Send the same request to run it again."
        else:
            answer |= self._finished(job, submission)
        return answer

    def _finished(self, job: Job, submission: Submission) -> Answer:
        campaign = views.campaign(self._database, submission.campaign_id)
        items = (*campaign.problem.workloads, *campaign.problem.cpu_workloads)
        workloads = show.workloads_by_uuid(items)
        benchmark = views.benchmark_of(self._database, submission.id)
        if job.kind == "benchmark" and benchmark is not None:
            found = show.benchmark(benchmark, workloads, campaign.baseline.bounds)
            found |= adherence.line(submission) | self._plateau(submission, campaign, benchmark)
            found |= self._steering.after_benchmark(submission, benchmark.decision.verdict)
            return found | _revoked(submission)
        if submission.verification is None:
            return {"next": "Nothing was recorded. Send the same request again."}
        if submission.same_as and (twin := twins.answering(self._database, submission)):
            return twins.answer(self._database, submission, twin)
        found = show.verification(submission.verification, workloads) | adherence.line(submission)
        if submission.verification.passed and (why := self._untimed(submission)):
            return {**found, "next": f"{why}. Port it to a language that is timed here."}
        found["next"] = _after_verification(submission)
        if submission.verification.passed:
            found |= self._steering.after_verification(submission)
        return found

    def _plateau(self, submission: Submission, campaign: Campaign, benchmark: Benchmark) -> Answer:
        claim = views.claim(self._database, submission.claim_id)
        told = self._ladder.told(claim, campaign) if claim is not None else {}
        return {"next": _NEXT[benchmark.decision.verdict], **told}


def _revoked(submission: Submission) -> Answer:
    if not submission.revoked:
        return {}
    told = "It was revoked after this decision, and counts no more. Go on with an honest variant."
    return {"revoked": submission.revoked, "next": told}


def _after_verification(submission: Submission) -> str:
    verification = submission.verification
    if verification is not None and verification.passed:
        if submission.decision is not None:
            return f"It was benchmarked already: `benchmark` with submission_id={submission.id}."
        return f"Call `benchmark` with submission_id={submission.id}."
    if verification is not None and verification.compiled.ok and not verification.judgements:
        return "It compiles, but cannot run here, so it counts as nothing. Use another language."
    if verification is not None and not verification.conclusive:
        return _AGAIN
    return "Correct it and call `compile_and_verify` again."
