"""What an agent is told of its claim's plateau: how close it is, and what that means now.

Start at `Ladder.told`. Not here: the ladder itself (`coordinator.plateau`), what drafting refuses
(`coordinator.drafting`).
"""

from coordinator.drafting import Drafting
from coordinator.plateau import Stage, Standing
from memory import views
from memory.engine import Database
from memory.records import Campaign, Claim
from server.answers import Answer
from server.benches import Benches
from server.lessons import Lessons, Wanted
from server.library import Library

TRAPS = Wanted(traps=3)
UNTRIED = 5
_NEXT = {
    Stage.NUDGE: "Read `traps`: is one of them what holds you up? Then take an idea of another "
    "kind, such as one of `untried` fits.",
    Stage.DRAFTING: "The next candidate must be a different idea: another algorithm, language "
    "family or data layout than the champion and your last ones. It is checked; a refusal is free.",
    Stage.CEILING: "The champion is near the bound, so there is little left to win. "
    "`release_claim` and stop, unless you know a cause that the bound leaves out.",
    Stage.ANOTHER_LANE: "Post what you learned with `post_conclusion`. Then call "
    "`claim_strategy`: you will get an entirely different lane.",
}


class Ladder:
    """The plateau of each claim, in words."""

    def __init__(
        self, database: Database, library: Library, benches: Benches, lessons: Lessons
    ) -> None:
        self._database = database
        self._library = library
        self._benches = benches
        self._lessons = lessons
        self._drafting = Drafting(database)

    def told(self, claim: Claim, campaign: Campaign) -> Answer:
        """Where a claim stands; from the first step of the ladder on, what is next."""
        found = self._drafting.standing(claim, campaign)
        told: Answer = {"plateau": _sentence(found, campaign)}
        if found.stage in (Stage.NUDGE, Stage.DRAFTING):
            told["traps"] = self._lessons.told(claim, campaign, TRAPS)
            told["untried"] = self.untried(campaign)
        if found.stage in _NEXT:
            told["next"] = _NEXT[found.stage]
        return told

    def untried(self, campaign: Campaign) -> list[str]:
        """Strategies that nobody has claimed, one of each lane."""
        tried = {claim.strategy for claim in views.claims(self._database, campaign.id)}
        catalogue = self._library.catalogue
        devices = [d for d in self._benches.devices() if d.name == campaign.device]
        families = catalogue.families_of(campaign.problem.definition)
        fitting = [s for d in devices for s in catalogue.fitting(d.kind, families, d.architecture)]
        # One of each lane: a list of one lane's variants would be no other idea.
        untried = {s.lane: s.id for s in reversed(fitting) if s.id not in tried}
        return sorted(untried.values())[:UNTRIED]


def _sentence(found: Standing, campaign: Campaign) -> str:
    policy = campaign.policy
    limits = {
        Stage.GOING_ON: policy.nudge_after,
        Stage.NUDGE: policy.drafting_after,
        Stage.CEILING: policy.lane_after,
        Stage.DRAFTING: policy.lane_after,
        Stage.ANOTHER_LANE: policy.lane_after,
    }
    said = f"{found.counted} of {limits[found.stage]} candidates in a row without progress"
    more = f" ({found.excused} more do not count)" if found.excused else ""
    reached = "reached: " if found.stage is Stage.ANOTHER_LANE else ""
    stage = "" if found.stage is Stage.GOING_ON else f"; {found.stage}"
    return f"{reached}{said}{more}{stage}"
