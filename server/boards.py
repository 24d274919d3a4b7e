"""The tool that reads the board: what was learned on a problem, who is on what, who leads.

    problem × claim × question -> boards of its campaigns × the cursor for the next call

Two ways to read. Without `since`, or in search of words, an agent gets the conclusions that serve
it most, as many as fit. With `since` it gets those that came after that, from the oldest on and
without a gap; where not all fit, the cursor stands at the last one given, so that the next call
goes on there. Ranking only orders what is given: nothing new is ever left out by it.

Start at `Boards.read`. Not here: which conclusions (`finding`), how much fits (`paging`), how a
conclusion is worded (`show_conclusion`).
"""

import asyncio
import time
from collections.abc import Sequence

from coordinator.relevance import ranked
from guard.domain.decision import Retention
from guard.domain.errors import UnknownClaim
from guard.domain.problem import Problem
from memory import views
from memory.engine import Database
from memory.records import Claim
from server import show
from server.answers import LIMIT, Answer, fit
from server.benches import Benches
from server.finding import Finding, Found, Place
from server.ladder import Ladder
from server.lessons import Lessons
from server.library import Library
from server.paging import TOKEN_CHARACTERS, Question, cursor, fitting, length, most

LEADERS = 5
CLAIMS = 24
"""Newest live claims of one board that are shown."""
LEFT_FREE = 800
"""Characters of an answer for what is no board: notices, the next step."""
NEEDED = 600
"""Characters that the rest of each board needs, whatever the budget for conclusions."""
_RETENTION = {
    Retention.NONE: "no conclusions are shown in this campaign",
    Retention.PRIVATE: "each agent is shown its own conclusions alone, by its claim_id",
    Retention.BOUNDED: "the best wins and the newest traps alone are shown",
}


class Boards:
    """Answers about what was learned."""

    def __init__(
        self, *, database: Database, library: Library, benches: Benches, lessons: Lessons,
        ladder: Ladder,
    ) -> None:  # fmt: skip
        self._database = database
        self._library = library
        self._lessons = lessons
        self._ladder = ladder
        self._finding = Finding(database, benches, lessons)

    async def read(self, problem: str, token: str, claim_id: str, question: Question) -> Answer:
        """What is on the board of a problem, over all devices it has campaigns on.

        Raises:
            UnknownClaim: the claim is not one of the caller's.
        """
        known = self._library.problem(problem)
        return await asyncio.to_thread(self._read, known, token, claim_id, question)

    def _read(self, problem: Problem, token: str, claim_id: str, question: Question) -> Answer:
        claim = self._claim(claim_id, token)
        places = self._finding.places(problem, claim, token, question)
        if not places:
            following = "Nothing has been tried yet. Call `claim_strategy`."
            return {"problem": problem.name, "boards": [], "seq": question.since, "next": following}
        # Read before the rest: what is posted in between is shown twice, never missed.
        latest = max(views.latest_seq(self._database, place.campaign.id) for place in places)
        tokens = question.budget or max(place.campaign.policy.board_tokens for place in places)
        room = min(tokens * TOKEN_CHARACTERS, LIMIT - LEFT_FREE - NEEDED * len(places))
        # One more than can be given tells that there are more.
        found = self._finding.found(places, question, most(room) + 1)
        entries = fitting(self._finding.entries(found[: most(room)]), room)
        if claim is not None:
            self._lessons.note(claim.id, {seq for entry in entries for seq in _seqs(entry)})
        given = found[: len(entries)]
        seq = cursor(question, latest, [one.seq for _, one in given], len(found))
        share = (LIMIT - LEFT_FREE - max(room, sum(map(length, entries)))) // len(places)
        boards = [self._board(place, question.since, share) for place in places]
        for place, board in zip(places, boards, strict=True):
            board["conclusions"] = _of_board(place, given, entries)
        following = _next(question, seq, more=len(given) < len(found))
        return {"problem": problem.name, "boards": boards, "seq": seq, "next": following}

    def _claim(self, claim_id: str, token: str) -> Claim | None:
        if not claim_id:
            return None
        claim = views.claim(self._database, claim_id)
        if claim is None or claim.token != token:
            raise UnknownClaim(claim_id)
        return claim

    def _board(self, place: Place, since: int, share: int) -> Answer:
        """All of a board but its conclusions, within `share` characters."""
        campaign, database = place.campaign, self._database
        live = views.live_claims(database, campaign.id, time.time())
        told: Answer = {"device": campaign.device}
        if campaign.policy.retention in _RETENTION:
            told["memory"] = _RETENTION[campaign.policy.retention]
        told["champion"] = show.champion(views.champion(database, campaign.id))
        if revoked := views.revocations(database, campaign.id, since):
            told["revoked"] = [show.revocation(record) for record in revoked]
        if place.view.drafts:
            told["untried"] = self._ladder.untried(campaign)
        if len(live) > CLAIMS:
            told["live_claims_in_all"] = len(live)
        told["conclusions"] = []
        told["live_claims"] = [show.claim(claim) for claim in live[-CLAIMS:]]
        leaders = views.leaderboard(database, campaign.id, LEADERS)
        told["leaderboard"] = [show.ranked(submission) for submission in leaders]
        return fit(told, share)


def _of_board(place: Place, given: Sequence[Found], entries: Sequence[Answer]) -> list[Answer]:
    by_seq = {entry["seq"]: entry for entry in entries}
    of_place = [one for where, one in given if where is place]
    return [by_seq[one.seq] for one in ranked(of_place, place.view)]


def _seqs(entry: Answer) -> list[int]:
    return [entry["seq"], *(other["seq"] for other in entry.get("contradicted_by", ()))]


def _next(question: Question, seq: int, *, more: bool) -> str:
    if question.sought:
        return f"A search moves no cursor: go on with since={seq}. Build on what you found."
    if question.is_poll and more:
        return f"There is more that is new: call again with since={seq}."
    found = " What is not shown here is found by `words`." if more else ""
    return f"Pass since={seq} next time.{found} Then `claim_strategy`, or your next solution."
