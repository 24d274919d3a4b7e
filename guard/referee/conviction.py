"""Tell a trick from a mistake, where the outputs of a plain call show it.

Start at `convict`. Not here: the checks that found the output wrong (`sides`).
"""

import time
from typing import TYPE_CHECKING

from guard.referee.compare import compare
from guard.referee.reference import Expected
from guard.referee.runners import RunnerFailed
from guard.verify import Correct, Finding, Incorrect, judge

if TYPE_CHECKING:
    from guard.referee.sides import Side

# How long a candidate whose outputs are incomplete is watched for late writing, seconds.
LATE_S = 0.05


def convict(
    side: "Side", slot: int, outcome: Incorrect, last: Expected | None, *, alike: bool
) -> None:
    """Raise if it was a trick; `last` is what the call before should have written.

    `alike`: that call's inputs were of the same class. Who leaves outputs unwritten on inputs of
    another class may only mistake them, such as rows of zeros that it means to skip.

    Raises:
        RunnerFailed: REWARD_HACK with the evidence.
    """
    evidence = ""
    if outcome.finding is Finding.NOT_WRITTEN:
        left = side.unwritten([slot])
        side.runner.thaw()
        time.sleep(LATE_S)
        side.runner.freeze()
        if side.unwritten([slot]) < left:
            evidence = "it wrote outputs after it had said that the call was done"
        elif last is not None and alike:
            evidence = "an earlier call was right, but this one left outputs unwritten"
    elif last is not None and _holds(side, slot, last):
        evidence = "the outputs are those of the call before, for other inputs"
    if evidence:
        raise RunnerFailed("REWARD_HACK", f"{evidence}. {outcome.reason}")


def _holds(side: "Side", slot: int, answer: Expected) -> bool:
    definition, tolerance = side.slots.layout.definition, side.slots.layout.workload.tolerance
    found = [
        compare(name, output, wanted, tolerance)
        for name, output, wanted in zip(
            definition.outputs, side.outputs(slot), answer.tensors, strict=True
        )
    ]
    return isinstance(judge(found, tolerance), Correct)
