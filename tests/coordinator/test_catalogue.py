"""The catalogue that is installed, and what reading refuses."""

import shutil
from pathlib import Path

import pytest

from coordinator.catalogue import HERE, load
from tests.coordinator.fakes import problem

LANES = (
    "library", "memory", "compute", "fusion", "precision", "reduction", "scheduling",
    "arch-native",
)  # fmt: skip
MAX_GUIDE = 5000
MAX_ENTRY = 1200


def test_there_are_eight_lanes_of_at_least_three_strategies():
    catalogue = load()

    assert catalogue.lanes == LANES
    for lane in LANES:
        assert sum(s.lane == lane for s in catalogue.strategies) >= 3, lane


@pytest.mark.parametrize(
    ("device", "op_type", "name", "language"),
    [
        pytest.param("cpu", "softmax", "softmax_rows", "cpp", id="row softmax on a CPU"),
        pytest.param("cpu", "normalisation", "softmax_rows", "cpp", id="named by its family"),
        pytest.param("nvidia", "rmsnorm", "rmsnorm_residual", "triton", id="rms norm"),
        pytest.param("nvidia", "gemm", "gemm_bf16", "cuda", id="matrix product"),
        pytest.param(
            "nvidia", None, "attention_out_projection_residual", "pytorch", id="no op_type"
        ),
    ],
)
def test_several_lanes_apply_to_every_example(device, op_type, name, language):
    catalogue = load()
    families = catalogue.families_of(problem(name, op_type).definition)

    lanes = {s.lane for s in catalogue.fitting(device, families) if language in s.applies.languages}

    assert families
    assert len(lanes) >= (1 if language == "pytorch" else 3)


@pytest.mark.parametrize("device", ["cpu", "nvidia"])
def test_three_lanes_are_left_for_every_family_of_operators(device):
    catalogue = load()

    for family in catalogue.families:
        fitting = catalogue.fitting(device, frozenset({family}))
        assert len({s.lane for s in fitting}) >= 3, family


@pytest.mark.parametrize(
    ("op_type", "name", "families"),
    [
        ("softmax", "softmax_rows", {"normalisation"}),
        ("rmsnorm", "rmsnorm_residual", {"normalisation", "elementwise"}),
        ("gemm", "gemm_bf16", {"matmul"}),
        ("attention", "out-projection", {"attention", "matmul"}),
        ("", "addressing", set()),
    ],
)
def test_families_are_found_by_whole_words(op_type, name, families):
    definition = problem(name, op_type).definition

    assert load().families_of(definition) == families


def test_an_unknown_operator_rules_nothing_out_but_the_device():
    catalogue = load()

    fitting = catalogue.fitting("cpu", frozenset())

    assert set(fitting) == {s for s in catalogue.strategies if "cpu" in s.applies.devices}


def test_a_strategy_with_its_guide_fits_into_one_answer():
    catalogue = load()

    for strategy in catalogue.strategies:
        assert len(catalogue.guide_of(strategy)) <= MAX_GUIDE
        assert len(strategy.model_dump_json()) <= MAX_ENTRY


def test_every_guide_is_used_and_covers_every_language():
    catalogue = load()

    assert {s.guide for s in catalogue.strategies} == set(catalogue.guides)
    for name, text in catalogue.guides.items():
        assert text.startswith("# "), name
        for heading in ("## Order of tries", "## Traps to look for"):
            assert heading in text, name
        for word in ("CPU", "Triton", "CUDA") if name != "arch-native.md" else ("AVX", "Hopper"):
            assert word in text, (name, word)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('guide = "memory.md"', 'guide = "gone.md"', "guide is missing"),
        ('id = "memory.vector-loads"', 'id = "memory.resident-row"', "used twice"),
        ('id = "memory.vector-loads"', 'id = "other.vector-loads"', "not of its lane"),
        ('applies.ops = ["any"]', 'applies.ops = ["sorting"]', "unknown operator family"),
        ("predict =", "prediction =", "Field required"),
    ],
)
def test_a_malformed_entry_is_refused(tmp_path: Path, old, new, reason):
    shutil.copytree(HERE / "guides", tmp_path / "guides")
    text = (HERE / "strategies.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "strategies.toml").write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(ValueError, match=reason):
        load(tmp_path)
