"""A campaign's ledger and exploration as JSON values: what it cost, who did what, what came of it.

    board -> `coordinator.ledger`, `exploration`, `origins` -> facts of a report

Start at `facts`. Not here: the rest of a report (`report`), its text (`report_text`).
"""

from collections.abc import Sequence
from typing import Any

from coordinator.exploration import LaneAccount, explored, lanes
from coordinator.ledger import Account, accounts, by_house, counted, total
from coordinator.limits import LIMITS, worded
from coordinator.origins import Origin, Past, origins
from guard.domain.spent import Spent
from memory import course, views
from memory.conclusion import Conclusion
from memory.course import Course
from memory.engine import Database
from memory.records import Benchmark, Campaign, Champion, Claim, Submission
from server.answers import quoted
from server.show import by, moment, rounded


def facts(
    database: Database,
    campaign: Campaign,
    champion: Champion,
    claims: Sequence[Claim],
    submissions: Sequence[Submission],
    benchmarks: Sequence[Benchmark],
    conclusions: Sequence[Conclusion],
) -> dict[str, Any]:
    """The ledger's part of a report."""
    spendings = course.spendings(database, campaign.id)
    standing = course.course(database, campaign.id)
    agents = accounts(claims, views.claim_events(database, campaign.id), submissions, spendings)
    holder = next((b for b in benchmarks if b.submission_id == champion.submission_id), None)
    found = explored(campaign, submissions, holder, spendings, agents, standing)
    readings = course.readings(database, campaign.id)
    past = Past(campaign, claims, submissions, benchmarks, conclusions, readings)
    return {
        "course": _course(campaign, standing),
        "ledger": {
            "outcomes": counted(submissions),
            "spent": _spent(total(line.spent for line in spendings)),
            "house": _spent(by_house(spendings)),
            "agents": [_account(account) for account in agents],
        },
        "exploration": found.model_dump(),
        "lanes": [_lane(lane) for lane in lanes(claims, submissions, spendings)],
        "promotions": [_origin(origin, conclusions) for origin in origins(past)],
    }


def _course(campaign: Campaign, standing: Course) -> dict[str, Any]:
    stop, stopped, pause = standing.stop, standing.stopped, standing.pause
    return {
        "limits": {name: getattr(campaign.policy, name) for name in LIMITS},
        "stopped": worded(stop) if stop is not None else "",
        "stopped_at": moment(stopped.at_s) if stopped is not None else None,
        "paused": pause is not None,
        "events": [
            {"at": moment(event.at_s), "kind": event.kind, "detail": event.detail}
            for event in standing.events
        ],
    }


def _spent(spent: Spent) -> dict[str, float]:
    return {name: round(seconds, 3) for name, seconds in spent.model_dump().items()}


def _account(account: Account) -> dict[str, Any]:
    told = account.model_dump(exclude={"token", "spent"})
    told["models"] = [quoted(model, 100) for model in account.models]
    return {**told, "agent": by(account.agent, account.token), **_spent(account.spent)}


def _lane(lane: LaneAccount) -> dict[str, Any]:
    best = lane.best_speedup
    return {**lane.model_dump(), "best_speedup": rounded(best) if best is not None else None}


def _origin(origin: Origin, conclusions: Sequence[Conclusion]) -> dict[str, Any]:
    whose = {c.seq: {"seq": c.seq, "kind": c.kind, "agent": c.agent} for c in conclusions}
    told = origin.model_dump()
    for name in ("cited_conclusions", "read_conclusions"):
        told[name] = [whose[seq] for seq in getattr(origin, name)]
    return told
