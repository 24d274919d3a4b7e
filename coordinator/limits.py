"""When a campaign as a whole takes no new work: it is paused, or has reached a limit.

    Policy × Reach -> Stop, or None

A limit that is reached is noted on the board once, by whoever asks first, and holds from then on.
Start at `stop_at`, then `Limits.require_going`. Not here: one claim's end (`plateau`).
"""

from coordinator.headroom import headroom
from guard.domain.decision import Policy
from guard.domain.errors import CampaignClosed, CampaignPaused, CampaignStopped
from guard.domain.value import Value
from memory import course, views
from memory.board import Board
from memory.course import Course, Stop, Totals
from memory.engine import Database
from memory.records import Campaign

CANDIDATES = "max_candidates"
_UNITS = {
    CANDIDATES: "candidates",
    "max_device_s": "device seconds",
    "max_wall_s": "seconds",
    "max_bound_fraction": "of the bound",
}
LIMITS = tuple(_UNITS)
"""The fields of a Policy that stop a campaign, in the order they are asked."""


class Reach(Value):
    """How far a campaign has come, held against its limits."""

    candidates: int
    device_s: float
    wall_s: float
    bound_fraction: float | None
    """None where no bound is known."""


def stop_at(policy: Policy, reach: Reach) -> Stop | None:
    """The first limit that is reached."""
    for limit in LIMITS:
        allowed, reached = getattr(policy, limit), getattr(reach, limit.removeprefix("max_"))
        if allowed is not None and reached is not None and reached >= allowed:
            return Stop(limit=limit, allowed=allowed, reached=reached, unit=_UNITS[limit])
    return None


def limited(policy: Policy) -> bool:
    """Whether a campaign may be stopped at a limit."""
    return any(getattr(policy, limit) is not None for limit in LIMITS)


def worded(stop: Stop) -> str:
    """A limit and what was reached, such as ``max_candidates: 30 of 30 candidates``."""
    return f"{stop.limit}: {stop.reached:.4g} of {stop.allowed:.4g} {stop.unit}"


class Limits:
    """The limits of every campaign."""

    def __init__(self, board: Board, database: Database) -> None:
        self._board = board
        self._database = database
        self._counted: dict[int, Totals] = {}
        """By campaign; rows are only ever added, so each is counted once."""

    def standing(self, campaign: Campaign, now_s: float) -> Course:
        """The campaign's course by now; a limit that is newly reached is noted."""
        found = course.course(self._database, campaign.id)
        if campaign.ended_s is not None or found.stop is not None:
            return found
        stop = stop_at(campaign.policy, self._reach(campaign, found, now_s))
        if stop is None:
            return found
        self._board.move(campaign.id, "stopped", stop.model_dump_json())
        return course.course(self._database, campaign.id)

    def require_going(self, campaign: Campaign, now_s: float, *, handed_in: bool = False) -> None:
        """Refuse new work where a campaign takes none.

        `handed_in`: the work is on a candidate that was handed in already, so that a limit of
        candidates does not concern it.

        Raises:
            CampaignClosed: it has ended.
            CampaignStopped: it has reached a limit.
            CampaignPaused: it is paused.
        """
        name, device = campaign.problem.name, campaign.device
        if campaign.ended_s is not None:
            raise CampaignClosed(name, device)
        found = self.standing(campaign, now_s)
        if found.stop is not None and not (handed_in and found.stop.limit == CANDIDATES):
            raise self.stopped(campaign, found.stop)
        if found.pause is not None:
            raise CampaignPaused(name, device, found.pause.detail)

    def stopped(self, campaign: Campaign, stop: Stop) -> CampaignStopped:
        """What every agent of a stopped campaign is told."""
        champion = views.champion(self._database, campaign.id)
        told = "the baseline"
        if champion.submission_id and champion.speedup is not None:
            gain = f"{champion.speedup.estimate:.4g} times the baseline's speed"
            told = f"submission {champion.submission_id}, {gain}"
        return CampaignStopped(campaign.problem.name, campaign.device, worded(stop), told)

    def _reach(self, campaign: Campaign, found: Course, now_s: float) -> Reach:
        policy = campaign.policy
        # What no limit asks for is not looked up: this stands before every piece of work.
        counted = policy.max_candidates is not None or policy.max_device_s is not None
        used = self._totals(campaign.id) if counted else None
        bounded = policy.max_bound_fraction is not None
        return Reach(
            candidates=used.candidates if used else 0,
            device_s=used.device_s if used else 0.0,
            wall_s=max(0.0, now_s - campaign.started_s - found.paused_s(now_s)),
            bound_fraction=headroom(self._database, campaign).reached if bounded else None,
        )

    def _totals(self, campaign_id: int) -> Totals:
        found = course.totals(self._database, campaign_id, self._counted.get(campaign_id))
        self._counted[campaign_id] = found
        return found
