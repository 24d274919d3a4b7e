"""What of a block's time the host made a runner and the referee wait for a core.

Pure arithmetic over counts of the kernel. Start at `charged_ns`. Not here: where the counts come
from (`guard.devices`), what a block is (`clock`).
"""

from guard.processes import HostTime


def charged_ns(took_ns: int, before: HostTime | None, after: HostTime | None) -> int:
    """A block's time less the waiting; as it is where the host cannot tell.

    Never less than the processor time of all the runner's threads, on whichever cores. Nothing is
    taken off where it has several, or any began on the host: their work would look like waiting.
    """
    if before is None or after is None:
        return took_ns
    if before.alone and after.alone and before.last_pid == after.last_pid:
        took_ns -= after.waited_ns - before.waited_ns
    return max(took_ns, after.used_ns - before.used_ns)
