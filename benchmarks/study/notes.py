"""The conclusions of a campaign held as values: posted once, near repeats merged, shown by rules.

    lesson + what was measured -> Conclusion        reader × retention -> those shown

Start at `Notes.post`. Not here: what an agent posts (`policy`).
"""

from collections import defaultdict

from benchmarks.study.policy import Lesson
from benchmarks.study.road import TOKEN
from guard.domain.decision import Policy
from memory import likeness
from memory.conclusion import Conclusion
from memory.records import Benchmark, Claim
from memory.retention import Reader, retained
from memory.writes.conclusions import COMPARED


class Notes:
    """All conclusions of one campaign."""

    def __init__(self, policy: Policy, now_s: float) -> None:
        self._policy = policy
        self._now_s = now_s
        self._conclusions: list[Conclusion] = []
        self._told: dict[tuple[str, str], list[Conclusion]] = defaultdict(list)
        self._said: set[tuple[str, Lesson, int]] = set()

    def shown(self, agent: str) -> tuple[Conclusion, ...]:
        """What retention shows to an agent."""
        return retained(self._conclusions, self._policy, Reader(token=TOKEN, agent=agent))

    def post(
        self, claim: Claim, lesson: Lesson, submission_id: int, known: Benchmark | None
    ) -> None:
        """Append it, once, with the speedup that the record tells."""
        said = (claim.id, lesson, submission_id)
        if said in self._said:
            return
        self._said.add(said)
        new = Conclusion(
            seq=len(self._conclusions) + 1,
            campaign_id=1,
            claim_id=claim.id,
            token=TOKEN,
            agent=claim.agent,
            strategy=claim.strategy,
            lane=claim.lane,
            kind=lesson.kind,
            note=lesson.note,
            reflection=lesson.reflection,
            submission_ids=(submission_id,),
            repeats=self._repeated(claim.lane, lesson, known),
            speedup=known.speedup.estimate if known else None,
            posted_s=self._now_s,
        )
        self._conclusions.append(new)
        self._told[claim.lane, lesson.kind].append(new)

    def _repeated(self, lane: str, lesson: Lesson, known: Benchmark | None) -> int:
        """As `memory.writes.conclusions`: the newest of its lane and kind that told nearly this."""
        speedup = known.speedup.estimate if known else None
        told = [c for c in self._told[lane, lesson.kind] if not c.repeats][-COMPARED:]
        alike = (
            c.seq
            for c in reversed(told)
            if likeness.repeats(lesson.note, speedup, c.note, c.speedup)
        )
        return next(alike, 0)
