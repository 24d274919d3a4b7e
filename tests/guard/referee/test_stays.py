"""`guard.referee.stays`: no second of an order is in two places."""

from guard.domain.spent import Spent
from guard.referee.stays import Stay


class Clock:
    """Stands still until it is set."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_an_order_is_in_one_place_at_a_time():
    clock = Clock()
    stay = Stay(clock)
    for place, then_s in (("compile", 102.0), ("wait", 105.0), ("device", 106.0)):
        clock.now_s = then_s
        stay.at(place)
    clock.now_s = 110.0
    assert stay.spent() == Spent(wait_s=3.0, compile_s=3.0, device_s=4.0)


def test_asking_twice_books_nothing_twice():
    clock = Clock()
    stay = Stay(clock)
    clock.now_s = 101.0
    assert stay.spent() == stay.spent() == Spent(wait_s=1.0)
    clock.now_s = 102.5
    assert stay.spent() == Spent(wait_s=2.5)


def test_spendings_add_up():
    assert Spent(wait_s=1, device_s=2) + Spent(compile_s=3, device_s=4) == Spent(
        wait_s=1, compile_s=3, device_s=6
    )
