"""A campaign as JSON facts or as one screen of text, from the board alone.

    memory.views -> facts (JSON values) -> text

The text is written from the same facts that ``--json`` prints, so they cannot differ.

Start at `facts`. Not here: what agents read during a campaign (`reading`).
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from guard.domain.decision import Interval, Verdict
from guard.domain.errors import BadValue, UnknownProblem
from guard.steadiness import throttled
from memory import views
from memory.board import Board
from memory.conclusion import Conclusion
from memory.engine import Database, open_database, read_database
from memory.records import Campaign, Claim, ClaimEvent, Revocation, Submission
from server import health, ledger
from server.answers import quoted
from server.report_text import written
from server.settings import Settings
from server.show import by, moment, rounded
from server.show_conclusion import overturned

CONCLUSIONS = 1_000
LEADERS = 10


def end_campaign(settings: Settings, problem: str) -> None:
    """End the newest campaign, or the newest on one problem; a server may hold the database.

    Raises:
        BadValue: there is none.
    """
    database = read_database(settings.db)
    try:
        chosen = _newest(views.campaigns(database), problem)
    finally:
        database.close()
    if chosen is None:
        raise BadValue("--end", "there is no campaign to end.")
    database = open_database(settings.db, exclusive=False)
    try:
        Board(database).end_campaign(chosen.id)
    finally:
        database.close()


def print_report(settings: Settings, problem: str, *, as_json: bool) -> None:
    """Print the newest campaign, or the newest on one problem; a server may hold the database."""
    database = read_database(settings.db)
    try:
        campaigns = views.campaigns(database)
        chosen = _newest(campaigns, problem)
        if chosen is None:
            told: dict[str, Any] = {"campaign": None, "other_campaigns": []}
        else:
            told = facts(database, chosen)
            told["other_campaigns"] = [
                {"id": c.id, "problem": c.problem.name, "device": c.device}
                for c in campaigns
                if c.id != chosen.id
            ]
    finally:
        database.close()
    print(json.dumps(told, indent=2, ensure_ascii=False) if as_json else written(told))


def _newest(campaigns: Sequence[Campaign], problem: str) -> Campaign | None:
    wanted = [c for c in campaigns if problem in ("", c.problem.name)]
    if problem and not wanted:
        raise UnknownProblem(problem, {c.problem.name for c in campaigns})
    return wanted[-1] if wanted else None


def facts(database: Database, campaign: Campaign) -> dict[str, Any]:
    """Everything there is to tell of one campaign, as JSON values."""
    claims = views.claims(database, campaign.id)
    events = views.claim_events(database, campaign.id)
    submissions = views.submissions(database, campaign.id)
    conclusions = views.conclusions(database, campaign.id, limit=CONCLUSIONS)
    benchmarks = views.benchmarks(database, campaign.id)
    champion = views.champion(database, campaign.id)
    by_id = {submission.id: submission for submission in submissions}
    return {
        "campaign": {
            "id": campaign.id,
            "problem": campaign.problem.name,
            "device": campaign.device,
            "hardware": campaign.hardware,
            "started": moment(campaign.started_s),
            "ended": moment(campaign.ended_s) if campaign.ended_s else None,
        },
        "baseline": {
            "kind": campaign.baseline.kind,
            "latency_ms": campaign.baseline.latency_ms,
            "contenders": campaign.baseline.contenders,
            "admitted": not campaign.baseline.loose,
        },
        "champion": _champion(by_id.get(champion.submission_id)),
        "revoked": [_revoked(record) for record in views.revocations(database, campaign.id)],
        "speedup": _interval(champion.speedup, champion.derived),
        "counts": _counts(submissions),
        "wins": [_conclusion(c) for c in conclusions if c.kind == "win"],
        "traps": [_conclusion(c) for c in conclusions if c.kind == "trap"],
        "claims": [_claim(claim, events, submissions) for claim in claims],
        "forced_changes": list(_forced(claims, events)),
        "refused": [told for s in submissions if (told := _refused(s)) is not None],
        "conditions": throttled(b.over_champion for b in benchmarks),
        "health": health.facts(database, campaign),
        "leaderboard": [_ranked(s) for s in views.leaderboard(database, campaign.id, LEADERS)],
    } | ledger.facts(database, campaign, champion, claims, submissions, benchmarks, conclusions)


def _interval(value: Interval | None, derived: bool) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "derived": derived,
        "estimate": rounded(value.estimate),
        "low": rounded(value.low),
        "high": rounded(value.high),
    }


def _champion(holder: Submission | None) -> dict[str, Any]:
    if holder is None:
        return {"submission_id": 0, "agent": "", "strategy": "", "language": "", "digest": ""}
    return {
        "submission_id": holder.id,
        "agent": holder.agent,
        "strategy": holder.strategy,
        "language": holder.solution.language,
        "digest": holder.solution.digest,
    }


def _counts(submissions: Sequence[Submission]) -> dict[str, int]:
    decided = [s.decision.verdict for s in submissions if s.decision is not None]
    verified = [s for s in submissions if s.verification is not None and s.verification.passed]
    return {
        "submissions": len(submissions),
        "verified": len(verified),
        "benchmarked": len(decided),
        **{verdict.value: decided.count(verdict) for verdict in Verdict},
    }


def _conclusion(record: Conclusion) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "agent": record.agent,
        "strategy": record.strategy,
        "note": quoted(record.note, 200),
        "reflection": quoted(record.reflection, 1_200),
        "submission_ids": list(record.submission_ids),
        "speedup": rounded(record.speedup) if record.speedup else None,
        "posted": moment(record.posted_s),
        "overturned": overturned(record),
    }


def _revoked(record: Revocation) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "submission_id": record.submission_id,
        "agent": record.agent,
        "reason": record.reason,
        "at": moment(record.revoked_s),
    }


def _claim(
    claim: Claim, events: Sequence[ClaimEvent], submissions: Sequence[Submission]
) -> dict[str, Any]:
    own = [event for event in events if event.claim_id == claim.id]
    judged = [s.adherence for s in submissions if s.claim_id == claim.id and s.decision]
    closed = [event for event in own if event.kind not in ("claimed", "renewed")]
    return {
        "agent": by(claim.agent, claim.token),
        "strategy": claim.strategy,
        "lane": claim.lane,
        "state": claim.state.value,
        "from": moment(claim.claimed_s),
        "to": moment(closed[0].at_s) if closed else None,
        "phase": claim.phase,
        "parents": list(claim.parents),
        "why": claim.reason,
        "on_strategy": sum(found is not None and found.holds is True for found in judged),
        "off_strategy": sum(found is not None and found.holds is False for found in judged),
        "ended_because": closed[0].detail if closed else "",
        "tokens": sum(event.tokens for event in own),
        "cost_usd": sum(event.cost_usd for event in own),
    }


def _forced(claims: Sequence[Claim], events: Sequence[ClaimEvent]) -> Iterator[dict[str, Any]]:
    by_id = {claim.id: claim for claim in claims}
    for event in events:
        if event.kind != "exhausted":
            continue
        left = by_id[event.claim_id]
        mine = [c for c in claims if (c.token, c.agent) == (left.token, left.agent)]
        later = next((c for c in mine if c.claimed_s >= event.at_s), None)
        yield {
            "agent": by(left.agent, left.token),
            "at": moment(event.at_s),
            "from_strategy": left.strategy,
            "from_lane": left.lane,
            "because": event.detail,
            "to_strategy": later.strategy if later else None,
            "to_lane": later.lane if later else None,
        }


def _refused(submission: Submission) -> dict[str, Any] | None:
    told: dict[str, Any] = {
        "submission_id": submission.id,
        "agent": submission.agent,
        "strategy": submission.strategy,
        "language": submission.solution.language,
    }
    decision, verification = submission.decision, submission.verification
    if decision is not None and not decision.verdict.believed:
        return {**told, "status": decision.verdict.value.upper(), "log": decision.reason}
    if verification is None or verification.passed:
        return None
    failed = [j.evaluation for j in verification.judgements if j.evaluation.status != "PASSED"]
    if failed:
        return {**told, "status": failed[0].status, "log": quoted(failed[0].log, 300)}
    status = "NOT_VERIFIED" if verification.compiled.ok else "COMPILE_ERROR"
    status = "FROM_RECORD" if submission.same_as else status
    log = verification.note or verification.compiled.messages
    return {**told, "status": status, "log": quoted(log, 300)}


def _ranked(submission: Submission) -> dict[str, Any]:
    found = submission.adherence
    return {
        "submission_id": submission.id,
        "agent": submission.agent,
        "strategy": submission.strategy,
        "adherence": found.word if found else "not judged",
        "seen": found.evidence if found else "",
        "language": submission.solution.language,
        "sealed": submission.verification is not None and submission.verification.sealed,
        "decision": submission.decision.verdict.value if submission.decision else None,
        "speedup": _interval(submission.speedup, submission.derived),
    }
