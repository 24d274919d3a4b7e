"""A server process with a hasty Policy, for benchmarks that need candidates to time out soon.

    python -m benchmarks._stage DB PORT PROBLEMS       serves until it is told to stop

Start at `HastyServer`; it is a real server in all but its limits. Not here: what is asked of it.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from examples.stage import HOST, ROOT, Server

SOFTMAX = ROOT / "examples" / "problems" / "softmax_rows"
HASTE: dict[str, Any] = {
    "first_call_limit_s": 2.0,
    "call_limit_s": 2.0,
    "load_limit_s": 10.0,
    "memory_bytes": 2**28,
    "file_bytes": 64 * 2**20,
}


class HastyServer(Server):
    """A server on a folder of problems, with little patience."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder / "board.db"), folder / "server.log", device="cpu")
        self.problems = folder / "problems"

    def command(self) -> list[str]:
        """How its process is started."""
        arguments = [self.db, str(self.port), str(self.problems)]
        return [sys.executable, "-m", "benchmarks._stage", *arguments]


def small_softmax(problems: Path) -> None:
    """The problem `softmax_rows` with one small workload."""
    folder = problems / "softmax_rows"
    shutil.copytree(SOFTMAX, folder)
    first = json.loads((folder / "workload.cpu.jsonl").read_text().splitlines()[0])
    first["axes"] = {"M": 64, "N": 256}
    (folder / "workload.cpu.jsonl").write_text(json.dumps(first) + "\n")


def main(db: str, port: str, problems: str) -> None:
    """Serve."""
    import uvicorn

    from guard.domain.decision import Policy
    from server.app import create_app
    from server.bootstrap import open_house
    from server.door import Door
    from server.metrics import Metrics
    from server.serve import take_port
    from server.settings import Settings

    chosen = Settings(db=db, problems=Path(problems), host=HOST, port=int(port), device="cpu")
    metrics, policy = Metrics(), Policy(**HASTE)
    door = Door(lambda: open_house(chosen, metrics, policy=policy))
    config = uvicorn.Config(
        create_app(chosen, door, metrics, lambda: None), log_config=None, lifespan="on"
    )
    with take_port(chosen) as taken:
        uvicorn.Server(config).run(sockets=[taken])


if __name__ == "__main__":
    main(*sys.argv[1:])
