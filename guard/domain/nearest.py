"""Offer the nearest known name for a wrong one, as every message about names does."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known names, or lists a few."""
    names = sorted(known)
    near = get_close_matches(wrong, names, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(names[:12])}." if names else "None is known here."
