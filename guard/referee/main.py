"""The referee's process: takes orders from the server, and answers each.

    socket -> VerifyOrder -> compile lane (rules, builders) -> Report | device lane
              other orders ----------------------------------> device lane -> Report [-> canary]

The compile lane has as many threads as builders may work at once; the device lane is one thread,
so checks and timings on the device take turns.
After a failure that may be the device's own, a canary is asked before the report is sent. When it
fails, the report is `DeviceQuarantined` and this process ends: what it holds of the device may be
broken too. A thread of its own reads the socket, so that a cancellation reaches an order under way
and the end of the server ends this process with everything below it. Start at `main`.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TypeVar

from guard import plugins, sandbox
from guard.domain.errors import DeviceBusy, DeviceQuarantined, KernelArcError
from guard.domain.value import Value
from guard.ports import DeviceIdentity
from guard.referee.canary import canary
from guard.referee.carrying import alone, carry_out, screened
from guard.referee.cores import Cores, leave_last_core, shared_out
from guard.referee.court import Court, OrderCancelled
from guard.referee.lanes import Case, Docket, Lane, Where, end_with_thread
from guard.referee.reference import ReferenceFailed
from guard.referee.sickness import doubtful, sick
from guard.referee.spares import SPARES
from guard.wire import (
    ORDERS,
    Cancelled,
    CancelOrder,
    PeerBabbles,
    PeerGone,
    Progress,
    Trouble,
    VerifyOrder,
    parse,
    receive,
    send,
)

SWITCH_S = 2e-4
"""For how long a thread of this process may compute while another one wants to."""
T = TypeVar("T")


class Desk:
    """Orders in, reports out, by way of the lanes."""

    def __init__(self, sock: socket.socket, court: Court, cores: Cores) -> None:
        self._sock = sock
        self._court = court
        self._cores = cores
        self._docket = Docket()
        self._compiling = Lane("compile", "the compile lane", cores.builders)
        self._judging = Lane("device", "the device", 1)
        self._telling = threading.Lock()
        self._undying: Trouble | None = None

    def read(self) -> None:
        """Read orders until the server goes away; then end the process."""
        while True:
            try:
                text, _, _ = receive(self._sock)
                order = parse(ORDERS, text)
            except (PeerGone, PeerBabbles):
                break
            if isinstance(order, CancelOrder):
                self._docket.cancel(order.job)
                continue
            lane = self._compiling if isinstance(order, VerifyOrder) else self._judging
            self._enter(self._docket.open(order), lane)
        try:
            for court in self._docket.at_work():
                if court is not self._court:
                    court.leave()
            self._court.close()
        finally:
            # Whatever would not go: the zygote and all below it end with this process.
            os._exit(0)

    def compile(self) -> None:
        """One thread of the compile lane, for ever: static rules and builders, no device."""
        court = self._court.aside()
        while True:
            with self._compiling.taken() as case:
                waits = partial(self._wait, case, self._compiling)
                with nullcontext() if self._cores.apart else court.quiet.broken(waits):
                    self._compiled(court, case)

    def _compiled(self, court: Court, case: Case) -> None:
        if not self._docket.begin(case, court):
            self._report(case, Cancelled(job=case.job))
            return
        report = self._tried(court, case, screened)
        self._docket.leave(case)
        if report is None or isinstance(report, Trouble):
            case.trouble = report
            self._enter(case, self._judging)
        else:
            self._report(case, report)

    def work(self) -> None:
        """The device lane, for ever: one order after another."""
        while True:
            with self._judging.taken() as case:
                self._judged(case)

    def _judged(self, case: Case) -> None:
        if not self._docket.begin(case, self._court):
            self._report(case, Cancelled(job=case.job))
            return
        with ExitStack() as held:
            # What the order before left behind is told once.
            report, self._undying = case.trouble or self._undying, None
            if report is None:
                report = self._tried(self._court, case, partial(carry_out, held))
            # A cancellation that comes now must not end the canary's runner.
            self._docket.leave(case)
            if doubtful(report):
                report = self._settled() or report
                held.close()
                self._step(case.job, "device", 1, 1, "checking the device")
                report = self._quarantining() or report
            self._report(case, report)
            if sick(report):
                self._leave()
            # What is still there of the candidate meets no other, here or in another server.
            self._undying = self._settled()

    def _settled(self) -> Trouble | None:
        """The trouble when a candidate's processes do not go away."""
        try:
            self._court.settle()
        except KernelArcError as error:
            return Trouble(job="", code=error.code, message=error.message)
        return None

    def _enter(self, case: Case, lane: Lane) -> None:
        case.stay.at("wait")
        lane.put(case, partial(self._wait, case, lane))

    def _report(self, case: Case, report: Value) -> None:
        self._docket.close(case)
        told = {"job": case.job, "spent": case.stay.spent()}
        self._send(report.model_copy(update=told))

    def _wait(self, case: Case, lane: Lane) -> None:
        message = f"waiting for {lane.called}"
        self._send(
            Progress(job=case.job, done=0, total=1, message=message, lane=lane.where, waiting=True)
        )

    def _step(self, job: str, lane: Where, done: int, total: int, message: str) -> None:
        self._send(Progress(job=job, done=done, total=total, message=message, lane=lane))

    def _send(self, value: Value) -> None:
        # Without a server there is nobody to tell, and `read` ends this process.
        with self._telling, contextlib.suppress(PeerGone):
            send(self._sock, value)

    def _quarantining(self) -> Trouble | None:
        """The report that stands for every other when the device is not healthy."""
        try:
            with alone(self._court):
                why = canary(self._court)
        except DeviceBusy as busy:
            return Trouble(job="", code=busy.code, message=busy.message)
        if not why:
            return None
        error = DeviceQuarantined(self._court.identity.name, why)
        return Trouble(job="", code=error.code, message=error.message)

    def _leave(self) -> None:
        """End this process, whatever the device does: the next order starts another."""
        # Told by the socket itself: a thread that hangs in the driver keeps the process there.
        self._sock.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(KernelArcError):
            self._court.close()
        os._exit(1)

    def _tried(
        self, court: Court, case: Case, work: Callable[[Court, Case], T]
    ) -> T | Cancelled | Trouble:
        """What comes of it; the house's own failures are told as trouble."""
        lane: Where = "device" if court is self._court else "compile"
        court.progress = partial(self._step, case.job, lane)
        try:
            return work(court, case)
        except OrderCancelled:
            return Cancelled(job=case.job)
        except KernelArcError as error:
            return Trouble(job=case.job, code=error.code, message=error.message)
        except ReferenceFailed as error:
            message = f"reference: {error}"
            return Trouble(job=case.job, code="malformed_problem", message=message)
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            # Memory that the device cannot give, a full disk: the house's failure, told as such.
            message = f"{type(error).__name__}: {error}"
            return Trouble(job=case.job, code="device_unhealthy", message=message)


def main() -> None:
    """Serve the device named by the second argument on the socket numbered by the first."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    kind, name = sys.argv[2], sys.argv[3]
    sandbox.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Threads of the compile lane must not keep the one that times from going on.
    sys.setswitchinterval(SWITCH_S)
    threading.excepthook = end_with_thread
    devices = plugins.load("devices")
    device = devices[kind]
    identity: DeviceIdentity = next(d for d in device.found() if d.name == name)
    cores = shared_out(
        sorted(os.sched_getaffinity(0)), sum(len(d.found()) for d in devices.values())
    )
    pin_cpu = leave_last_core() if kind == "cpu" else -1
    court = Court(device, identity, pin_cpu=pin_cpu, building=cores.building)
    court.supply.keep_spares(SPARES)
    desk = Desk(sock, court, cores)
    threading.Thread(target=desk.read, daemon=True).start()
    for _ in range(cores.builders):
        threading.Thread(target=desk.compile, daemon=True).start()
    desk.work()


if __name__ == "__main__":
    main()
