"""A referee whose processor falls ill while a file says so: in place of `guard.referee.main`.

The illness is the file's text. ``hangs``: nothing comes back from it; ``forgets``: what is written
to its memory is lost; ``divides``: a runner's memory is not the referee's; ``refuses``: no memory.
"""

import os
import time
from pathlib import Path

from guard.devices import cpu
from guard.devices.cpu import Cpu, CpuArena
from guard.ports import DeviceIdentity
from guard.referee import carrying
from guard.referee import main as referee
from guard.referee.canary import canary

FILE = "KERNELARC_TEST_ILLNESS"


looked_at = False
"""Whether its canary is being asked: it is ill from a candidate's failure on, not before."""


def illness() -> str:
    """What ails the processor now."""
    path = Path(os.environ[FILE])
    return path.read_text() if looked_at and path.exists() else ""


class DividedArena(CpuArena):
    """Its tensors are copies, so nobody else sees what is written to them."""

    def tensor(self, offset, shape, dtype):
        return super().tensor(offset, shape, dtype).clone()


class SickCpu(Cpu):
    """The host's processor, ill at times."""

    last: CpuArena

    def allocate(self, identity: DeviceIdentity, size_bytes: int) -> CpuArena:
        if illness() == "refuses":
            raise RuntimeError("out of memory")
        arena = super().allocate(identity, size_bytes)
        self.last = DividedArena(arena.fds()[0], size_bytes) if illness() == "divides" else arena
        return self.last

    def synchronise(self) -> None:
        while illness() == "hangs":
            time.sleep(0.01)
        if illness() == "forgets":
            self.last._map[:] = bytes(self.last.size_bytes)


def hasty_canary(court):
    global looked_at
    looked_at = True
    why = canary(court, limit_s=3.0)
    looked_at = False
    return why


if __name__ == "__main__":
    cpu.DEVICE = SickCpu()
    referee.canary = carrying.canary = hasty_canary
    referee.main()
