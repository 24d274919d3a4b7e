"""What is written of a campaign as a whole: its start and end, its events, what was spent on it.

    CampaignBoard.move(...) -> BEGIN IMMEDIATE, memory.writes.course.move, COMMIT

Start at `start_campaign`. Not here: what agents do in it (`board`).
"""

import time
from collections.abc import Callable, Sequence

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.spent import Spent
from guard.domain.trace import Baseline
from memory.course import CampaignEventKind
from memory.engine import Database
from memory.records import Campaign
from memory.writes import campaigns, course


class CampaignBoard:
    """The writing side of one database, as far as whole campaigns go."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def start_campaign(
        self, problem: Problem, device: str, hardware: str, policy: Policy, baseline: Baseline
    ) -> Campaign:
        """Start a campaign, or return the open one on this problem and device, unchanged."""
        with self._database.write() as session:
            return campaigns.start(
                session, problem, device, hardware, policy, baseline, self._clock()
            )

    def end_campaign(self, campaign_id: int) -> None:
        """End a campaign and abandon its live claims; open jobs stay. Ending twice is harmless."""
        with self._database.write() as session:
            campaigns.end(session, campaign_id, self._clock())

    def move(self, campaign_id: int, kind: CampaignEventKind, detail: str = "") -> bool:
        """Pause, resume or stop a campaign; False when it stands so already, or has ended."""
        with self._database.write() as session:
            return course.move(session, campaign_id, kind, detail, self._clock())

    def book(self, campaign_id: int, job_id: str, ordered: str, spent: Spent) -> None:
        """Note what one order cost; what is no job on the board is the house's own."""
        with self._database.write() as session:
            course.book(session, campaign_id, job_id, ordered, spent, self._clock())

    def note_reading(self, claim_id: str, conclusions: Sequence[int]) -> None:
        """Note which conclusions a claim's agent was shown; each counts once."""
        with self._database.write() as session:
            course.show(session, claim_id, conclusions, self._clock())
