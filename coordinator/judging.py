"""Have a submission verified, unless the record answers for it.

    submission ─ same source? ─ order ─ same machine code? ─> Verification, who answered

The order names what is known, so that the referee, which compiles, need not run it. Start at
`judge`. Not here: what counts as the same (`memory.twins`), what is said then (`twins`).
"""

import asyncio
from typing import NamedTuple

from coordinator.orders import Notify, Orders
from coordinator.twins import repeated
from guard.domain.errors import UnknownSubmission
from guard.domain.trace import CompileReport, Verification
from guard.wire import VerifyOrder, VerifyReport
from memory import twins, views
from memory.engine import Database
from memory.records import Campaign, Job, Submission


class Judged(NamedTuple):
    """What is to be recorded."""

    verification: Verification
    same_as: int = 0
    """The submission whose record answered; 0: it was judged itself."""


async def judge(
    orders: Orders,
    database: Database,
    job: Job,
    submission: Submission,
    campaign: Campaign,
    progress: Notify | None,
) -> Judged:
    """The verification of a submission, by the referee or from the record.

    Raises:
        Stopped: the job was cancelled.
        HouseError: the house failed twice.
    """
    known = await asyncio.to_thread(twins.known, database, submission)
    if known.by_source:
        return await _answered(database, submission, known.by_source, None)
    order = VerifyOrder(
        job=job.id,
        problem=campaign.problem,
        solution=submission.solution,
        policy=campaign.policy,
        known=tuple(known.by_code),
    )
    verification = (await orders.place(order, VerifyReport, progress)).verification
    twin = known.by_code.get(verification.compiled.code_digest, 0)
    if twin and not verification.judgements:
        return await _answered(database, submission, twin, verification.compiled)
    return Judged(verification)


async def _answered(
    database: Database, submission: Submission, same_as: int, compiled: CompileReport | None
) -> Judged:
    twin = await asyncio.to_thread(views.submission, database, same_as)
    if twin is None or twin.verification is None:
        raise UnknownSubmission(same_as)
    if compiled is None:
        # The same source was compiled to the same; its listings are told with the twin alone.
        where = {"listings": (), "unlisted": f"Read those of submission {same_as}."}
        compiled = twin.verification.compiled.model_copy(update=where)
    return Judged(repeated(submission.solution, twin, compiled), same_as)
