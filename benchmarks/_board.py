"""A board with one campaign whose baseline is made up: for benchmarks in which nothing is judged.

Start at `begin`. Not here: filling it (`_filling`).
"""

from guard.domain.bound import Bound
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution, Source
from guard.domain.trace import Baseline
from guard.ports import DeviceIdentity
from memory.board import Board
from memory.records import Campaign

TOKEN = "local"
BASELINE_MS, BOUND_MS = 1.0, 0.2


def begin(board: Board, problem: Problem, device: DeviceIdentity) -> Campaign:
    """Start the campaign that a server with this device and no options of its own goes on with."""
    uuids = [item.uuid for item in problem.workloads_for(device.kind)]
    name = problem.definition.name
    source = Source(path="baseline.py", content=problem.definition.reference)
    baseline = Baseline(
        kind="eager",
        solution=Solution(definition=name, language="pytorch", sources=(source,)),
        latency_ms=dict.fromkeys(uuids, BASELINE_MS),
        contenders={"eager": "made up"},
        bounds=dict.fromkeys(uuids, Bound(bound_ms=BOUND_MS, resource="memory")),
    )
    return board.start_campaign(problem, device.name, device.hardware, Policy(), baseline)
