"""`guard.referee.quiet`: nothing works beside a timed order, and neither side starves."""

import threading

import pytest

from guard.referee.quiet import Quiet

LIMIT_S = 60


def begun(target):
    """A thread that runs this, and is there."""
    thread = threading.Thread(target=target)
    thread.start()
    return thread


def test_others_wait_for_the_end_of_a_timed_order():
    quiet, done = Quiet(), []
    waits = threading.Event()

    def work():
        with quiet.broken(waits.set):
            done.append("work")

    with quiet.kept():
        thread = begun(work)
        assert waits.wait(LIMIT_S)
        done.append("timed")
    thread.join(LIMIT_S)
    assert done == ["timed", "work"]


def test_others_work_beside_each_other():
    quiet = Quiet()
    with quiet.broken(), quiet.broken():
        pass
    with quiet.kept():
        pass


def test_a_timed_order_waits_for_those_at_work_and_can_be_given_up():
    quiet = Quiet()

    def check():
        raise InterruptedError

    with quiet.broken():
        with pytest.raises(InterruptedError), quiet.kept(check):
            raise AssertionError("timed beside a builder")
        # Who gave up bars nobody.
        with quiet.broken():
            pass
    with quiet.kept():
        pass


def test_who_waited_for_a_timed_order_comes_before_the_next():
    quiet, done = Quiet(), []
    waits, timed = threading.Event(), threading.Event()

    def work():
        with quiet.broken(waits.set):
            done.append("work")

    def time():
        with quiet.kept(timed.set):
            done.append("timed")

    with quiet.kept():
        first = begun(work)
        assert waits.wait(LIMIT_S)
    second = begun(time)
    for thread in (first, second):
        thread.join(LIMIT_S)
    assert done == ["work", "timed"]
