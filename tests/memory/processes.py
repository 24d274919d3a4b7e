"""Real processes on the same database: each runs one function of this module.

`python -m tests.memory.processes FUNCTION URL ARGUMENTS…` prints one line per thing done, each
only after it was committed, so whoever reads a line knows that it is on disk.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.board import Board
from memory.engine import open_database
from tests.memory.builders import claim, held, promoted, solution, start

ROOT = Path(__file__).parents[2]


def say(*words: object) -> None:
    # One write: unbuffered, `print` makes several, and two processes' lines would mix.
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def hold(url: str, text: str) -> None:
    """Hold the database until killed, with a child that was forked without exec."""
    database = open_database(url)
    database.note_holder(text)
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    say(child)
    time.sleep(60)


def write(url: str) -> None:
    """Write facts of every kind for ever, saying each after it was committed."""
    board = Board(open_database(url))
    campaign = start(board)
    claimed = held(board, campaign)
    say("claim", claimed.id)
    for number in range(1_000_000):
        submission = promoted(board, claimed, str(number), generation=number)
        say("champion", submission.id, number + 1)
        note = str(number)
        posted = board.post_conclusion(claimed.id, "win", note, "", (submission.id,), 1.0, 0.0)
        say("conclusion", posted.seq)
        _, job = board.submit(claimed.id, solution(f"{number} more"), (submission.id,), 0.0)
        say("job", job.id)


def race(url: str, agents: str, strategies: str) -> None:
    """Fork one process per agent; all claim the same strategies from the same moment on."""
    go, start_all = os.pipe()
    ready, tell = os.pipe()
    children = []
    for agent in range(int(agents)):
        children.append(os.fork())
        if children[-1] == 0:
            os.close(start_all)
            _claim_all(url, agent, int(strategies), tell, go)
            os._exit(0)
    for _ in children:
        os.read(ready, 1)
    os.close(start_all)
    for child in children:
        os.waitpid(child, 0)


def _claim_all(url: str, agent: int, strategies: int, tell: int, go: int) -> None:
    board = Board(open_database(url, exclusive=False))
    campaign = start(board)
    os.write(tell, b"r")
    # Ends when the parent closes the other end, for all children at once.
    os.read(go, 1)
    for number in range(strategies):
        # One label per strategy: an agent may hold only one.
        taken = claim(board, campaign, f"s{number}", f"agent{agent}.{number}")
        say(f"s{number}", "won" if taken else "lost")


@contextmanager
def running(function: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a function of this module in a process of its own; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.memory.processes", function, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    functions: dict[str, Callable[..., None]] = {"hold": hold, "write": write, "race": race}
    functions[sys.argv[1]](*sys.argv[2:])
