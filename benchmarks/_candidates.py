"""The rows of made-up candidates: handed in, verified, timed, decided, spent.

    claim -> submission -> verification [-> decision [-> promotion]]

Start at `Candidates.submission`. Not here: the claims (`_stints`), what is in their texts
(`_made_up`).
"""

import random

from benchmarks._made_up import SOURCE, Bodies
from benchmarks._rows import NewRows
from guard.domain.decision import Verdict
from guard.domain.solution import Solution, Source
from memory.course_tables import SpendingRow
from memory.records import Campaign, JobState
from memory.tables import (
    ClaimRow,
    DecisionRow,
    EvaluationRow,
    JobRow,
    PromotionRow,
    SolutionRow,
    SourceRow,
    SubmissionRow,
    VerificationRow,
)
from memory.text import hash_of, to_text

TURNS = (COMPILE_ERROR, CRASH, *TIMED) = (0, 1, 2, 3, 4)
"""The candidates of one claim: what becomes of each."""
GAIN = 1.02
"""How much faster than the last champion the next one is."""


class Candidates:
    """The candidates of one campaign, one after the other."""

    def __init__(self, campaign: Campaign, new: NewRows, told: Bodies, draw: random.Random) -> None:
        self._campaign = campaign
        self._workloads = tuple(campaign.baseline.latency_ms)
        self._new = new
        self._told = told
        self._draw = draw
        self._champion = 0
        self._speedup = 1.0

    def submission(self, claim: ClaimRow, turn: int) -> SubmissionRow:
        """One that was verified; `turn`: what becomes of it."""
        id_ = self._new.number("submission")
        text = SOURCE.replace("{number}", str(id_))
        solution = Solution(
            definition=self._campaign.problem.definition.name,
            language="cpp",
            sources=(Source(path="solution.cpp", content=text),),
        )
        body = solution.model_dump()
        body["sources"][0]["content"] = hash_of(text)
        submission = SubmissionRow(
            id=id_,
            seq=self._new.fact("submission"),
            campaign_id=self._campaign.id,
            claim_id=claim.id,
            solution_digest=solution.digest,
            builds_on=to_text([self._champion] if self._champion else []),
            submitted_s=claim.claimed_s,
        )
        self._new.add(
            SourceRow(sha256=hash_of(text), content=text),
            SolutionRow(digest=solution.digest, body=to_text(body)),
            submission,
        )
        self._job(claim, submission, "verify")
        self._verified(submission, turn)
        return submission

    def _job(self, claim: ClaimRow, submission: SubmissionRow, kind: str) -> None:
        number = self._new.number("job")
        job = JobRow(
            number=number,
            id=f"j_{number:012d}",
            kind=kind,
            submission_id=submission.id or 0,
            claim_id=claim.id,
            state=JobState.DONE.value,
            attempts=1,
            created_s=claim.claimed_s,
            finished_s=claim.claimed_s,
        )
        spent = SpendingRow(
            id=number,
            campaign_id=claim.campaign_id,
            job_id=job.id,
            ordered=kind,
            wait_s=0.1,
            compile_s=0.4,
            device_s=0.8,
            at_s=claim.claimed_s,
        )
        self._new.add(job, spent)

    def _verified(self, submission: SubmissionRow, turn: int) -> None:
        compiled = turn != COMPILE_ERROR
        row = VerificationRow(
            submission_id=submission.id or 0,
            seq=self._new.fact("verification"),
            compiled=self._told.compiled if compiled else self._told.not_compiled,
            note="",
            verified_s=submission.submitted_s,
            adherence=self._told.adherence if compiled else None,
            code_digest=submission.solution_digest if compiled else "",
        )
        self._new.add(row)
        for workload in self._workloads if compiled else ():
            self._evaluated(submission, "verify", workload, crashed=turn == CRASH)

    def _evaluated(
        self, submission: SubmissionRow, stage: str, workload: str, *, crashed: bool = False
    ) -> None:
        body = self._told.passed if stage == "verify" else self._told.timed
        row = EvaluationRow(
            id=self._new.number("evaluation"),
            submission_id=submission.id or 0,
            stage=stage,
            workload=workload,
            status="RUNTIME_ERROR" if crashed else "PASSED",
            body=self._told.crashed if crashed else body,
        )
        self._new.add(row)

    def decision(self, claim: ClaimRow, submission: SubmissionRow, *, promoted: bool) -> float:
        """It was timed; its speedup."""
        self._job(claim, submission, "benchmark")
        verdict = self._draw.choice([Verdict.ACCEPTED, Verdict.REVERTED, Verdict.REVERTED])
        speedup = self._speedup * self._draw.uniform(0.5, 1.0)
        if promoted:
            verdict = Verdict.PROMOTED
            speedup = self._speedup = self._speedup * GAIN
        row = DecisionRow(
            submission_id=submission.id or 0,
            seq=self._new.fact("decision"),
            verdict=verdict.value,
            decision=self._told.decisions[verdict],
            speedup=speedup,
            speedup_low=speedup * 0.99,
            speedup_high=speedup * 1.01,
            over_baseline=self._told.duels[verdict],
            over_parents=speedup,
            champion_submission_id=self._champion or None,
            generation=self._new.last["generation"],
            decided_s=submission.submitted_s,
            progress=promoted,
            terms=self._told.terms,
            campaign_id=claim.campaign_id,
        )
        self._new.add(row)
        for workload in self._workloads:
            self._evaluated(submission, "benchmark", workload)
        if promoted:
            self._promote(submission)
        return speedup

    def _promote(self, submission: SubmissionRow) -> None:
        self._champion = submission.id or 0
        row = PromotionRow(
            campaign_id=submission.campaign_id,
            generation=self._new.number("generation"),
            submission_id=self._champion,
            solution_digest=submission.solution_digest,
        )
        self._new.add(row)
