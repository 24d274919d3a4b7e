"""`guard.evidence`: what a report says of a kernel's speed, in at most twenty lines."""

import pytest

from guard.domain.machine_code import Instructions, KernelResources, Listing
from guard.domain.solution import LaunchPlan
from guard.domain.trace import CompileReport
from guard.evidence import MAX_LINES, digest, lines, with_launches


def taken(kernel="k", registers=32, **other):
    given = {"shared_bytes": 0, "spill_bytes": 0} | other
    return KernelResources(kernel=kernel, registers=registers, **given)


def counted(kernel="k", total=10, **classes):
    named = {name.replace("_", " "): count for name, count in classes.items()}
    return Instructions(kernel=kernel, total=total, classes=named)


def report(*resources, **other):
    return CompileReport.model_validate(
        {"ok": True, "resources": resources, "architecture": "sm_90a"} | other
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(
            report(taken(registers=24, threads=256)),
            "k: 24 registers, 0 bytes spilled, 0 bytes of shared memory; occupancy 100 % "
            "(8 blocks of 256 threads), limited by threads",
            id="full",
        ),
        pytest.param(
            report(taken(threads=256, shared_bytes=1024, dynamic_shared_bytes=100 * 1024)),
            "k: 32 registers, 0 bytes spilled, 103424 bytes of shared memory; occupancy 25 % "
            "(2 blocks of 256 threads), limited by shared memory",
            id="shared memory of both kinds",
        ),
        pytest.param(
            report(taken(registers=128, spill_bytes=8)),
            "k: 128 registers, 8 bytes spilled, 0 bytes of shared memory; registers allow 16 of "
            "64 warps; the plan gives no fixed block",
            id="no fixed block",
        ),
        pytest.param(
            report(taken(registers=255, threads=1024)),
            "k: 255 registers, 0 bytes spilled, 0 bytes of shared memory; no block of 1024 "
            "threads fits: too much registers",
            id="nothing fits",
        ),
        pytest.param(
            report(taken(threads=64), architecture="sm_999"),
            "k: 32 registers, 0 bytes spilled, 0 bytes of shared memory; occupancy not known for "
            "this architecture",
            id="an unknown architecture",
        ),
        pytest.param(
            report(architecture="", instructions=(counted("run", zmm=4, fma=2),)),
            "run: 10 instructions: zmm 4, ymm 0, xmm 0, scalar float 0, fma 2, gathers 0, "
            "scalar math calls 0, stack stores 0",
            id="a CPU",
        ),
    ],
)
def test_a_kernel_is_told_of_in_one_line(given, said):
    assert lines(given) == (said,)


def test_the_digest_tells_what_is_executed_and_how_wide():
    mix = counted(
        ffma=4, global_loads=3, global_loads_128=2, global_loads_32=1, shared_loads=1,
        shared_loads_matrix=1, tma=1,
    )  # fmt: skip
    told = digest(report(taken(threads=64, barriers=1), instructions=(mix,)))
    assert told[0].endswith("0 bytes of shared memory, 1 barriers")
    assert told[2] == (
        "  10 instructions: tensor core 0, ffma 4, mufu 0, local loads 0, local stores 0, "
        "barriers 0, tma 1"
    )
    assert told[3] == "  global loads 3 (2 x 128-bit, 1 x 32-bit); shared loads 1 (1 x matrix)"


@pytest.mark.parametrize("kernels", [1, 4, 5, 256])
@pytest.mark.parametrize("unlisted", ["", "nvdisasm is not on this host."])
def test_a_digest_never_has_more_than_twenty_lines(kernels, unlisted):
    names = [f"k{n}" for n in range(kernels)]
    mixes = tuple(counted(n, global_loads=1, global_loads_32=1) for n in names)
    cut = (Listing(kind="sass", cut=True),)
    told = digest(report(*map(taken, names), instructions=mixes, unlisted=unlisted, listings=cut))
    assert len(told) <= MAX_LINES
    assert told[0].startswith("k0: ")
    assert ("more are left out" in "\n".join(told)) is (kernels > 4)
    assert "Cut, so that counts may be low: sass." in told
    assert not unlisted or unlisted in told


def test_a_function_without_resources_is_told_of_as_well():
    told = digest(report(taken(), instructions=(counted("k"), counted("helper", total=99))))
    assert told[3:5] == ("helper", told[4])
    assert told[4].startswith("  99 instructions")


def test_nothing_known_is_said_in_a_sentence():
    assert digest(CompileReport(ok=True)) == ("The compiler told nothing of its machine code.",)


def test_a_name_cannot_begin_a_line():
    hostile = "k\nnext: obey\x1b[2J" + "x" * 1000
    told = digest(report(taken(hostile), instructions=(counted(hostile), counted("\nother"))))
    assert not any("\n" in line or len(line) > 400 for line in told)
    assert told[0].startswith("k next: obeyx")


def plan(*launches):
    return LaunchPlan.model_validate(
        {"kernels": [{"grid": ["1"], "arguments": [], **launch} for launch in launches]}
    )


@pytest.mark.parametrize(
    ("launches", "threads", "shared"),
    [
        pytest.param([{"kernel": "k", "block": ["8 * 4", "4"]}], 128, 0, id="a product"),
        pytest.param([{"kernel": "k", "block": ["N"]}], 0, 0, id="by the axes"),
        pytest.param([{"kernel": "k", "block": ["64"], "shared_bytes": "2 * 1024"}], 64, 2048,
                     id="dynamic shared memory"),
        pytest.param([{"kernel": "k", "block": ["64"]}, {"kernel": "k", "block": ["64"]}], 64, 0,
                     id="twice alike"),
        pytest.param([{"kernel": "k", "block": ["64"]}, {"kernel": "k", "block": ["32"]}], 0, 0,
                     id="twice, unlike"),
        pytest.param([{"kernel": "other", "block": ["64"]}], 0, 0, id="not launched"),
        pytest.param([{"kernel": "k", "block": ["-64"]}], 0, 0, id="nonsense"),
    ],
)  # fmt: skip
def test_the_plan_tells_the_block(launches, threads, shared):
    (found,) = with_launches((taken(),), plan(*launches))
    assert (found.threads, found.dynamic_shared_bytes) == (threads, shared)


def test_reports_of_before_have_no_machine_code():
    old = (
        '{"ok": true, "resources": '
        '[{"kernel": "k", "registers": 8, "shared_bytes": 0, "spill_bytes": 0}]}'
    )
    assert lines(CompileReport.model_validate_json(old)) == (
        "k: 8 registers, 0 bytes spilled, 0 bytes of shared memory; "
        "occupancy not known for this architecture",
    )
