"""Decide again from what is stored: the same numbers must give the same decision.

    Past (campaign, benchmarks, health duels, revocations) -> every Difference

Pure. Wording is not compared, since a later version may say the same in other words; verdicts and
figures are. Start at `differences`. Not here: reading the board (`server.replay`).
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from coordinator import contest
from coordinator.health import noise_of, went_wrong
from guard import gate, promotion
from guard.domain.decision import Decision, Terms
from guard.domain.trace import Evaluation, Performance, Timed
from guard.domain.value import Value
from memory.records import Benchmark, Campaign, HealthDuel, Revocation, Submission


class Difference(Value):
    """Something stored that does not follow from the numbers stored with it."""

    campaign_id: int
    submission_id: int
    """0: it is one of the house's own duels."""
    what: str
    stored: str
    again: str


class Past(NamedTuple):
    """Everything stored that one campaign's decisions rest on."""

    campaign: Campaign
    submissions: Mapping[int, Submission]
    benchmarks: Mapping[int, Benchmark]
    decided: Mapping[int, int]
    """When each submission was decided: its number on the board."""
    health: tuple[HealthDuel, ...]
    revocations: tuple[Revocation, ...]


def differences(past: Past) -> Iterator[Difference]:
    """What comes out otherwise, decision by decision, then the house's own duels."""
    for submission_id, benchmark in past.benchmarks.items():
        if benchmark.terms is not None:
            for what, stored, again in _of_benchmark(past, benchmark, benchmark.terms):
                if stored != again:
                    yield _difference(past, submission_id, what, stored, again)
    for duel in past.health:
        for what, stored, again in _of_health(past, duel):
            if stored != again:
                yield _difference(past, 0, f"{what} of {duel.kind} duel {duel.seq}", stored, again)


def _difference(
    past: Past, submission_id: int, what: str, stored: object, again: object
) -> Difference:
    return Difference(
        campaign_id=past.campaign.id,
        submission_id=submission_id,
        what=what,
        stored=str(stored),
        again=str(again),
    )


Compared = Iterator[tuple[str, object, object]]
"""What is compared, as it is stored, and as it comes out again."""


def _of_benchmark(past: Past, stored: Benchmark, terms: Terms) -> Compared:
    policy = past.campaign.policy
    yield from _of_terms(past, terms)
    again = _decided(past, stored, terms)
    if again is None:
        yield "decision", stored.decision.verdict.value, "it was never verified"
        return
    yield "decision", stored.decision.verdict.value, again.verdict.value
    yield "speedup over the champion", stored.decision.over_champion, again.over_champion
    held = past.benchmarks.get(stored.champion_submission_id)
    champion = held.speedup if held is not None else None
    speedup, derived = contest.reported(again, stored.over_baseline, champion, policy, terms)
    yield "speedup over the baseline", stored.speedup, speedup
    yield "whether it is derived", stored.derived, derived
    verification = past.submissions[stored.submission_id].verification
    if verification is not None:
        found = contest.judged(
            verification, stored.over_baseline, stored.over_champion, held, policy
        )
        yield "evaluations", _performances(stored.evaluations), _performances(found)


def _decided(past: Past, stored: Benchmark, terms: Terms) -> Decision | None:
    submission, campaign = past.submissions[stored.submission_id], past.campaign
    if submission.verification is None:
        return None
    start = campaign.baseline
    decision = gate.decide(
        submission.verification,
        stored.over_champion,
        campaign.policy,
        terms,
        start.loose,
        start.bounds,
    )
    then = submission.model_copy(update={"revoked": _revoked_then(past, submission)})
    return contest.unless_revoked(decision, then)


def _revoked_then(past: Past, submission: Submission) -> str:
    """Why the same solution was revoked when this submission was decided, or nothing."""
    digest, at = submission.solution.digest, past.decided[submission.id]
    return next(
        (
            revocation.reason
            for revocation in past.revocations
            if revocation.seq < at
            and past.submissions[revocation.submission_id].solution.digest == digest
        ),
        "",
    )


def _of_terms(past: Past, terms: Terms) -> Compared:
    policy = past.campaign.policy
    noise = noise_of([d for d in past.health if d.seq <= terms.aa_through], policy)
    again = promotion.terms(terms.number, noise.values, policy, noise.through)
    yield "alpha", terms.alpha, again.alpha
    yield "sigma", terms.sigma, again.sigma
    yield "pairs behind sigma", terms.aa_pairs, again.aa_pairs


def _of_health(past: Past, stored: HealthDuel) -> Compared:
    policy = past.campaign.policy
    yield from _of_terms(past, stored.terms)
    yield "ratio", stored.ratio, gate.speedup(stored.duel, policy, stored.terms)
    yield "promotion", stored.promoted, gate.clears(stored.duel, policy, stored.terms)
    yield "fault", stored.wrong, went_wrong(stored.kind, stored.duel, policy, stored.terms)


def _performances(found: Mapping[str, Evaluation]) -> dict[str, Performance | str]:
    return {w: e.performance if isinstance(e, Timed) else e.status for w, e in found.items()}
