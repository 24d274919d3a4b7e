"""Where a referee's runners come from: made ready before, or fresh; and builders.

    zygote -> spare (device prepared, unlimited) -> handed over, limited -> candidate
           -> fresh runner or builder, limited from the start

Safe from every thread. Start at `Supply.ready`. Not here: forking (`spawning`), keeping spares
(`spares`), what is done with a runner (`court`).
"""

from guard.asks import WarmAsk
from guard.domain.decision import Policy
from guard.referee.quiet import Quiet
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.spares import Spares
from guard.referee.spawning import Zygote

WARM_LIMIT_S = 60.0
UNLIMITED_BYTES = 2**46
"""Address space of a runner that has no candidate yet."""


class Supply:
    """Runners for the cores `running`, builders for the cores `building`; none named: any."""

    def __init__(
        self,
        device_kind: str,
        quiet: Quiet,
        *,
        running: tuple[int, ...],
        building: tuple[int, ...],
    ) -> None:
        self._kind = device_kind
        self._quiet = quiet
        self._running = running
        self._building = building
        self.zygote = Zygote(device_kind)
        self._spares: Spares | None = None

    def keep_spares(self, count: int) -> None:
        """From now on have so many runners made ready before they are needed."""
        self._spares = Spares(count, self._quiet, self._spare, self.end)

    def spares(self) -> tuple[Runner, ...]:
        """The runners that wait for a candidate now."""
        return self._spares.ready() if self._spares is not None else ()

    def ready(self, policy: Policy, shared_bytes: int = 0) -> Runner:
        """A spare; where none is left, one made now in the same way, so that both sides are alike.

        Raises:
            RefereeLost: no runner could be started.
        """
        memory_bytes = policy.memory_bytes + shared_bytes if self._kind == "cpu" else 0
        while self._spares is not None:
            spare = self._spares.take(policy)
            try:
                taken = spare or self._spare(policy)
                self._warm(taken, memory_bytes)
            except RunnerFailed:
                if spare is None:
                    # Whether the device or the candidate is to blame shows when it is loaded.
                    break
            else:
                return taken
        return self.fresh(policy, shared_bytes)

    def fresh(self, policy: Policy, shared_bytes: int = 0) -> Runner:
        """A runner made now."""
        return self.zygote.spawn(policy, shared_bytes, cpus=self._running)

    def builder(self, policy: Policy) -> Runner:
        """A runner that compiles; it needs no device."""
        return self.zygote.spawn(policy, cpus=self._building)

    def end(self, runner: Runner) -> None:
        """End a runner with its tree.

        Raises:
            RefereeLost: the tree did not go away.
        """
        self.zygote.end(runner)

    def close(self) -> None:
        """End all that wait, and what makes them."""
        if self._spares is not None:
            self._spares.close()
        self.zygote.close()
        if self._spares is not None:
            self._spares.leave()

    def _spare(self, policy: Policy) -> Runner:
        """A runner with its device prepared."""
        unlimited = policy.model_copy(update={"memory_bytes": UNLIMITED_BYTES})
        runner = self.zygote.spawn(unlimited, cpus=self._running)
        self._warm(runner)
        return runner

    def _warm(self, runner: Runner, memory_bytes: int = 0) -> None:
        """Prepare its device; it limits its memory while no candidate is there to prevent it.

        Raises:
            RunnerFailed: it could not, and was ended.
        """
        try:
            runner.ask(WarmAsk(device=self._kind, memory_bytes=memory_bytes), WARM_LIMIT_S)
        except RunnerFailed:
            self.end(runner)
            raise
