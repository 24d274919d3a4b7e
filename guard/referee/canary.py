"""Does the device still compute what it must? Asked after a candidate failed on it.

    a known computation in the referee's own process, then in a fresh runner -> what is wrong

Both, because they break apart: a driver may let the contexts there are go on and refuse new ones,
and then every later candidate would be charged with a failure that is not its own. Each step on
the device has a time limit: a device that hangs must not keep the referee.

Start at `canary`. Not here: when it is asked, and what follows from the answer (`main`).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from guard.asks import AttachAsk, BindAsk, CallAsk, TensorAt
from guard.domain.decision import Policy
from guard.domain.errors import KernelArcError
from guard.domain.solution import Solution, Source
from guard.referee.court import Court, fresh_seed
from guard.referee.runners import RunnerFailed

LIMIT_S = 20.0
ELEMENTS = 2**20
"""Enough that every part of a processor takes some of them."""
PLACE_BYTES = 4 * ELEMENTS
SQUARES = Solution(
    definition="canary",
    language="pytorch",
    sources=(
        Source(path="canary.py", content="import torch\ndef run(x, y): torch.mul(x, x, out=y)\n"),
    ),
)
T = TypeVar("T")


def canary(court: Court, *, limit_s: float = LIMIT_S) -> str:
    """What is wrong with the device; empty when it is healthy."""
    # A thread of its own that is left behind when it hangs: nothing can interrupt a driver.
    pool = ThreadPoolExecutor(max_workers=1)

    def bounded(step: Callable[[], T]) -> T:
        return pool.submit(step).result(limit_s)

    where = "in the referee's process"
    try:
        trial = bounded(lambda: _Trial(court))
        right = bounded(trial.right_in_this_process)
        if right:
            where = "in a fresh runner"
            # From this thread: the kernel ends a process with the thread that started it.
            trial.ask_a_runner(court, limit_s)
            right = bounded(trial.right)
        bounded(trial.close)
    except TimeoutError:
        return f"its canary did not come back within {limit_s:g} s {where}"
    except (OSError, RuntimeError, ValueError, MemoryError, RunnerFailed, KernelArcError) as error:
        return f"its canary failed {where} ({_short(error)})"
    finally:
        pool.shutdown(wait=False)
    return "" if right else f"its canary came out wrong {where}"


class _Trial:
    """Random whole numbers in the device's memory, a place for their squares, and the answer."""

    def __init__(self, court: Court) -> None:
        self._device = court.device
        self._arena = court.device.allocate(court.identity, 2 * PLACE_BYTES)
        drawing = torch.Generator().manual_seed(fresh_seed())
        # Whole numbers whose squares a float32 holds exactly: right is equal, on every device.
        numbers = torch.randint(-2000, 2000, (ELEMENTS,), generator=drawing).to(torch.float32)
        self._expected = numbers.square()
        self._x = self._arena.tensor(0, (ELEMENTS,), "float32")
        self._y = self._arena.tensor(PLACE_BYTES, (ELEMENTS,), "float32")
        self._x.copy_(numbers)

    def right_in_this_process(self) -> bool:
        """Compute here; the place is wiped afterwards, so that a runner cannot find it done."""
        torch.mul(self._x, self._x, out=self._y)
        right = self.right()
        self._y.fill_(float("nan"))
        self._device.synchronise()
        return right

    def right(self) -> bool:
        """Whether every square is there."""
        self._device.synchronise()
        return torch.equal(self._y.cpu(), self._expected)

    def ask_a_runner(self, court: Court, limit_s: float) -> None:
        """Have a fresh runner do the same, by the road that every candidate takes.

        Raises:
            RunnerFailed, RefereeLost: it could not.
        """
        policy = Policy(compile_limit_s=limit_s, load_limit_s=limit_s)
        place = TensorAt(shape=(ELEMENTS,), dtype="float32")
        bind = BindAsk(
            inputs=(place,),
            outputs=(place,),
            input_names=("x",),
            names=("y",),
            returns=False,
            offsets=(0, PLACE_BYTES),
            slot_bytes=2 * PLACE_BYTES,
            count=1,
            axes={},
        )
        with court.runner(policy, fresh=True) as runner:
            court.load(SQUARES, policy, runner)
            runner.ask(AttachAsk(handle=self._arena.handle()), limit_s, fds=self._arena.fds())
            runner.ask(bind, limit_s)
            runner.ask(CallAsk(slot=0), limit_s)

    def close(self) -> None:
        """Give the memory back."""
        del self._x, self._y
        self._arena.close()


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0][:300]
