"""Note which conclusions an agent was shown: a report tells what stood before a promotion.

    board's answer × whose claim -> the same answer, noted

Start at `Readings.noted`. Not here: what is shown (`reading`), what follows (`ledger`).
"""

import asyncio

from guard.domain.errors import UnknownClaim
from memory import course, views
from memory.board import Board
from memory.engine import Database
from server.answers import Answer, fit
from server.visit import Visit


class Readings:
    """Who read what."""

    def __init__(self, database: Database, board: Board) -> None:
        self._database = database
        self._board = board

    async def noted(self, visit: Visit, claim_id: str, board: Answer) -> Answer:
        """A board's answer, after it was noted what of it the claim's agent is shown.

        Raises:
            UnknownClaim: the claim is not one of the caller's.
        """
        if not claim_id:
            # Several agents may share a token or have none: who it was, nobody knows then.
            return board
        # What is cut from the answer is not shown.
        shown = fit(board)
        await asyncio.to_thread(self._note, claim_id, visit.caller.token, shown)
        return shown

    def _note(self, claim_id: str, token: str, shown: Answer) -> None:
        claim = views.claim(self._database, claim_id)
        if claim is None or claim.token != token:
            raise UnknownClaim(claim_id)
        boards = shown.get("boards", [])
        seqs = {entry["seq"] for one in boards for entry in one.get("conclusions", [])}
        # Read first: most calls show nothing new, and a write waits for the disk.
        if new := seqs - course.read_by(self._database, claim_id):
            self._board.note_reading(claim_id, sorted(new))
