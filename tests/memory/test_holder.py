import os
import signal
from pathlib import Path

import pytest

from guard.domain.errors import DatabaseHeld
from memory.engine import open_database, read_database, read_holder
from tests.memory.processes import running


def test_a_second_opener_is_told_who_holds_it(url: str) -> None:
    with running("hold", url, "http://127.0.0.1:8765/mcp") as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        try:
            with pytest.raises(DatabaseHeld) as caught:
                open_database(url)
            assert f"pid {holder.pid}, http://127.0.0.1:8765/mcp" in caught.value.message
            assert read_holder(url) == "http://127.0.0.1:8765/mcp"

            holder.kill()
            holder.wait()

            # The forked child still lives, but it does not share the lock.
            assert read_holder(url) is None
            open_database(url).close()
        finally:
            os.kill(child, signal.SIGKILL)


def test_the_same_file_by_another_path_is_the_same_database(url: str, tmp_path: Path) -> None:
    database = open_database(url)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "state")

    with pytest.raises(DatabaseHeld, match=f"pid {os.getpid()}"):
        open_database(f"sqlite:///{link}/../link/board.db")

    database.close()


def test_a_holder_has_noted_nothing_at_first(url: str) -> None:
    assert read_holder(url) is None
    database = open_database(url)

    assert read_holder(url) == ""
    database.note_holder("http://a-rather-long-name:1/mcp")
    database.note_holder("http://short")
    assert read_holder(url) == "http://short"

    database.close()
    database.close()
    assert read_holder(url) is None


def test_readers_and_short_commands_need_no_lock(url: str) -> None:
    database = open_database(url)

    read_database(url).close()
    open_database(url, exclusive=False).close()

    assert read_holder(url) == ""
    database.close()


def test_the_lock_is_not_inherited_by_programs_that_are_started(url: str) -> None:
    database = open_database(url)

    mine = [fd for fd in os.listdir("/proc/self/fd") if _names(fd, "board.db.lock")]
    inherited = [fd for fd in mine if os.get_inheritable(int(fd))]

    assert len(mine) == 1
    assert inherited == []
    database.close()


def _names(fd: str, suffix: str) -> bool:
    link = Path("/proc/self/fd") / fd
    return link.is_symlink() and os.readlink(link).endswith(suffix)
