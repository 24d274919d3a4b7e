"""The referee's process: takes orders from the server, one at a time, and answers each.

    socket -> Order (queued) -> verify | duel | baseline | doctor -> Report

A thread of its own reads the socket, so that a cancellation reaches an order under way and the
end of the server ends this process with everything below it. Start at `main`.
"""

import os
import queue
import signal
import socket
import sys
import threading

import torch

from guard import plugins, sandbox
from guard.domain.decision import Policy
from guard.domain.errors import KernelArcError
from guard.domain.value import Value
from guard.lock import exclusive
from guard.ports import DeviceIdentity
from guard.referee.baseline import baseline
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
        self._court.close()
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
                self._current = ""
            send(self._sock, report)

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


def carry_out(court: Court, order: object) -> Value:
    """One order to its report."""
    name = court.identity.facts.get("uuid", court.identity.name)
    match order:
        case VerifyOrder():
            # Another server's duel on this device must not be disturbed either.
            with exclusive(name, wait_s=DEVICE_WAIT_S):
                found = screen(court, order.problem, order.solution, order.policy)
            return VerifyReport(job=order.job, verification=found)
        case DuelOrder():
            with exclusive(name, wait_s=DEVICE_WAIT_S):
                return DuelReport(job=order.job, duel=duel(court, order))
        case BaselineOrder():
            with exclusive(name, wait_s=DEVICE_WAIT_S):
                chosen = baseline(court, order.problem, order.policy)
                return BaselineReport(job=order.job, baseline=chosen)
        case DoctorOrder():
            return examine(court, order)
    raise ValueError(f"no such order: {order!r}")


def examine(court: Court, order: DoctorOrder) -> DoctorReport:
    """Try every sandbox layer by starting a runner."""
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
