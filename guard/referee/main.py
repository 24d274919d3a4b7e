"""The referee's process: takes orders from the server, one at a time, and answers each.

    socket -> Order (queued) -> verify | duel | baseline | doctor -> Report [-> canary]

After a failure that may be the device's own, a canary is asked before the report is sent. When it
fails, the report is `DeviceQuarantined` and this process ends: what it holds of the device may be
broken too. A thread of its own reads the socket, so that a cancellation reaches an order under way
and the end of the server ends this process with everything below it. Start at `main`.
"""

import contextlib
import os
import queue
import signal
import socket
import sys
import threading
from contextlib import AbstractContextManager

import torch

from guard import plugins, sandbox
from guard.domain.decision import Policy
from guard.domain.errors import DeviceBusy, DeviceQuarantined, KernelArcError
from guard.domain.value import Value
from guard.lock import exclusive
from guard.ports import DeviceIdentity
from guard.referee.baseline import baseline
from guard.referee.canary import canary
from guard.referee.court import Court, OrderCancelled, libraries
from guard.referee.duel import duel
from guard.referee.reference import ReferenceFailed
from guard.referee.screening import screen
from guard.wire import (
    ORDERS,
    BaselineOrder,
    BaselineReport,
    Cancelled,
    CancelOrder,
    DoctorOrder,
    DoctorReport,
    DuelOrder,
    DuelReport,
    Layer,
    PeerBabbles,
    PeerGone,
    Progress,
    Trouble,
    VerifyOrder,
    VerifyReport,
    parse,
    receive,
    send,
)

DEVICE_WAIT_S = 600.0
DOUBTFUL = ("RUNTIME_ERROR", "TIMEOUT", "REWARD_HACK")
"""How a candidate's failure is called that may be the device's, or may have harmed it."""
BLAMELESS = ("malformed_problem", "device_busy")
"""Codes of trouble that the device has no part in."""


class Desk:
    """Orders in, reports out, and which order is under way."""

    def __init__(self, sock: socket.socket, court: Court) -> None:
        self._sock = sock
        self._court = court
        self._orders: queue.Queue[object] = queue.Queue()
        self._waiting: set[str] = set()
        self._gone: set[str] = set()
        self._current = ""
        self._guard = threading.Lock()

    def read(self) -> None:
        """Read orders until the server goes away; then end the process."""
        while True:
            try:
                text, _, _ = receive(self._sock)
                order = parse(ORDERS, text)
            except (PeerGone, PeerBabbles):
                break
            if isinstance(order, CancelOrder):
                self._cancel(order.job)
            else:
                with self._guard:
                    self._waiting.add(order.job)
                self._orders.put(order)
        try:
            self._court.close()
        finally:
            # Whatever would not go: the zygote and all below it end with this process.
            os._exit(0)

    def work(self) -> None:
        """Carry out orders for ever."""
        while True:
            order = self._orders.get()
            job = str(getattr(order, "job", ""))
            with self._guard:
                cancelled = job in self._gone
                self._gone.discard(job)
                self._waiting.discard(job)
                self._current = job
                self._court.resume()
            report = Cancelled(job=job) if cancelled else self._carried_out(order, job)
            with self._guard:
                # A cancellation that comes now must not end the canary's runner.
                self._current = ""
                self._court.resume()
            if not cancelled and doubtful(report):
                step = Progress(job=job, done=1, total=1, message="checking the device")
                send(self._sock, step)
                report = self._quarantining(job) or report
            send(self._sock, report)
            if sick(report):
                self._leave()

    def _quarantining(self, job: str) -> Trouble | None:
        """The report that stands for every other when the device is not healthy."""
        try:
            with _exclusive(self._court):
                why = canary(self._court)
        except DeviceBusy as busy:
            return Trouble(job=job, code=busy.code, message=busy.message)
        if not why:
            return None
        error = DeviceQuarantined(self._court.identity.name, why)
        return Trouble(job=job, code=error.code, message=error.message)

    def _leave(self) -> None:
        """End this process, whatever the device does: the next order starts another."""
        # Told by the socket itself: a thread that hangs in the driver keeps the process there.
        self._sock.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(KernelArcError):
            self._court.close()
        os._exit(1)

    def _cancel(self, job: str) -> None:
        with self._guard:
            if job == self._current:
                self._court.cancel()
            elif job in self._waiting:
                self._gone.add(job)

    def _carried_out(self, order: object, job: str) -> Value:
        self._court.progress = lambda done, total, message: send(
            self._sock, Progress(job=job, done=done, total=total, message=message)
        )
        try:
            return carry_out(self._court, order)
        except OrderCancelled:
            return Cancelled(job=job)
        except KernelArcError as error:
            return Trouble(job=job, code=error.code, message=error.message)
        except ReferenceFailed as error:
            return Trouble(job=job, code="malformed_problem", message=f"reference: {error}")
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            # Memory that the device cannot give, a full disk: the house's failure, told as such.
            return Trouble(
                job=job, code="device_unhealthy", message=f"{type(error).__name__}: {error}"
            )


