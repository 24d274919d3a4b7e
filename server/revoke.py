"""The `revoke` command: a submission found out later counts no more.

A running server reads it off the board at its next answer and its next decision.

Start at `revoke_submission`. Not here: who succeeds a champion (`memory.succession`).
"""

from guard.domain.errors import BadValue, UnknownSubmission
from memory import views
from memory.board import Board
from memory.engine import open_database, read_database
from server.answers import quoted
from server.settings import Settings

MAX_REASON = 300


def revoke_submission(settings: Settings, submission_id: int, reason: str) -> None:
    """Revoke and say who holds the first place now.

    Raises:
        BadValue: no reason is given, or there is no database.
        UnknownSubmission: no submission has this id.
    """
    said = " ".join(quoted(reason).split())
    if not 0 < len(said) <= MAX_REASON:
        raise BadValue("--reason", f"must have 1 to {MAX_REASON} characters.")
    # A mistyped --db must not make a new, empty board.
    read_database(settings.db).close()
    database = open_database(settings.db, exclusive=False)
    try:
        submission = views.submission(database, submission_id)
        if submission is None:
            raise UnknownSubmission(submission_id)
        before = views.champion(database, submission.campaign_id).submission_id
        record, new = Board(database).revoke(submission_id, said)
        after = views.champion(database, submission.campaign_id).submission_id
    finally:
        database.close()
    print(
        f"Submission {submission_id} by {record.agent} is revoked: {record.reason}"
        if new
        else f"Submission {submission_id} was revoked already: {record.reason}"
    )
    holder = f"submission {after}" if after else "the baseline"
    print(f"Champion: {holder}{' as before' if after == before else ' from now on'}.")
