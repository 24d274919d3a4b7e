"""How much of what was found one answer gives, and where the next one goes on. Pure.

    entries in the order to take × room -> those given -> cursor

Imports nothing heavy. Start at `fitting`. Not here: what was found, and in which order (`boards`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory.conclusion import ConclusionKind
from memory.words import words_of
from server.answers import Answer, size

TOKEN_CHARACTERS = 4
"""Characters of one token, roughly."""
SHORTEST = 160
"""Characters that no entry is shorter than."""
MAX_BUDGET = 1_500
"""Tokens that an agent may ask for: the rest of an answer needs its place too."""


class Question(NamedTuple):
    """What an agent asks of a board, as it wrote it."""

    since: int
    kind: str
    words: str
    budget: int
    """Tokens; 0: as the Policy says."""

    @property
    def kinds(self) -> tuple[ConclusionKind, ...]:
        """Those asked for."""
        every: tuple[ConclusionKind, ...] = ("win", "trap")
        return tuple(kind for kind in every if self.kind in ("", kind))

    @property
    def sought(self) -> tuple[str, ...]:
        """The words of a search; none: it is none."""
        return words_of(self.words)

    @property
    def is_poll(self) -> bool:
        """Whether all that is new is asked for, rather than what serves most."""
        return bool(self.since) and not self.sought


def most(room: int) -> int:
    """Entries that are worth making for so many characters."""
    return 1 + max(0, room) // SHORTEST


def fitting(entries: Iterable[Answer], room: int) -> list[Answer]:
    """As many entries as fit into `room` characters, and never none: a poll must get on."""
    given: list[Answer] = []
    for entry in entries:
        room -= length(entry)
        if given and room < 0:
            break
        given.append(entry)
    return given


def length(entry: Answer) -> int:
    """The characters that an entry takes where a board holds it."""
    return size({"boards": [{"conclusions": [entry]}]})


def cursor(question: Question, latest: int, given: Sequence[int], found: int) -> int:
    """What to pass as `since` next time; `given`, of `found` ones, are numbers, oldest first."""
    if question.sought:
        # Others than those sought may have come meanwhile.
        return question.since
    if question.is_poll and len(given) < found:
        return given[-1]
    return max(question.since, latest)
