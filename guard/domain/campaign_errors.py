"""Errors of a campaign as a whole: it ended, was stopped at a limit, or is paused.

Drawn with all others in `errors`, which also is where they are imported from.
"""

from guard.domain.error import CallerError, HouseError


class CampaignClosed(CallerError):
    """The campaign on this problem and device was ended."""

    def __init__(self, problem: str, device: str) -> None:
        super().__init__(f"The campaign on {problem!r} and {device!r} has ended.")


class CampaignStopped(CallerError):
    """The campaign has reached a limit of its Policy: nothing more is tried in it."""

    hint = "Post what you learned, `release_claim` with what you spent, and stop."

    def __init__(self, problem: str, device: str, limit: str, champion: str) -> None:
        super().__init__(
            f"STOP: the campaign on {problem!r} and {device!r} has reached {limit}. "
            f"Champion: {champion}."
        )


class CampaignPaused(HouseError):
    """An operator paused the campaign: new work waits, and nothing is lost."""

    retry_after_s = 30.0
    hint = "Your claim is kept, jobs under way finish, reading and telling go on. Ask again later."

    def __init__(self, problem: str, device: str, why: str = "") -> None:
        told = f": {why}" if why else ""
        super().__init__(f"The campaign on {problem!r} and {device!r} is paused{told}.")
