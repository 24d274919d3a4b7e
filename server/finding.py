"""Which conclusions answer an agent's question, over all campaigns of a problem.

    problem × claim × question -> places -> conclusions in the order to take them -> entries

A poll (`since`) takes the oldest of what is new first, so that nothing is left out between what is
given and what comes next. Anything else is a choice: what serves the reader most is taken first.

Start at `Finding.places`, then `Finding.found`. Not here: the order of a choice
(`coordinator.relevance`), what may be seen (`memory.pool`), how much fits (`paging`).
"""

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from coordinator.relevance import View, in_turn
from guard.domain.problem import Problem
from memory import views
from memory.conclusion import Conclusion
from memory.engine import Database
from memory.pool import Asked, news, opposed, pool
from memory.records import Campaign, Claim
from server import show, show_conclusion
from server.answers import Answer
from server.benches import Benches
from server.lessons import Lessons, reader
from server.paging import Question


class Place(NamedTuple):
    """One campaign of the problem, as its reader looks at it."""

    campaign: Campaign
    view: View
    asked: Asked


Found = tuple[Place, Conclusion]


class Finding:
    """Conclusions of the problem's open campaigns."""

    def __init__(self, database: Database, benches: Benches, lessons: Lessons) -> None:
        self._database = database
        self._benches = benches
        self._lessons = lessons

    def places(
        self, problem: Problem, claim: Claim | None, token: str, question: Question
    ) -> list[Place]:
        """The campaigns that go on, one per device."""
        found = []
        for bench in self._benches.suiting(problem):
            campaign = views.open_campaign(self._database, problem.name, bench.device.name)
            if campaign is None:
                continue
            view = self._lessons.view(claim, campaign)
            asked = Asked(
                reader=reader(claim, token),
                strategy=view.strategy,
                lane=view.lane,
                kinds=question.kinds,
                words=question.sought,
                since=question.since,
            )
            found.append(Place(campaign, view, asked))
        return found

    def found(self, places: Sequence[Place], question: Question, limit: int) -> list[Found]:
        """In the order to take them; of a poll at most `limit`."""
        if question.is_poll:
            new = [(place, one) for place in places for one in self._news(place, limit)]
            return sorted(new, key=lambda pair: pair[1].seq)[:limit]
        rows = zip_longest(*([(place, one) for one in self._choice(place)] for place in places))
        return [pair for pair in chain.from_iterable(rows) if pair is not None]

    def entries(self, found: Sequence[Found]) -> list[Answer]:
        """As an agent reads them, each beside what says the opposite."""
        against: dict[int, tuple[Conclusion, ...]] = {}
        for place in {place.campaign.id: place for place, _ in found}.values():
            shown = [one for where, one in found if where is place]
            campaign = place.campaign
            against |= opposed(self._database, campaign.id, campaign.policy, shown, place.asked)
        return [
            show_conclusion.conclusion(one, axes_of(place.campaign), against.get(one.seq, ()))
            for place, one in found
        ]

    def _news(self, place: Place, limit: int) -> tuple[Conclusion, ...]:
        campaign = place.campaign
        return news(self._database, campaign.id, campaign.policy, place.asked, limit)

    def _choice(self, place: Place) -> tuple[Conclusion, ...]:
        campaign = place.campaign
        known = pool(self._database, campaign.id, campaign.policy, place.asked)
        return in_turn(known, place.view)


def axes_of(campaign: Campaign) -> dict[str, str]:
    """The sizes of a campaign's workloads, by their uuid."""
    items = (*campaign.problem.workloads, *campaign.problem.cpu_workloads)
    return {item.uuid: show.axes(item) for item in items}
