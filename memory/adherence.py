"""What an agent had benchmarked on a strategy, and whether each followed it.

Like all views: one function, one consistent snapshot, frozen values. Start at `benchmarked`.
Not here: what follows from it (`coordinator.adherence`).
"""

from sqlmodel import col, select

from guard.domain.adherence import Adherence
from memory.engine import Database
from memory.records import Claim, JobState
from memory.rows import adherences_of
from memory.tables import ClaimRow, JobRow

_COUNTED = [JobState.QUEUED.value, JobState.RUNNING.value, JobState.DONE.value]


def benchmarked(database: Database, claim: Claim) -> dict[int, Adherence | None]:
    """By submission, in the order in which their benchmarks were asked for.

    Of all claims of the claim's agent on its strategy, so that giving it back and taking it again
    begins nothing anew. What waits for its turn counts as well; what was cancelled or lost does
    not. Each submission is there once, however often its benchmark was asked for.
    """
    wanted = (
        select(JobRow.submission_id, JobRow.state)
        .join(ClaimRow, col(ClaimRow.id) == JobRow.claim_id)
        .where(
            ClaimRow.campaign_id == claim.campaign_id,
            ClaimRow.strategy == claim.strategy,
            ClaimRow.token == claim.token,
            ClaimRow.agent == claim.agent,
            JobRow.kind == "benchmark",
        )
        .order_by(col(JobRow.number))
    )
    with database.read() as session:
        # Sorted out here: asked for by their states, all jobs of the board would be looked through.
        ids = [id_ for id_, state in session.exec(wanted) if state in _COUNTED]
        found = adherences_of(session, ids)
        return {id_: found.get(id_) for id_ in ids}
