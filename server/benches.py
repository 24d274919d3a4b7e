"""The devices of this host, each with its referee and pipeline.

Start at `Benches.choose`. Not here: finding devices (`guard.devices`), building (`bootstrap`).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from coordinator.pipeline import Pipeline
from guard.domain.errors import BadValue, UnknownDevice
from guard.domain.problem import Problem
from guard.ports import DeviceIdentity, Referee


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

    def choose(self, problem: Problem, name: str) -> Bench:
        """The named device, or the first one that suits the problem.

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
        return suiting[0]

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
