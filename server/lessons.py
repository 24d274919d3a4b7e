"""What a claim's agent is told of conclusions, besides the board that it reads itself.

    claim × campaign -> what its Policy's retention shows, the most useful first -> noted

Start at `Lessons.told`. Not here: ranking (`coordinator.relevance`), the board (`boards`).
"""

from typing import NamedTuple

from coordinator.drafting import Drafting
from coordinator.relevance import View, drafts, ranked
from memory import course
from memory.board import Board
from memory.conclusion import ConclusionKind
from memory.engine import Database
from memory.pool import Asked, pool
from memory.records import Campaign, Claim
from memory.retention import Reader
from server import show_conclusion
from server.answers import Answer


class Wanted(NamedTuple):
    """How many of each kind, at most."""

    wins: int = 0
    traps: int = 0


class Lessons:
    """Conclusions, as one claim's agent may see them."""

    def __init__(self, database: Database, board: Board) -> None:
        self._database = database
        self._board = board
        self._drafting = Drafting(database)

    def told(self, claim: Claim, campaign: Campaign, wanted: Wanted) -> list[Answer]:
        """The most useful ones in brief; noted as read."""
        view = self.view(claim, campaign)
        kinds: dict[ConclusionKind, int] = {"win": wanted.wins, "trap": wanted.traps}
        asked = Asked(
            reader=reader(claim),
            strategy=claim.strategy,
            lane=claim.lane,
            kinds=tuple(kind for kind, most in kinds.items() if most),
        )
        found = ranked(pool(self._database, campaign.id, campaign.policy, asked), view)
        by_kind = {kind: [one for one in found if one.kind == kind] for kind in kinds}
        shown = ranked((one for kind in kinds for one in by_kind[kind][: kinds[kind]]), view)
        self.note(claim.id, {one.seq for one in shown})
        return [show_conclusion.brief(one) for one in shown]

    def view(self, claim: Claim | None, campaign: Campaign) -> View:
        """From where the claim's agent looks at a campaign's board."""
        if claim is None or claim.campaign_id != campaign.id:
            return View()
        stage = self._drafting.standing(claim, campaign).stage
        return View(strategy=claim.strategy, lane=claim.lane, drafts=drafts(stage))

    def note(self, claim_id: str, seqs: set[int]) -> None:
        """Note that a claim's agent was shown these: a report tells what stood before a promotion.

        No agent is ever told of it, nor does any answer depend on it.
        """
        # Read first: most calls show nothing new, and a write waits for the disk.
        if seqs and (new := seqs - course.read_by(self._database, claim_id)):
            self._board.note_reading(claim_id, sorted(new))


def reader(claim: Claim | None, token: str = "") -> Reader:
    """Who reads; without a claim nobody knows which of a token's agents it is."""
    if claim is None:
        return Reader(token=token)
    return Reader(token=claim.token, agent=claim.agent)
