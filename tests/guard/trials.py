"""A small problem, solutions for it, and a patient policy, for tests that run real candidates."""

from pathlib import Path

from guard.domain.decision import Policy
from guard.domain.problem import Problem, Workload
from guard.domain.solution import Solution, Source
from guard.formats.sol_execbench import FORMAT
from guard.wire import DuelOrder

ROOT = Path(__file__).resolve().parents[2]
HONEST = "import torch\n\n\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
RETURNING = "import torch\n\n\ndef run(x):\n    return torch.softmax(x, dim=1)\n"
WRONG = "def run(x, y):\n    y.fill_(0.5)\n"
POLICY = Policy(
    turns=2,
    max_slots=8,
    compile_limit_s=60,
    load_limit_s=30,
    first_call_limit_s=30,
    call_limit_s=30,
    memory_bytes=2 * 2**30,
    file_bytes=64 * 2**20,
)


def workload(uuid: str = "small", rows: int = 16, columns: int = 64) -> Workload:
    """One workload of `softmax_rows`."""
    return Workload.model_validate(
        {
            "uuid": uuid,
            "axes": {"M": rows, "N": columns},
            "inputs": {"x": {"type": "random"}},
            "tolerance": {"max_atol": 1e-6, "max_rtol": 1e-4, "required_matched_ratio": 1.0},
        }
    )


def problem(*workloads: Workload, reference: str = "", hidden: bool = False) -> Problem:
    """`softmax_rows` with these CPU workloads, or one small one; `hidden` opens its axes."""
    read = FORMAT.read(ROOT / "examples" / "problems" / "softmax_rows")
    changed: dict[str, object] = {"cpu_workloads": workloads or (workload(),)}
    if reference:
        changed["definition"] = read.definition.model_copy(update={"reference": reference})
    found = read.model_copy(update=changed)
    return found if hidden else closed(found, "M", "N")


def linear(reference: str = "", *, hidden: bool = False) -> Problem:
    """`linear_silu`, whose weight and bias are constant, with one small workload."""
    read = FORMAT.read(ROOT / "examples" / "problems" / "linear_silu")
    given = read.cpu_workloads[0].model_copy(update={"axes": {"M": 3, "N": 64, "K": 48}})
    changed: dict[str, object] = {"cpu_workloads": (given,)}
    if reference:
        changed["definition"] = read.definition.model_copy(update={"reference": reference})
    found = read.model_copy(update=changed)
    return found if hidden else closed(found, "M")


def closed(task: Problem, *axes: str) -> Problem:
    """The same problem without neighbours along these axes."""
    changed = {
        name: axis.model_copy(update={"closed": True}) if name in axes else axis
        for name, axis in task.definition.axes.items()
    }
    definition = task.definition.model_copy(update={"axes": changed})
    return task.model_copy(update={"definition": definition})


def solution(
    source: str = HONEST, *, language: str = "pytorch", returns: bool = False, **other: str
) -> Solution:
    """A solution of one entry file; `other` gives further files by their stem."""
    suffix = {"cpp": ".cpp", "cuda": ".cu"}.get(language, ".py")
    files = {f"candidate{suffix}": source} | {f"{stem}.py": text for stem, text in other.items()}
    return Solution(
        definition="softmax_rows",
        language=language,
        sources=tuple(Source(path=path, content=text) for path, text in files.items()),
        destination_passing_style=not returns,
    )


def duel_order(
    candidate: Solution, champion: Solution | None = None, *, pairs: int = 1, first_pair: int = 0
) -> DuelOrder:
    """Time a candidate against an honest champion on one workload of about 0.1 ms."""
    return DuelOrder(
        job="duel",
        problem=problem(workload("timed", 64, 2048)),
        candidate=candidate,
        champion=champion or solution(),
        policy=POLICY,
        pairs=pairs,
        first_pair=first_pair,
    )
