"""The tools around a claim: take a strategy, give it back, tell what was learned.

Start at `Claiming.claim`. Not here: which strategy is assigned (`coordinator.claims`), what makes a
conclusion well founded (`conclusions`).
"""

import asyncio
import time
from typing import Any, Literal

from coordinator.ceiling import Ceiling
from coordinator.claims import Busy, Claims
from guard.domain.errors import BadValue, UnknownClaim, UnknownSubmission
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState, Submission
from server import show, show_conclusion, strategy_text
from server.answers import Answer
from server.benches import Benches
from server.campaigns import Campaigns
from server.conclusions import Told, best, founded, measured
from server.finding import axes_of
from server.ladder import Ladder
from server.lessons import Lessons, Wanted
from server.library import Library
from server.visit import Visit

PREPARING_RETRY_S = 5.0
LESSONS = Wanted(wins=2, traps=3)
"""What is told of the board with a strategy: the rest is read there."""


class Claiming:
    """Claims and conclusions."""

    def __init__(
        self, *, database: Database, board: Board, claims: Claims, campaigns: Campaigns,
        library: Library, benches: Benches, lessons: Lessons, ladder: Ladder,
    ) -> None:  # fmt: skip
        self._database = database
        self._board = board
        self._claims = claims
        self._campaigns = campaigns
        self._library = library
        self._benches = benches
        self._lessons = lessons
        self._ladder = ladder

    async def claim(
        self, visit: Visit, problem: str, prefer: str, agent: str, device: str
    ) -> Answer:
        """Assign a strategy, or say who holds them all."""
        wanted = self._library.problem(problem)
        suiting = [bench.device.name for bench in self._benches.suiting(wanted)]
        taken = await self._campaigns.places(problem, suiting)
        bench = self._benches.choose(wanted, device, taken)
        self._benches.require_healthy(bench.device.name)
        label = _label(agent, visit.caller.token)
        campaign = await self._campaigns.enter(wanted, bench, visit.tell)
        if campaign is None:
            return {
                "status": "preparing",
                "problem": problem,
                "device": bench.device.name,
                "retry_after_s": PREPARING_RETRY_S,
                "next": "The baseline is still being measured. Call `claim_strategy` again.",
            }
        token = visit.caller.token
        return await asyncio.to_thread(self._assign, campaign, prefer, token, label)

    async def release(
        self,
        visit: Visit,
        claim_id: str,
        outcome: Literal["done", "abandoned"],
        model: str,
        tokens: int,
        cost_usd: float,
    ) -> Answer:
        """Close a claim; a second time changes nothing."""
        record = await asyncio.to_thread(
            self._claims.release,
            claim_id,
            visit.caller.token,
            outcome,
            now_s=time.time(),
            model=model,
            tokens=tokens,
            cost_usd=cost_usd,
        )
        return {
            "released": True,
            "strategy": record.strategy,
            "state": record.state.value,
            "next": "Call `claim_strategy` for another strategy, or stop here.",
        }

    async def conclude(
        self, visit: Visit, claim_id: str, told: tuple[Any, str, str], submission_ids: list[int]
    ) -> Answer:
        """Post a win or a trap with the figures of the record."""
        return await asyncio.to_thread(
            self._conclude, visit.caller.token, claim_id, Told(*told), tuple(submission_ids)
        )

    def _assign(self, campaign: Campaign, prefer: str, token: str, agent: str) -> Answer:
        now_s = time.time()
        given = self._claims.assign(campaign, prefer=prefer, token=token, agent=agent, now_s=now_s)
        if isinstance(given, Ceiling):
            return {
                "status": "ceiling",
                "why": given.why,
                "next": "This problem is at its ceiling for you: stop here, or claim another "
                "problem. A new champion opens it again.",
            }
        siblings = views.live_claims(self._database, campaign.id, now_s)
        if isinstance(given, Busy):
            return {
                "status": "busy",
                "held": [show.claim(record) for record in siblings],
                "retry_after_s": show.rounded(given.retry_after_s),
                "next": "Every strategy is held. Call `claim_strategy` after `retry_after_s`.",
            }
        others = [record for record in siblings if record.id != given.id]
        return self._granted(campaign, given, others)

    def _granted(self, campaign: Campaign, claim: Claim, siblings: list[Claim]) -> Answer:
        answer: Answer = {
            "status": "granted",
            "claim_id": claim.id,
            "problem": campaign.problem.name,
            "device": campaign.device,
            "strategy": claim.strategy,
            "lane": claim.lane,
            "phase": claim.phase,
            "why": claim.reason,
            "agent": claim.agent,
            "held_by": show.by(claim.agent, claim.token),
            "generation": claim.generation,
            "lease_expires": show.moment(claim.expires_s),
            "plateau": self._ladder.told(claim, campaign)["plateau"],
            "siblings": [show.claim(record) for record in siblings],
            "lessons": self._lessons.told(claim, campaign, LESSONS),
        }
        answer |= strategy_text.told(self._database, self._library.catalogue, claim)
        kind = self._benches.named(campaign.device).device.kind
        answer["playbooks"] = [
            {"read": f"kernelarc://guides/{playbook.name}", "title": playbook.title}
            for playbook in self._library.playbooks_for(campaign.problem, kind)
        ]
        answer["next"] = (
            "Read the traps on `read_board`, write a kernel along this strategy, then call "
            "`compile_and_verify` with this claim_id. Keep the claim_id to yourself."
        )
        if claim.parents:
            ids = ", ".join(map(str, claim.parents))
            first = f"Read submissions {ids} with `get_solution`, and name them in `builds_on`. "
            answer["next"] = first + answer["next"]
        return answer

    def _conclude(
        self, token: str, claim_id: str, told: Told, cited_ids: tuple[int, ...]
    ) -> Answer:
        claim = self._own_claim(claim_id, token)
        campaign = views.campaign(self._database, claim.campaign_id)
        cited = [self._submission(submission_id) for submission_id in dict.fromkeys(cited_ids)]
        speedup, shown_by = founded(told.kind, cited, claim), best(cited)
        timed = views.benchmark_of(self._database, shown_by.id)
        posted = self._board.post_conclusion(
            claim_id,
            told.kind,
            told.note,
            told.reflection,
            [submission.id for submission in cited],
            speedup,
            time.time(),
            measured=measured(shown_by, timed, campaign),
        )
        answer: Answer = {
            "posted": True,
            "conclusion": show_conclusion.conclusion(posted, axes_of(campaign)),
            "next": self._after(claim),
        }
        return show.with_renewal(answer, self._renew(claim, campaign.policy.lease_s))

    def _renew(self, claim: Claim, lease_s: float) -> bool:
        """Telling is a sign of life: extend a live claim's lease; whether it had run out."""
        if claim.state is not ClaimState.LIVE:
            return False
        now_s = time.time()
        self._board.renew(claim.id, lease_s=lease_s, now_s=now_s)
        return claim.expires_s <= now_s

    def _own_claim(self, claim_id: str, token: str) -> Claim:
        # A closed claim may still tell what was learned under it: that is when an
        # agent knows most.
        claim = views.claim(self._database, claim_id)
        if claim is None or claim.token != token:
            raise UnknownClaim(claim_id)
        return claim

    def _submission(self, submission_id: int) -> Submission:
        found = views.submission(self._database, submission_id)
        if found is None:
            raise UnknownSubmission(submission_id)
        return found

    def _after(self, claim: Claim) -> str:
        if claim.state is ClaimState.LIVE:
            return "Go on with your next idea, or `release_claim` when the strategy is explored."
        return "This claim has ended: call `claim_strategy` for another strategy."


def _label(agent: str, token: str) -> str:
    """The agent's label: case-folded, so that two spellings are one agent."""
    label = " ".join(agent.split()).casefold() or token
    if not label.isprintable():
        raise BadValue("agent", "must hold printable characters only.")
    return label