def doubtful(report: Value) -> bool:
    """Whether the device may have a part in how an order ended, or may have come to harm."""
    match report:
        case VerifyReport():
            judged = report.verification.judgements
        case DuelReport():
            judged = report.duel.failures
        case Trouble():
            return report.code not in BLAMELESS
        case _:
            return isinstance(report, Cancelled)
    return any(judgement.evaluation.status in DOUBTFUL for judgement in judged)


def sick(report: Value) -> bool:
    """Whether the canary failed."""
    if isinstance(report, DoctorReport):
        return bool(report.canary)
    return isinstance(report, Trouble) and report.code == "device_quarantined"


def carry_out(court: Court, order: object) -> Value:
    """One order to its report."""
    match order:
        case VerifyOrder():
            # Another server's duel on this device must not be disturbed either.
            with _exclusive(court):
                found = screen(court, order.problem, order.solution, order.policy)
            return VerifyReport(job=order.job, verification=found)
        case DuelOrder():
            with _exclusive(court):
                return DuelReport(job=order.job, duel=duel(court, order))
        case BaselineOrder():
            with _exclusive(court):
                chosen = baseline(court, order.problem, order.policy)
                return BaselineReport(job=order.job, baseline=chosen)
        case DoctorOrder():
            return examine(court, order)
    raise ValueError(f"no such order: {order!r}")


def _exclusive(court: Court) -> AbstractContextManager[None]:
    name = court.identity.facts.get("uuid", court.identity.name)
    return exclusive(name, wait_s=DEVICE_WAIT_S)


def examine(court: Court, order: DoctorOrder) -> DoctorReport:
    """Try the device by a canary, and every sandbox layer by starting a runner."""
    if why := canary(court):
        libs = libraries()
        return DoctorReport(job=order.job, grade=0, layers=(), libs=libs, canary=why)
    with court.runner(Policy()) as runner:
        layers = [Layer(name=name, works=True) for name in runner.held]
        layers += [Layer(name=n, works=False, detail=why) for n, why in runner.fell.items()]
        grade = runner.grade
    return DoctorReport(job=order.job, grade=grade, layers=tuple(layers), libs=libraries())


def main() -> None:
    """Serve the device named by the second argument on the socket numbered by the first."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    kind, name = sys.argv[2], sys.argv[3]
    sandbox.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    device = plugins.load("devices")[kind]
    identity: DeviceIdentity = next(d for d in device.found() if d.name == name)
    court = Court(device, identity, pin_cpu=_split_cores() if kind == "cpu" else -1)
    desk = Desk(sock, court)
    threading.Thread(target=desk.read, daemon=True).start()
    desk.work()


def _split_cores() -> int:
    """Leave the last core to the runner being timed; returns its number, or -1 on one core."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return -1
    os.sched_setaffinity(0, set(cores[:-1]))
    torch.set_num_threads(max(1, len(cores) - 1))
    return cores[-1]


if __name__ == "__main__":
    main()
