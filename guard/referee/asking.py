"""Ask several sides at once, and wait for all of them.

What each has to do is done at the same time; no clock runs. Start at `ask_each`. Not here: asking
one runner (`runners`).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from guard.asks import Done
from guard.domain.value import Value
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed
from guard.wire import encode


def ask_each(sides: Sequence[Side], asks: Sequence[Value], limit_s: float) -> list[Done]:
    """Ask all sides at once and wait for each answer; afterwards all stand still.

    Raises:
        SideFailed: of the first that failed, once every side has answered.
    """
    for side, ask in zip(sides, asks, strict=True):
        with _blaming(side):
            side.runner.thaw()
            side.runner.put(encode(ask))
    answers, failures = [], []
    for side in sides:
        try:
            with _blaming(side):
                text, _ = side.runner.take(limit_s)
                answers.append(side.runner.answer(text))
                side.runner.freeze()
        except SideFailed as failed:
            failures.append(failed)
    if failures:
        raise failures[0]
    return answers


@contextmanager
def _blaming(side: Side) -> Iterator[None]:
    try:
        yield
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed
