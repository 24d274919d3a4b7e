"""`guard.referee.drawing`: unusual inputs among the usual ones, and what was drawn stays."""

from guard.domain.trace import Evaluation
from guard.referee import drawing
from guard.referee.duel import duel
from guard.referee.inputs import InputClass
from tests.guard.trials import POLICY, duel_order, solution

ONCE_TIMED = """
import torch
places = set()
def run(x, y):
    places.add(y.data_ptr())
    if len(places) > 4:
        # Right for the usual inputs alone.
        torch.exp(x, out=y)
        y.div_(y.sum(dim=1, keepdim=True))
    else:
        torch.softmax(x, dim=1, out=y)
"""


def test_who_handles_usual_inputs_only_where_it_is_timed_is_refused(court):
    order = duel_order(solution(ONCE_TIMED), pairs=4)
    found = duel(court, order.model_copy(update={"policy": POLICY.model_copy(update={"turns": 4})}))
    (failure,) = found.failures
    told: Evaluation = failure.evaluation
    assert told.status == "INCORRECT_NUMERICAL", told.log
    assert "a timed call" in told.log


class Slots:
    """Slots that say what was asked of them."""

    def __init__(self):
        self.asked = []

    def refresh(self, slots, seed, input_class=InputClass.LISTED, others=()):
        self.asked.append((tuple(slots), seed, input_class))


class Side:
    def __init__(self):
        self.slots = Slots()


def test_a_drawing_places_the_same_again():
    side = Side()
    drawn = drawing.Drawing((3, 4, 5), 77, {4: InputClass.WIDE})
    drawn.place(side)
    first, side.slots.asked = side.slots.asked, []
    drawn.place(side)
    assert side.slots.asked == first
    assert first[0] == ((3, 4, 5), 77, InputClass.LISTED)
    assert first[1][0] == (4,)
    assert first[1][1] != 77
    assert drawn.usual == [3, 5]
