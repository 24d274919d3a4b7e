"""`guard.referee.slots`: every tensor at its own place, fresh and equal by seed."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from guard.devices.cpu import DEVICE
from guard.domain.problem import Definition, Workload, concrete_shape
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference, torch_dtype
from guard.referee.slots import ALIGNMENT_BYTES, DRAW_BYTES, Layout, Slots
from tests.guard.trials import solution

DEFINITION = Definition.model_validate(
    {
        "name": "t",
        "axes": {"M": {"type": "var"}, "N": {"type": "var"}},
        "inputs": {
            "x": {"shape": ["M", "N"], "dtype": "float32"},
            "scale": {"shape": None, "dtype": "float32"},
            "keep": {"shape": ["N"], "dtype": "bool"},
        },
        "outputs": {
            "y": {"shape": ["M", "N"], "dtype": "bfloat16"},
            "total": {"shape": [], "dtype": "float32"},
        },
        "reference": "def run(x, scale, keep):\n    return (x * scale).bfloat16(), x.sum()\n",
    }
)


def workload(rows, columns):
    inputs = {
        "x": {"type": "random"},
        "scale": {"type": "scalar", "value": 2.5},
        "keep": {"type": "random"},
    }
    return Workload.model_validate({"uuid": "w", "axes": {"M": rows, "N": columns}, **{
        "inputs": inputs}})  # fmt: skip


def slots(count=3, rows=4, columns=5):
    layout = Layout.of(DEFINITION, workload(rows, columns))
    arena = DEVICE.allocate(DEVICE.found()[0], max(1, count * layout.slot_bytes))
    made = Slots(layout, arena, count, Reference(DEFINITION), "")
    made.draw_scalars(1)
    arena.close()
    return made


@given(rows=st.integers(0, 70), columns=st.integers(0, 300))
def test_tensors_of_a_slot_never_overlap(rows, columns):
    layout = Layout.of(DEFINITION, workload(rows, columns))
    specs = [DEFINITION.inputs["x"], DEFINITION.inputs["keep"], *DEFINITION.outputs.values()]
    sizes = [
        torch.Size(concrete_shape(spec, layout.sizes)).numel() * torch_dtype(spec.dtype).itemsize
        for spec in specs
    ]
    assert [offset % ALIGNMENT_BYTES for offset in layout.offsets] == [0] * 4
    ends = [offset + size for offset, size in zip(layout.offsets, sizes, strict=True)]
    starts = [*layout.offsets[1:], layout.slot_bytes]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert len(set(layout.offsets)) == 4
    assert layout.slot_bytes % ALIGNMENT_BYTES == 0


def test_writing_one_tensor_changes_no_other():
    made = slots()
    all_tensors = [t for i in range(3) for t in (*made.inputs(i), *made.outputs(i))]
    for tensor in all_tensors:
        tensor.zero_()
    for written in all_tensors:
        written.fill_(1)
        others = [t for t in all_tensors if t is not written]
        assert not any(bool(t.any()) for t in others)
        written.zero_()


def test_equal_seeds_give_equal_inputs_and_no_two_slots_share_them():
    first, second = slots(), slots()
    for made in (first, second):
        made.refresh(range(3), 7)
    for slot in range(3):
        assert torch.equal(first.inputs(slot)[0], second.inputs(slot)[0])
    for a, b in itertools.combinations(range(3), 2):
        assert not torch.equal(first.inputs(a)[0], first.inputs(b)[0])
    second.refresh(range(3), 8)
    assert not torch.equal(first.inputs(0)[0], second.inputs(0)[0])


def test_an_old_place_gets_new_contents():
    made = slots()
    made.refresh(range(3), 1)
    before = [(t.data_ptr(), t.clone()) for slot in range(3) for t in made.inputs(slot)[:1]]
    made.refresh(range(3), 2)
    after = [(t.data_ptr(), t) for slot in range(3) for t in made.inputs(slot)[:1]]
    for (old_place, old), (place, new) in zip(before, after, strict=True):
        assert place == old_place
        assert not torch.equal(old, new)


def test_the_tensors_of_two_layouts_lie_apart_differently_in_as_much_room():
    layouts = [Layout.of(DEFINITION, workload(4, 5)) for _ in range(20)]
    assert len({layout.offsets for layout in layouts}) > 10
    assert len({layout.offsets[1] - layout.offsets[0] for layout in layouts}) > 3
    assert len({layout.slot_bytes for layout in layouts}) == 1


def test_only_the_named_slots_are_drawn_afresh():
    made = slots()
    made.refresh(range(3), 1)
    before = [made.inputs(slot)[0].clone() for slot in range(3)]
    made.refresh([1], 2)
    same = [torch.equal(made.inputs(slot)[0], before[slot]) for slot in range(3)]
    assert same == [True, False, True]


def test_another_side_takes_the_same_values():
    first, second = slots(), slots()
    first.refresh(range(3), 2)
    first.refresh([1, 2], 3, others=[second])
    assert torch.equal(second.inputs(2)[0], first.inputs(2)[0])
    assert not torch.equal(second.inputs(0)[0], first.inputs(0)[0])


def test_only_consecutive_slots_are_drawn_copied_or_listed_together():
    made = slots()
    with pytest.raises(ValueError, match="consecutive"):
        made.refresh([0, 2], 1)
    with pytest.raises(ValueError, match="consecutive"):
        made.output_columns([2, 1])


def test_columns_are_the_outputs_of_their_slots():
    made = slots()
    for column, *outputs in zip(
        made.output_columns([1, 2]), made.outputs(1), made.outputs(2), strict=True
    ):
        column.fill_(1)
        assert [tuple(o.shape) for o in outputs] == [tuple(column.shape[1:])] * 2
        assert all(bool((o == 1).all()) for o in outputs)


def test_slots_too_large_to_be_drawn_together_are_drawn_one_by_one(monkeypatch):
    monkeypatch.setitem(DRAW_BYTES, "cpu", 1)
    made = slots()
    made.refresh(range(3), 1)
    for a, b in itertools.combinations(range(3), 2):
        assert not torch.equal(made.inputs(a)[0], made.inputs(b)[0])


def test_arguments_come_in_definition_order():
    made = slots()
    made.refresh([0], 1)
    x, scale, keep = made.arguments(0)
    assert (x.shape, scale, keep.dtype) == ((4, 5), 2.5, torch.bool)


def test_input_classes_change_what_is_drawn():
    made = slots()
    made.refresh([0], 1)
    listed = made.inputs(0)[0].clone()
    for input_class in InputClass:
        made.refresh([0], 1, input_class)
        drawn = made.inputs(0)[0]
        assert torch.equal(drawn, listed) is (input_class is InputClass.LISTED)


@pytest.mark.parametrize("returns", [False, True])
def test_a_runner_is_told_where_everything_lies(returns):
    made = slots()
    made.refresh([0], 1)
    ask = made.bind(solution(returns=returns))
    layout = made.layout
    kept = layout.offsets[:2] if returns else layout.offsets
    assert ask.returns is returns
    assert (ask.offsets, ask.slot_bytes, ask.count) == (kept, layout.slot_bytes, 3)
    assert (ask.input_names, ask.names) == (("x", "scale", "keep"), ("y", "total"))
    assert [getattr(i, "shape", i) for i in ask.inputs] == [(4, 5), 2.5, (5,)]
    assert [o.shape for o in ask.outputs] == [(4, 5), ()]
    assert ask.axes == {"M": 4, "N": 5}
