"""What a benchmark hands in: fresh candidates that are right, wrong, or do not compile.

    Template × Outcome × number -> Submission

Pure but for reading the sources. Start at `submission`; `outcomes` draws a mixed stream. Not here:
who hands them in (`turnaround`), the edits themselves (`candidates.toml`).
"""

import random
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from examples.team.plan import SOLUTIONS
from guard.domain.value import Value

CANDIDATES = Path(__file__).with_name("candidates.toml")
NONCES = 10**6
"""Where a run's numbers begin is drawn below this: caches may have outlived the last run."""


class Outcome(StrEnum):
    """What becomes of a submission."""

    CORRECT = "correct"
    WRONG = "wrong"
    COMPILE_ERROR = "compile error"


SHARES = {Outcome.COMPILE_ERROR: 3, Outcome.WRONG: 4, Outcome.CORRECT: 3}
"""Of each ten in a mixed stream."""


class Edit(Value):
    """One replacement in a text in which `find` occurs once."""

    find: str
    put: str

    def of(self, text: str) -> str:
        """The text with the replacement made.

        Raises:
            ValueError: what is to be replaced does not occur exactly once.
        """
        if text.count(self.find) != 1:
            raise ValueError(f"{self.find!r} occurs {text.count(self.find)} times, not once")
        return text.replace(self.find, self.put)


class Template(Value):
    """One prepared solution with its edits."""

    language: str
    problem: str
    source: str
    launch_plan: str = ""
    options: str = ""
    nonce: Edit
    wrong: Edit
    compile_error: Edit


class Submission(Value):
    """The arguments of one call that hands something in."""

    language: str
    source: str
    launch_plan: str
    options: str


def templates() -> dict[str, Template]:
    """Every way of writing kernels, by name."""
    with CANDIDATES.open("rb") as file:
        return TypeAdapter(dict[str, Template]).validate_python(tomllib.load(file))


def submission(template: Template, outcome: Outcome, number: int) -> Submission:
    """A candidate of this kind that differs from every other number's."""
    text = template.nonce.of((SOLUTIONS / template.source).read_text("utf-8"))
    if outcome is Outcome.WRONG:
        text = template.wrong.of(text)
    elif outcome is Outcome.COMPILE_ERROR:
        text = template.compile_error.of(text)
    plan = (SOLUTIONS / template.launch_plan).read_text("utf-8") if template.launch_plan else ""
    return Submission(
        language=template.language,
        source=text.replace("{nonce}", str(number)),
        launch_plan=plan,
        options=template.options,
    )


def outcomes(draw: random.Random, shares: Mapping[Outcome, int] = SHARES) -> Iterator[Outcome]:
    """A mixed stream without end: the shares hold in every ten, their order is drawn."""
    deck = [outcome for outcome, share in shares.items() for _ in range(share)]
    while True:
        draw.shuffle(deck)
        yield from deck
