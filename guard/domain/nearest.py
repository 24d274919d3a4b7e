"""Offer the nearest known name for a wrong one, as every message about names does."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(wrong: str, known: Iterable[str], most: int = 1) -> str:
    """A sentence that offers the nearest known names, `most` of them, or lists a few."""
    names = sorted(known)
    near = [repr(name) for name in get_close_matches(wrong, names, n=most, cutoff=0.5)]
    if near:
        *first, last = near
        return f"Did you mean {', '.join(first)} or {last}?" if first else f"Did you mean {last}?"
    return f"Known: {', '.join(names[:12])}." if names else "None is known here."
