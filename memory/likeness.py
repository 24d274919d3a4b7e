"""Whether two conclusions tell nearly the same: how many words of their notes they share.

Pure functions over notes. Numbers are words, for a tile of 64 is not a tile of 128. Start at
`repeats`. Not here: which earlier ones a new conclusion is compared with (`writes.conclusions`).
"""

import re

ALIKE = 0.7
"""From here on one conclusion repeats another of its kind (a share of their words)."""
OPPOSED = 0.5
"""From here on a win and a trap speak of the same thing."""
BETTER = 1.05
"""A win that is faster than the one it resembles by this factor tells something new."""
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")


def likeness(note: str, other: str) -> float:
    """The share of their words that two notes have in common, 0 to 1."""
    mine, theirs = _words(note), _words(other)
    if not mine or not theirs:
        return float(note == other)
    return len(mine & theirs) / len(mine | theirs)


def repeats(note: str, speedup: float | None, earlier: str, known: float | None) -> bool:
    """Whether a note of the same kind tells nothing that an earlier one did not."""
    if likeness(note, earlier) < ALIKE:
        return False
    return speedup is None or speedup <= (known or 0.0) * BETTER


def contradicts(note: str, other: str) -> bool:
    """Whether a note of the other kind speaks of the same thing."""
    return likeness(note, other) >= OPPOSED


def _words(note: str) -> frozenset[str]:
    return frozenset(_WORD.findall(note.lower()))
