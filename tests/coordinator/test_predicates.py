"""Every word of the vocabulary: what it says of a candidate, and what cannot be told."""

import pytest
from pydantic import TypeAdapter

from coordinator.predicates import WORDS, Condition
from coordinator.seen import Seen, look
from guard.domain.machine_code import Instructions, KernelResources, Listing
from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.trace import CompileReport

READ: TypeAdapter[Condition] = TypeAdapter(Condition)
PTX = "\twgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {a};\n\t@%p1 ld.global.nc.f32 %f1;\n"
SASS = "        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R8.64] ;\n"
PLAN = {
    "kernels": [
        {
            "kernel": "k",
            "grid": ["min(132, N)"],
            "block": ["128"],
            "arguments": [],
            "when": "N > 8",
        },
        {"kernel": "s", "grid": ["N"], "block": ["32"], "arguments": [], "when": "N <= 8"},
    ],
    "workspaces": {"c": {"size_bytes": "4", "zero": True}},
}


def gpu(**changes: object) -> Seen:
    """A kernel with tensor cores, 40 registers and two listings."""
    report = {
        "ok": True,
        "architecture": "sm_90a",
        "resources": [KernelResources(kernel="k", registers=40, shared_bytes=64, spill_bytes=0)],
        "instructions": [Instructions(kernel="k", total=9, classes={"tensor core": 2})],
        "listings": [Listing(kind="ptx"), Listing(kind="sass")],
        **changes,
    }
    sources = (Source(path="main.cu", content="for (;;) { mma_sync(a, b); }"),)
    solution = Solution(
        definition="d",
        language="cuda",
        sources=sources,
        options=("--use_fast_math",),
        launch_plan=LaunchPlan.model_validate(PLAN),
    )
    return look(solution, CompileReport.model_validate(report), {"ptx": PTX, "sass": SASS})


def late() -> Seen:
    """Python whose kernels compile at the first call."""
    sources = (Source(path="main.py", content="import torch\ntorch.add(x, y)\nk[(1,)](x)"),)
    solution = Solution(definition="d", language="triton", sources=sources)
    return look(solution, CompileReport(ok=True, unlisted="later"), {})


def host() -> Seen:
    """A CPU's code."""
    counted = Instructions(kernel="run", total=9, classes={"ymm": 4})
    report = CompileReport(ok=True, instructions=(counted,), listings=(Listing(kind="asm"),))
    solution = Solution(
        definition="d", language="cpp", sources=(Source(path="a.cpp", content="int x;"),)
    )
    return look(solution, report, {"asm": "  10:\tvrcpps %ymm1,%ymm2\n"})


CASES = [
    # condition, GPU code, Python compiled at the call, CPU code
    ({"language": ["cuda", "cpp"]}, True, False, True),
    ({"calls": ["mma_sync", "torch.*"]}, True, True, False),
    ({"names": ["x"]}, False, True, True),
    ({"loop_depth": 1}, True, False, False),
    ({"options": ["--use_fast"]}, True, False, False),
    ({"instructions": "tensor core"}, True, None, False),
    ({"instructions": "tensor core", "at_least": 3}, False, None, False),
    ({"listing": "ptx", "opcodes": ["wgmma"]}, True, None, False),
    ({"listing": "ptx", "opcodes": ["wgmma"], "modifiers": ["bf16"]}, True, None, False),
    ({"listing": "ptx", "opcodes": ["wgmma"], "modifiers": ["e4m3"]}, False, None, False),
    ({"listing": "sass", "opcodes": ["LDG"], "modifiers": ["128"]}, True, None, False),
    ({"listing": "asm", "opcodes": ["vrcp"]}, False, None, True),
    ({"resources": "registers", "at_least": 32}, True, None, False),
    ({"resources": "registers", "at_least": 32, "at_most": 39}, False, None, False),
    ({"launches": "kernels", "at_most": 1}, True, True, None),
    ({"launches": "kernels", "at_least": 2}, False, False, None),
    ({"launch": "condition"}, True, None, False),
    ({"launch": "fixed grid"}, True, None, False),
    ({"launch": "zeroed workspace"}, True, None, False),
    ({"launch": "cluster"}, False, None, False),
    ({"any": [{"instructions": "tma"}, {"names": ["x"]}]}, False, True, True),
    ({"any": [{"instructions": "ymm"}, {"loop_depth": 9}]}, False, None, True),
    ({"all": [{"instructions": "ymm"}, {"names": ["x"]}]}, False, None, True),
    ({"all": [{"instructions": "ymm"}, {"loop_depth": 9}]}, False, False, False),
    ({"none": [{"instructions": "ymm"}, {"loop_depth": 9}]}, True, None, False),
]


@pytest.mark.parametrize(("data", "on_gpu", "later", "on_host"), CASES, ids=lambda v: str(v)[:60])
def test_a_condition_holds_or_not_or_cannot_be_told(data, on_gpu, later, on_host):
    condition = READ.validate_python(data)

    for seen, expected in ((gpu(), on_gpu), (late(), later), (host(), on_host)):
        finding = condition.judge(seen)
        assert finding.holds is expected
        assert finding.evidence
        assert (finding.points > 0) is (expected is True)
    assert str(condition)


def test_every_word_has_a_case():
    assert {word for data, *_ in CASES for word in data} >= set(WORDS)


@pytest.mark.parametrize(
    "changes",
    [
        {"unlisted": "the tool failed"},
        {"instructions": []},
        {"listings": [Listing(kind="sass", cut=True)]},
    ],
    ids=["not all was read", "nothing was counted", "the listing was cut"],
)
def test_what_was_not_wholly_read_is_never_held_against_a_candidate(changes):
    assert READ.validate_python({"instructions": "tma"}).judge(gpu(**changes)).holds is None


def test_evidence_says_what_was_found_and_how_much():
    wanted = READ.validate_python({"any": [{"instructions": "tma"}, {"calls": ["f"]}]})

    assert (
        wanted.judge(gpu()).evidence
        == "tma: no instructions in 1 kernels or functions; no call of f"
    )
    assert str(wanted) == "tma instructions or call of f"
