"""What a run needs of the coordinator: the same questions, over values or over a board on disk.

Start at `Road`. `values` asks the coordinator's pure functions, so that a hundred thousand
candidates take minutes; `onboard` asks its classes with a database below them, as the server does.
A test plays the same runs on both and compares every answer.
"""

import math
from collections.abc import Sequence
from typing import Protocol

from benchmarks.study.policy import Answer, Lesson, Sight
from benchmarks.study.space import Design
from coordinator.catalogue import Catalogue
from coordinator.diversify import Choice
from coordinator.situation import Phase
from guard.domain.decision import Policy, Retention
from memory.records import Benchmark, Claim

TOKEN = "study"
NEVER = 10**6
FREE_LANE = "free"


class Road(Protocol):
    """One campaign."""

    async def open(self) -> None:
        """Start the campaign: its baseline, and how noisy a pair is."""
        ...

    def claim(self, agent: str) -> Claim | None:
        """A claim for an agent that has none; none: every strategy is held."""
        ...

    def leave(self, claim: Claim) -> None:
        """Give a claim up."""
        ...

    def sight(self, claim: Claim) -> Sight:
        """What the claim's agent reads now."""
        ...

    async def hand_in(self, claim: Claim, design: Design, grew_from: Sequence[Design]) -> Answer:
        """Hand a candidate in and have it judged; `grew_from`: what its agent began with."""
        ...

    def post(self, claim: Claim, lesson: Lesson, submission_id: int) -> None:
        """Post a conclusion that cites this submission."""
        ...

    def design(self, submission_id: int) -> Design:
        """What was handed in under this number."""
        ...

    def champion(self) -> Design | None:
        """Who holds the first place; none: the baseline."""
        ...


def free_choice(agent: str) -> Choice:
    """What an agent gets where nothing is assigned: a claim that binds to nothing."""
    strategy = f"{FREE_LANE}.{agent}"
    return Choice(strategy=strategy, lane=FREE_LANE, phase=Phase.EXPLORE, reason="")


def gain_of(benchmark: Benchmark | None) -> float | None:
    """The log-speedup over the baseline that a benchmark tells, where it is believed."""
    if benchmark is None or not benchmark.decision.verdict.believed:
        return None
    if benchmark.decision.over_champion is None:
        return None
    return math.log(benchmark.speedup.estimate)


def policy_of(retention: Retention, *, forced: bool) -> Policy:
    """A campaign's Policy in the study: the defaults but for what a cell sets.

    Health duels would tell of the gate, not of the team. Nobody is sent home at a ceiling, for
    then budgets would not be equal. Nobody owns a workload, for a dispatch between two candidates
    is none of those that were fixed beforehand.
    """
    limits = ("nudge_after", "drafting_after", "lane_after")
    off = {} if forced else dict.fromkeys(limits, NEVER)
    watching = ("aa_every", "planted_every", "grand_every", "ceiling_lanes")
    fields = {"frontier_lead": NEVER, **dict.fromkeys(watching, NEVER), **off}
    return Policy.model_validate({**fields, "retention": retention})


def invented(strategies: tuple[tuple[str, str], ...]) -> Catalogue:
    """A catalogue of strategies that a model has made up: ids with their lanes."""
    every = {
        "idea": "One of the model's.",
        "applies_not": "Never.",
        "predict": "Nobody knows.",
        "guide": "model.md",
        "applies": {
            "families": ["any"],
            "devices": ["cpu"],
            "architectures": ["any"],
            "bottlenecks": ["memory"],
            "bound_fraction": [0.0, 1.0],
            "languages": ["cpp"],
            "when": "Always.",
        },
    }
    listed = [
        {**every, "id": id_, "lane": lane, "shown_by": {"names": [id_.replace(".", "_")]}}
        for id_, lane in strategies
    ]
    fields = {"families": {}, "architectures": {}, "reported": {}, "guides": {"model.md": ""}}
    return Catalogue.model_validate({**fields, "strategies": listed})
