"""What an agent reads of its strategy: idea, when it applies, what shows it, and the guide.

Start at `told`. Not here: the words themselves (`coordinator/strategies`, `coordinator/guides`).
"""

from coordinator.catalogue import Catalogue, Strategy
from coordinator.composing import strategies_of, words_of
from coordinator.composites import Composite, parse
from memory import views
from memory.engine import Database
from memory.records import Claim
from server import show
from server.answers import Answer


def told(database: Database, catalogue: Catalogue, claim: Claim) -> Answer:
    """The strategy of a claim; nothing where it has left the catalogue."""
    composite, strategy = parse(claim.strategy), catalogue.get(claim.strategy)
    if composite is not None:
        return {"combines": _parents(database, claim)} | _composite(composite, catalogue)
    return _plain(strategy, catalogue) if strategy is not None else {}


def _plain(strategy: Strategy, catalogue: Catalogue) -> Answer:
    return {
        "idea": strategy.idea,
        "applies_when": strategy.applies.when,
        "does_not_apply": strategy.applies_not,
        "expected_effect": strategy.predict,
        "shown_by": str(strategy.shown_by),
        "guidance": catalogue.guide_of(strategy),
    }


def _composite(composite: Composite, catalogue: Catalogue) -> Answer:
    words, parts = words_of(composite), strategies_of(composite, catalogue)
    return {
        "idea": words.idea,
        "made_of": [{"strategy": part.id, "idea": part.idea} for part in parts],
        "applies_when": words.applies_when,
        "does_not_apply": words.does_not_apply,
        "expected_effect": words.expected_effect,
        "shown_by": "all of: " + "; ".join(f"{part.id}: {part.shown_by}" for part in parts),
        "guidance": words.guide,
    }


def _parents(database: Database, claim: Claim) -> list[Answer]:
    """The submissions to make it of."""
    found = [views.submission(database, parent) for parent in claim.parents]
    return [
        {
            "submission_id": one.id,
            "strategy": one.strategy,
            "agent": one.agent,
            "language": one.solution.language,
            "speedup_over_baseline": show.interval(one.speedup, derived=one.derived),
            **({"revoked": one.revoked} if one.revoked else {}),
        }
        for one in found
        if one is not None
    ]
