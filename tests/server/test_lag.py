import asyncio
import contextlib

from server.lag import EDGES_S, Lag


def lines(lag: Lag) -> dict[str, str]:
    return dict(line.rsplit(" ", 1) for line in lag.lines())


def test_each_bucket_holds_what_was_at_most_so_late():
    lag = Lag()
    for late_s in (0.0, 0.001, 0.002, 0.06, 9.0):
        lag.note(late_s)
    told = lines(lag)
    assert told['kernelarc_loop_lag_seconds_bucket{le="0.001"}'] == "2"
    assert told['kernelarc_loop_lag_seconds_bucket{le="0.05"}'] == "3"
    assert told['kernelarc_loop_lag_seconds_bucket{le="0.1"}'] == "4"
    assert told['kernelarc_loop_lag_seconds_bucket{le="2.5"}'] == "4"
    assert told['kernelarc_loop_lag_seconds_bucket{le="+Inf"}'] == "5"
    assert told["kernelarc_loop_lag_seconds_count"] == "5"
    assert told["kernelarc_loop_lag_seconds_sum"] == "9.063000"
    assert len(told) == len(EDGES_S) + 3


async def test_a_loop_that_was_held_up_is_noticed():
    lag = Lag()
    watching = asyncio.create_task(lag.watch())
    await asyncio.sleep(0)
    # Held up for as long as it takes until the look is overdue.
    loop = asyncio.get_running_loop()
    until = loop.time() + 0.2
    while loop.time() < until:
        pass
    while lines(lag)["kernelarc_loop_lag_seconds_count"] == "0":
        await asyncio.sleep(0)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    assert float(lines(lag)["kernelarc_loop_lag_seconds_sum"]) >= 0.1
