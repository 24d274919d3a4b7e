"""What is answered where the record of another submission says what became of the same candidate.

Start at `answering`, then `answer`. Not here: what counts as the same (`memory.twins`), the one
sentence about it (`coordinator.twins`).
"""

from coordinator.twins import told
from memory import views
from memory.engine import Database
from memory.records import Submission
from memory.twins import known
from server import show
from server.answers import Answer


def answering(database: Database, submission: Submission) -> Submission | None:
    """Whose record answers: as it was recorded, or since the same was decided meanwhile."""
    if submission.same_as:
        return views.submission(database, submission.same_as)
    if submission.verification is None or not submission.verification.passed:
        return None
    return views.submission(database, _known(database, submission))


def _known(database: Database, submission: Submission) -> int:
    """Whose record answers for it as things stand now; 0: nobody's."""
    found = submission.verification
    code = found.compiled.code_digest if found is not None else ""
    others = known(database, submission, code)
    return others.by_source or others.by_code.get(code, 0)


def answer(database: Database, submission: Submission, twin: Submission) -> Answer:
    """What it is the same as, whose that is, how it ended, and what to do instead."""
    claim = views.claim(database, twin.claim_id)
    same: Answer = {
        "submission_id": twin.id,
        "by": show.by(twin.agent, claim.token if claim else ""),
        "strategy": twin.strategy,
    }
    if twin.verification is not None:
        same["verdict"] = show.verdict(twin.verification)
    if twin.decision is not None:
        same["decision"] = twin.decision.verdict.value
        same["reason"] = twin.decision.reason
        same["speedup_over_champion"] = show.interval(twin.decision.over_champion)
        same["speedup_over_baseline"] = show.interval(twin.speedup, derived=twin.derived)
    return {
        "verdict": "answered from the record",
        "note": told(submission.solution, twin),
        "same_as": same,
        "workloads": [],
        "next": f"Nothing was run again. Read submission {twin.id} with `get_solution`, build on "
        "it, and change what the machine does."
        if _known(database, submission)
        else f"What became of submission {twin.id} counts no more: it was revoked, or it lost to "
        "who was. Hand your source in again with a comment added, and it is judged itself.",
    }
