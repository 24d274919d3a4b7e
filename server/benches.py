"""The devices of this host, each with its referee and pipeline.

Start at `Benches.choose`. Not here: finding devices (`guard.devices`), building (`bootstrap`).
"""

import asyncio
from collections.abc import Container, Iterable
from dataclasses import dataclass

from coordinator.pipeline import Pipeline
from guard.domain.errors import BadValue, UnknownDevice
from guard.domain.problem import Problem
from guard.ports import DeviceIdentity, Referee

LANES, STATES = ("compile", "device"), ("waiting", "running")


@dataclass(frozen=True)
class Bench:
    """One device with the trusted process that judges on it."""

    device: DeviceIdentity
    referee: Referee
    pipeline: Pipeline


class Benches:
    """All devices that this server offers, accelerators first."""

    def __init__(self, benches: Iterable[Bench]) -> None:
        ordered = sorted(benches, key=lambda bench: bench.device.kind == "cpu")
        self._by_name = {bench.device.name: bench for bench in ordered}

    def devices(self) -> tuple[DeviceIdentity, ...]:
        """The devices in the order in which they are preferred."""
        return tuple(bench.device for bench in self._by_name.values())

    def named(self, name: str) -> Bench:
        """One device.

        Raises:
            UnknownDevice: this server has none of that name.
        """
        if name not in self._by_name:
            raise UnknownDevice(name, self._by_name)
        return self._by_name[name]

    def suiting(self, problem: Problem) -> tuple[Bench, ...]:
        """The devices for which the problem has workloads."""
        return tuple(b for b in self._by_name.values() if problem.workloads_for(b.device.kind))

    def choose(self, problem: Problem, name: str, taken: Container[str] = ()) -> Bench:
        """The named device, or the first one that suits the problem.

        Of equal devices (one hardware and architecture) it is one that is `taken`, on which the
        problem has its campaign already, else the one with the fewest open orders.

        Raises:
            UnknownDevice: this server has none of that name.
            BadValue: the problem has no workloads for it.
        """
        suiting = self.suiting(problem)
        if name:
            bench = self.named(name)
            if bench not in suiting:
                raise BadValue("device", f"{problem.name!r} has no workloads for {name!r}.")
            return bench
        if not suiting:
            names = ", ".join(self._by_name) or "none"
            reason = f"{problem.name!r} has no workloads for the devices here ({names})."
            raise BadValue("problem", reason)
        equal = [b for b in suiting if _make(b.device) == _make(suiting[0].device)]
        here = [b for b in equal if b.device.name in taken]
        healthy = [b for b in equal if not b.pipeline.quarantine.reason]
        # The first of several that are least loaded.
        return min(here or healthy or equal, key=lambda bench: sum(bench.referee.load().values()))

    def loads(self) -> dict[tuple[str, str, str], int]:
        """Open orders by device, lane and state; also where there are none."""
        places = [(lane, state) for lane in LANES for state in STATES]
        return {
            (name, *place): bench.referee.load().get(place, 0)
            for name, bench in self._by_name.items()
            for place in places
        }

    def quarantined(self) -> dict[str, str]:
        """The devices that nothing is judged on now, each with the reason."""
        reasons = {name: b.pipeline.quarantine.reason for name, b in self._by_name.items()}
        return {name: reason for name, reason in reasons.items() if reason}

    def require_healthy(self, name: str) -> None:
        """Let through what is asked of a device that may be judged on, or is not of this server.

        Raises:
            DeviceQuarantined: its canary failed.
        """
        if name in self._by_name:
            self._by_name[name].pipeline.quarantine.check()

    async def close(self) -> None:
        """End every referee and everything below it."""
        await asyncio.gather(*(bench.pipeline.close() for bench in self._by_name.values()))
        await asyncio.gather(*(bench.referee.close() for bench in self._by_name.values()))


def _make(device: DeviceIdentity) -> tuple[str, str, str]:
    """What makes devices equal: figures of one may be expected from the other."""
    return device.kind, device.hardware, device.architecture
