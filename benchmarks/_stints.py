"""The rows of a *stint*: of all that happened under one claim, from taking it to giving it back.

    Stints.another() -> claim, its events and candidates, conclusions, what its agent was shown

They are those that the board's own writes leave, in the proportions of a real campaign: of five
candidates one does not compile, one fails, three are timed; a champion now and then; two
conclusions, a third of which repeat earlier ones. Start at `Stints.another`. Not here: the
candidates (`_candidates`), what is in their texts (`_made_up`).
"""

import random
from collections.abc import Sequence

from benchmarks._board import TOKEN
from benchmarks._candidates import CRASH, TIMED, TURNS, Candidates
from benchmarks._made_up import bodies
from benchmarks._rows import NewRows
from memory.base import Row
from memory.conclusion import ConclusionKind
from memory.conclusion_table import ConclusionRow
from memory.course_tables import ReadingRow
from memory.records import Campaign, ClaimState
from memory.tables import ClaimEventRow, ClaimRow, HealthRow, RevocationRow, SubmissionRow
from memory.text import hash_of, to_text

PROMOTED_EVERY, REVOKED_EVERY, WATCHED_EVERY = 100, 500, 7
"""Stints between two champions, two revocations, two duels by which the house watches itself."""
REPEATED = 1 / 3
KNOWN = 200
"""Newest conclusions that another one may repeat, or an agent be shown."""
SHOWN = 5
"""Conclusions that a claim's agent was shown."""
STINT_S = 600.0
ENDS = (ClaimState.DONE, ClaimState.ABANDONED, ClaimState.EXHAUSTED)
VOCABULARY = (
    "tile cache vector wide load unroll block fuse reduce store row column thread pipeline barrier "
    "register shared bank stride prefetch branch exponent maximum sum pass shuffle layout "
    "occupancy latency bandwidth alignment tail"
)


class Stints:
    """The stints of one campaign, one after the other."""

    def __init__(
        self, campaign: Campaign, strategies: Sequence[tuple[str, str]], agents: int
    ) -> None:
        """`strategies`: with their lanes, claimed in turn, by so many agents in turn."""
        self._campaign = campaign
        self._strategies = strategies
        self._agents = agents
        self._told = bodies(tuple(campaign.baseline.latency_ms))
        self._draw = random.Random(1)
        self._new = NewRows(campaign.id)
        self._candidates = Candidates(campaign, self._new, self._told, self._draw)
        self._words = VOCABULARY.split()
        self._concluded: list[ConclusionRow] = []

    def another(self) -> Sequence[Row]:
        """The rows of the next stint, in no order."""
        number = self._new.number("stint")
        claim = self._claim(number)
        handed_in = [self._candidates.submission(claim, turn) for turn in TURNS]
        speedups = [
            self._candidates.decision(
                claim,
                handed_in[turn],
                promoted=turn == TIMED[-1] and number % PROMOTED_EVERY == 0,
            )
            for turn in TIMED
        ]
        self._conclude(claim, "trap", None, handed_in[CRASH])
        self._conclude(claim, "win", max(speedups), handed_in[-1])
        for row in self._draw.sample(self._concluded, min(SHOWN, len(self._concluded))):
            self._new.add(
                ReadingRow(claim_id=claim.id, conclusion_seq=row.seq, at_s=claim.claimed_s)
            )
        self._event(claim, claim.state)
        if number % WATCHED_EVERY == 0:
            self._watch()
        if number % REVOKED_EVERY == 0:
            self._revoke(handed_in[TIMED[0]])
        return self._new.take()

    def _claim(self, number: int) -> ClaimRow:
        strategy, lane = self._strategies[number % len(self._strategies)]
        began_s = self._campaign.started_s + number
        claim = ClaimRow(
            id=f"c_{number:012d}",
            seq=self._new.last["fact"] + 1,
            campaign_id=self._campaign.id,
            strategy=strategy,
            lane=lane,
            token=TOKEN,
            agent=f"agent-{number % self._agents}",
            generation=self._new.number(strategy),
            state=ENDS[number % len(ENDS)].value,
            reason=f"Nobody has tried lane {lane!r} in this campaign yet.",
            claimed_s=began_s,
            expires_s=began_s + STINT_S,
        )
        self._new.add(claim)
        # The event's number is the claim's.
        self._event(claim, "claimed")
        return claim

    def _event(self, claim: ClaimRow, kind: str) -> None:
        seq = self._new.fact("claim")
        event = ClaimEventRow(seq=seq, claim_id=claim.id, kind=kind, at_s=claim.claimed_s)
        self._new.add(event)

    def _conclude(
        self, claim: ClaimRow, kind: ConclusionKind, speedup: float | None, cited: SubmissionRow
    ) -> None:
        first = None
        earlier = [row for row in self._concluded if row.kind == kind]
        if earlier and self._draw.random() < REPEATED:
            first = self._draw.choice(earlier)
        said = first.note if first is not None else " ".join(self._draw.choices(self._words, k=12))
        row = ConclusionRow(
            seq=self._new.fact("conclusion"),
            claim_id=claim.id,
            kind=kind,
            note=said,
            reflection=" ".join(self._draw.choices(self._words, k=60)),
            submission_ids=to_text([cited.id]),
            fingerprint=hash_of(f"{claim.id} {kind}"),
            speedup=speedup,
            posted_s=claim.claimed_s,
            campaign_id=claim.campaign_id,
            token=claim.token,
            agent=claim.agent,
            strategy=claim.strategy,
            lane=claim.lane,
            repeats=first.seq if first is not None else None,
            times=1 if first is None else 1 + self._new.number(f"repeats of {first.seq}"),
            measured=self._told.measured,
        )
        self._new.add(row)
        if first is None:
            self._concluded = [*self._concluded[-KNOWN:], row]

    def _watch(self) -> None:
        row = HealthRow(
            seq=self._new.fact("health"),
            campaign_id=self._campaign.id,
            kind="aa",
            wrong=False,
            body=self._told.health,
        )
        self._new.add(row)

    def _revoke(self, submission: SubmissionRow) -> None:
        row = RevocationRow(
            submission_id=submission.id or 0,
            seq=self._new.fact("revocation"),
            reason="its times were found to be false",
            revoked_s=submission.submitted_s,
            campaign_id=submission.campaign_id,
            solution_digest=submission.solution_digest,
        )
        self._new.add(row)
