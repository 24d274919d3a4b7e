"""Serving as a process: the port, the database, the end."""

import signal
import socket
import time

import pytest

from guard.domain.errors import BadValue, PortBusy, Unauthorised
from server.serve import serve_http, take_port
from server.settings import Settings
from tests.server.processes import health, run, server
from tests.server.running import Running, connected


def test_a_busy_port_is_told_before_anything_else(chosen: Settings):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        answer = run("--port", str(port), "--db", chosen.db)
    assert answer.returncode == 2
    assert answer.stderr.splitlines() == [
        f"kernelarc: Port {port} on 127.0.0.1 is in use by another process. "
        + PortBusy("127.0.0.1", port).hint
    ]


def test_a_database_has_one_server_and_a_killed_one_leaves_it_to_the_next(chosen: Settings):
    with server(chosen.db) as (first, url):
        assert health(url)["ready"] is True
        answer = run("--port", "0", "--db", chosen.db)
        assert answer.returncode == 2
        [line] = answer.stderr.splitlines()
        assert url in line and str(first.pid) in line
        assert health(url)["ready"] is True
        first.send_signal(signal.SIGKILL)
        first.wait()
        with server(chosen.db) as (second, its_url):
            assert health(its_url)["ready"] is True
        assert second.returncode == 0


def test_beyond_loopback_a_server_needs_tokens(chosen: Settings):
    with pytest.raises(Unauthorised):
        serve_http(chosen.with_options(host="0.0.0.0", allowed_hosts=("here",)))


@pytest.mark.parametrize(
    ("host", "part"),
    [
        pytest.param("0.0.0.0", "host names", id="every address without names"),
        pytest.param("192.0.2.1", "cannot be used", id="an address of another machine"),
    ],
)
def test_an_address_that_cannot_be_served_is_refused(chosen: Settings, host: str, part: str):
    with pytest.raises(BadValue, match=part):
        serve_http(chosen.with_options(host=host))


def test_the_port_is_taken_at_once(chosen: Settings):
    with (
        take_port(chosen) as taken,
        pytest.raises(PortBusy),
    ):
        take_port(chosen.with_options(port=taken.getsockname()[1]))


async def test_a_call_is_answered_without_nagles_delay(running: Running):
    async with connected(running) as agent:
        times = []
        for _ in range(20):
            started = time.perf_counter()
            await agent.call("get_problem")
            times.append(time.perf_counter() - started)
    # The delay is 0.04 s a call, of every call; a busy host spares some.
    assert min(times) < 0.03
