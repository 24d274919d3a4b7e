from pathlib import Path

import pytest

from examples.stage import NotServing, Server, database_url


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("/tmp/a.db", "sqlite:////tmp/a.db"),
        ("sqlite:////tmp/a.db", "sqlite:////tmp/a.db"),
        ("postgresql://host/board", "postgresql://host/board"),
    ],
)
def test_a_path_becomes_a_url_and_a_url_stays(given: str, url: str) -> None:
    assert database_url(given) == url


def test_a_server_that_cannot_start_is_reported_with_its_log(tmp_path: Path) -> None:
    # A folder cannot be a database.
    server = Server(str(tmp_path), tmp_path / "server.log", device="cpu")
    with pytest.raises(NotServing, match=r"server\.log"):
        server.start()
    server.stop()


def test_a_server_is_healthy_when_start_returns_and_gone_after_a_kill(tmp_path: Path) -> None:
    server = Server(str(tmp_path / "a.db"), tmp_path / "server.log", device="cpu")
    with server:
        first = server.pid
        server.kill()
        server.start()
        assert server.pid != first
        assert server.healthy
    assert not server.healthy
