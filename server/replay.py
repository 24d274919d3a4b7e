"""`report --replay`: every stored decision is drawn again from its recorded numbers.

    board -> Past per campaign -> `coordinator.replay` -> what differs

Start at `print_replay`. It reads beside a running server and writes nothing.
"""

import json
from typing import Any

from coordinator.replay import Difference, Past, differences
from guard.domain.errors import UnknownProblem
from memory import health, views
from memory.engine import Database, read_database
from memory.records import Campaign
from server.settings import Settings

SAME, DIFFERENT = 0, 1


def print_replay(settings: Settings, problem: str, *, as_json: bool) -> int:
    """Print how many decisions come out the same, and which do not; the exit status.

    Raises:
        UnknownProblem: no campaign is on this problem.
    """
    database = read_database(settings.db)
    try:
        told = facts(database, problem)
    finally:
        database.close()
    print(json.dumps(told, indent=2, ensure_ascii=False) if as_json else _written(told))
    return DIFFERENT if told["different"] else SAME


def facts(database: Database, problem: str) -> dict[str, Any]:
    """The decisions of all campaigns, or of those on one problem, drawn again."""
    campaigns = views.campaigns(database)
    chosen = [c for c in campaigns if problem in ("", c.problem.name)]
    if problem and not chosen:
        raise UnknownProblem(problem, {c.problem.name for c in campaigns})
    decided = earlier = duels = 0
    found: list[Difference] = []
    for campaign in chosen:
        past = _past(database, campaign)
        found += differences(past)
        decided += len(past.benchmarks)
        earlier += sum(b.terms is None for b in past.benchmarks.values())
        duels += len(past.health)
    changed = {d.submission_id for d in found if d.submission_id}
    return {
        "decisions": decided,
        "same": decided - earlier - len(changed),
        "of_an_earlier_version": earlier,
        "health_duels": duels,
        "different": [difference.model_dump() for difference in found],
    }


def _past(database: Database, campaign: Campaign) -> Past:
    # A decision that is stored meanwhile must not be looked for among older ones.
    seqs = health.decision_seqs(database, campaign.id)
    benchmarks = views.benchmarks(database, campaign.id)
    return Past(
        campaign=campaign,
        submissions={s.id: s for s in views.submissions(database, campaign.id)},
        benchmarks={b.submission_id: b for b in benchmarks if b.submission_id in seqs},
        decided=seqs,
        health=health.health_duels(database, campaign.id),
        revocations=views.revocations(database, campaign.id),
    )


def _written(told: dict[str, Any]) -> str:
    lines = [
        f"{told['same']} of {told['decisions']} decisions come out the same, "
        f"{told['health_duels']} health duels were looked at"
    ]
    if told["of_an_earlier_version"]:
        count = told["of_an_earlier_version"]
        lines.append(f"{count} were decided by an earlier version, and are not drawn again")
    for one in told["different"]:
        who = f"submission {one['submission_id']}" if one["submission_id"] else "the house"
        lines.append(
            f"campaign {one['campaign_id']}, {who}: {one['what']} is stored as "
            f"{one['stored']} and comes out as {one['again']}"
        )
    return "\n".join(lines)
