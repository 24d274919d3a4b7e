"""What the house found out about its own gate, for `/metrics` and for `report`.

    health duels on the board -> counts, sigma, faults

Start at `facts` (one campaign) and `HealthLines` (the whole board). Not here: when such duels are
fought (`coordinator.health`).
"""

from collections import Counter
from typing import Any

from coordinator.health import noise_of
from guard import promotion
from memory import health
from memory.engine import Database
from memory.records import Campaign, HealthDuel
from server.show import rounded


def facts(database: Database, campaign: Campaign) -> dict[str, Any]:
    """The health of one campaign's gate, as JSON values."""
    duels = health.health_duels(database, campaign.id)
    noise = noise_of(duels, campaign.policy)
    fought = Counter(duel.kind for duel in duels)
    wrong = Counter(duel.kind for duel in duels if duel.wrong)
    return {
        "sigma": rounded(promotion.sigma(noise.values, campaign.policy)),
        "aa_pairs": len(noise.values),
        "aa_duels": fought["aa"],
        "false_promotions": wrong["aa"],
        "planted_losses": fought["planted"],
        "planted_losses_missed": wrong["planted"],
        "grand_duels": [_grand(duel) for duel in duels if duel.kind == "grand"],
    }


def _grand(duel: HealthDuel) -> dict[str, Any]:
    return {
        "submission_id": duel.champion_submission_id,
        "against_submission_id": duel.against_submission_id,
        "ratio": rounded(duel.ratio.estimate),
        "low": rounded(duel.ratio.low),
        "high": rounded(duel.ratio.high),
        "expected": rounded(duel.expected),
    }


class HealthLines:
    """The same over all campaigns, as lines of Prometheus' text format.

    A campaign's duels are read again only once there is a newer one.
    """

    def __init__(self) -> None:
        self._sigmas: dict[int, tuple[int, str]] = {}
        """By campaign: the newest duel's number, and the line that it gave."""

    def read(self, database: Database) -> list[str]:
        """The lines of now."""
        totals = health.health_totals(database)
        lines = [f'kernelarc_health_duels_total{{kind="{t.kind}"}} {t.fought}' for t in totals]
        wrong = {total.kind: total.wrong for total in totals}
        lines.append(f"kernelarc_false_promotions_found_total {wrong['aa']}")
        lines.append(f"kernelarc_planted_losses_missed_total {wrong['planted']}")
        known = self._sigmas
        # One line per campaign that goes on: never more than problems times devices.
        self._sigmas = {
            campaign.id: known[campaign.id]
            if known.get(campaign.id, (-1, ""))[0] == campaign.newest
            else (campaign.newest, _sigma(database, campaign))
            for campaign in health.open_campaigns(database)
        }
        return [*lines, *(line for _, line in self._sigmas.values() if line)]


def _sigma(database: Database, campaign: health.OpenCampaign) -> str:
    noise = noise_of(health.health_duels(database, campaign.id), campaign.policy)
    if not noise.values:
        return ""
    labels = f'device="{_label(campaign.device)}",problem="{_label(campaign.problem)}"'
    sigma = promotion.sigma(noise.values, campaign.policy)
    return f"kernelarc_sigma_log_units{{{labels}}} {sigma:.6f}"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
