"""The catalogue that is installed, and what reading refuses."""

import json
import shutil
from pathlib import Path

import pytest

from coordinator.catalogue import ANY, HERE, load
from guard import plugins
from guard.formats.sol_execbench import FORMAT
from tests.coordinator.fakes import problem

LANES = (
    "library", "memory", "compute", "fusion", "precision", "reduction", "scheduling",
    "arch-native",
)  # fmt: skip
MAX_GUIDE = 5000
MAX_ENTRY = 1200
PROBLEMS = Path(__file__).resolve().parents[2] / "examples" / "problems"


def test_there_are_eight_lanes_of_at_least_six_strategies():
    catalogue = load()

    assert catalogue.lanes == LANES
    assert len(catalogue.strategies) >= 60
    for lane in LANES:
        assert sum(s.lane == lane for s in catalogue.strategies) >= 6, lane


def test_ten_strategies_are_for_c_plus_plus_alone():
    assert sum(s.applies.languages == ("cpp",) for s in load().strategies) >= 10


@pytest.mark.parametrize("strategy", load().strategies, ids=lambda strategy: strategy.id)
def test_every_strategy_says_all_it_must_and_applies_to_a_bundled_problem(strategy):
    catalogue = load()
    problems = [FORMAT.read(folder) for folder in sorted(PROBLEMS.iterdir()) if folder.is_dir()]
    families = {p.name: catalogue.families_of(p.definition) for p in problems}
    applies = strategy.applies

    assert all(families.values())
    suits = [n for n, found in families.items() if {ANY, *found} & set(applies.families)]
    assert suits
    for text in (strategy.idea, applies.when, strategy.applies_not, strategy.predict):
        assert text.endswith("."), text
    assert str(strategy.shown_by)
    for device in applies.devices:
        runs = [plugins.load("languages")[name].runs_on(device) for name in applies.languages]
        assert not all("compiled, not verified" in (why or "") for why in runs), device


def test_every_bottleneck_and_language_and_most_headrooms_are_served():
    used = [s.applies for s in load().strategies]

    assert len({b for a in used for b in a.bottlenecks}) == 5
    assert {name for a in used for name in a.languages} == set(plugins.load("languages"))
    for reached in (0.05, 0.5, 0.9):
        fitting = [a for a in used if a.bound_fraction[0] <= reached <= a.bound_fraction[1]]
        assert len(fitting) >= 8, reached


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
        told = strategy.model_dump(mode="json", exclude={"shown_by"})
        assert len(json.dumps(told)) + len(str(strategy.shown_by)) <= MAX_ENTRY + 600


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
        ('families = ["any"]', 'families = ["sortng"]', "unknown operator family"),
        ('devices = ["nvidia", "cpu"]', 'devices = ["gpu"]', "unknown device"),
        ('languages = ["cpp"]', 'languages = ["c"]', "unknown language in .* Did you mean 'cpp'"),
        ('architectures = ["any"]', 'architectures = ["hoper"]', "Did you mean 'hopper'"),
        ('["cpu"]\napplies.architectures = ["any"]',
         '["cpu"]\napplies.architectures = ["hopper"]', "but not its device"),
        ('bottlenecks = ["memory"]', 'bottlenecks = ["ram"]', "bottlenecks"),
        ("bound_fraction = [0.0, 0.85]", "bound_fraction = [0.85, 0.0]", "must be the lower one"),
        ("bound_fraction = [0.0, 0.85]", "bound_fraction = [0.0, 85]", "less than or equal to 1"),
        ("predict =", "prediction =", "Field required"),
        ('{ instructions = "ymm" }', '{ instruction = "ymm" }', "exactly one of these words"),
        ('{ instructions = "ymm" }', '{ instructions = "ymn" }', "Did you mean 'ymm'"),
        ('{ instructions = "ymm" }', '{ calls = ["f"], names = ["f"] }', "exactly one of these"),
        ('{ launch = "tensor map" }', '{ launch = "texture" }', "launch"),
    ],
)  # fmt: skip
def test_a_malformed_entry_is_refused(tmp_path: Path, old, new, reason):
    for folder in ("guides", "strategies"):
        shutil.copytree(HERE / folder, tmp_path / folder)
    file = tmp_path / "strategies" / "memory.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(ValueError, match=reason):
        load(tmp_path)
