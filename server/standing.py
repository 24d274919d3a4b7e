"""What agents are told of their campaigns, whatever they asked: that one is stopped, or paused.

    a call's arguments -> the open campaigns it is about -> STOP | stopped_elsewhere | paused

Start at `Notices.of`. Not here: when a campaign is stopped (`coordinator.limits`), where it is said
(`notices`).
"""

import time
from collections.abc import Mapping
from typing import Any

from coordinator.limits import Limits, limited
from guard.domain.errors import CampaignPaused, CampaignStopped, KernelArcError
from memory import course, views
from memory.engine import Database
from memory.records import Campaign
from server.answers import Answer


class Notices:
    """What agents must know of their campaigns, whatever they asked."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._known: dict[int, Campaign] = {}
        """Campaigns that go on, by id: until one ends, nothing of it changes."""
        self._quiet = (-1, False)
        """The database's version at the last look, and whether there was nothing to tell then."""

    def quiet(self) -> bool:
        """Whether there is nothing to tell anybody, as is known without a read; does not block."""
        version, quiet = self._quiet
        return quiet and version == self._database.version()

    def of(self, arguments: Mapping[str, Any]) -> Answer:
        """The notices that a call with these arguments is given; mostly none."""
        version = self._database.version()
        self._quiet = (version, not self._any())
        if self.quiet():
            return {}
        about = [
            self._campaign(campaign_id)
            for campaign_id in course.concerned(
                self._database,
                problem=str(arguments.get("problem", "")),
                claim_id=str(arguments.get("claim_id", "")),
                submission_id=int(arguments.get("submission_id", 0)),
                job_ids=[*arguments.get("job_ids", ()), str(arguments.get("job_id", ""))],
            )
        ]
        found = [self._notice(campaign) for campaign in about]
        stops = [_said(notice) for notice in found if isinstance(notice, CampaignStopped)]
        pauses = [_said(notice) for notice in found if isinstance(notice, CampaignPaused)]
        told: Answer = {}
        if stops:
            # On another device the agent's own campaign may go on.
            key = "STOP" if len(stops) == len(about) else "stopped_elsewhere"
            told[key] = " ".join(stops)
        return told | ({"paused": " ".join(pauses)} if pauses else {})

    def _any(self) -> bool:
        """Whether any campaign was stopped or paused, or may be stopped by what is used up."""
        return any(
            happened or limited(self._campaign(campaign_id).policy)
            for campaign_id, happened in course.going(self._database).items()
        )

    def _campaign(self, campaign_id: int) -> Campaign:
        if campaign_id not in self._known:
            self._known[campaign_id] = views.campaign(self._database, campaign_id)
        return self._known[campaign_id]

    def _notice(self, campaign: Campaign) -> CampaignStopped | CampaignPaused | None:
        standing = self._limits.standing(campaign, time.time())
        if standing.stop is not None:
            return self._limits.stopped(campaign, standing.stop)
        if standing.pause is not None:
            why = standing.pause.detail
            return CampaignPaused(campaign.problem.name, campaign.device, why)
        return None


def _said(notice: KernelArcError) -> str:
    return f"{notice.message} {notice.hint}"
