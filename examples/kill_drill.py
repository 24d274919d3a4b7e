"""Kill the server at random moments of a demo, and prove that nothing a client was told is lost.

The team works as in the demo. Between kills the server runs for a random time; each kill is
SIGKILL, each restart takes the same database. When the team has finished, every reply in the
agents' journals is looked up in the database. Ends with 0 when all of it is there, else 1.

    journals × database -> losses

Start at `main`, then `examples.ledger` for what is looked up.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console

from examples.ledger import check
from examples.stage import Server, Team, has_nvidia_gpu
from examples.team.journal import JournalReader
from memory.engine import read_database

LOOK_S = 0.2


def main() -> int:
    """Run the drill and print the verdict."""
    options = _options().parse_args()
    gpu = has_nvidia_gpu() and not options.device.startswith("cpu")
    problem = options.problem or ("rmsnorm_residual" if gpu else "softmax_rows")
    device = options.device or ("cuda:0" if gpu else "cpu")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="kernelarc-drill-"))
    folder.mkdir(parents=True, exist_ok=True)
    seed = options.seed if options.seed is not None else random.randrange(2**32)
    console = Console()
    console.print(f"{problem} on {device}, {options.kills} kills, seed {seed}, folder {folder}")
    draw = random.Random(seed)
    waits = [draw.uniform(options.least_s, options.most_s) for _ in range(options.kills)]
    journals = folder / "agents"
    server = Server(str(folder / "drill.db"), folder / "server.log", device=device)
    with server:
        team = Team(server.url, problem, device, options.agents, journals, options.seconds)
        killed = _drill(console, server, team, journals, waits)
    return _verdict(console, server.db, journals, killed, options.kills)


def _drill(console: Console, server: Server, team: Team, journals: Path, waits: list[float]) -> int:
    killed = 0
    started = time.monotonic()
    with team:
        for wait_s in waits:
            if killed == 1:
                # One kill may hit the baseline; more of them would only measure it again.
                _until_a_claim(team, journals)
            until = time.monotonic() + wait_s
            while team.working and time.monotonic() < until:
                time.sleep(LOOK_S)
            if not team.working:
                break
            server.kill()
            killed += 1
            console.print(f"  kill {killed} after {time.monotonic() - started:.1f} s")
            server.start()
        while team.working:
            time.sleep(LOOK_S)
    return killed


def _until_a_claim(team: Team, journals: Path) -> None:
    reader = JournalReader(journals)
    granted = False
    while team.working and not granted:
        granted = any(e.get("reply", {}).get("status") == "granted" for e in reader.news())
        time.sleep(LOOK_S)


def _verdict(console: Console, db: str, journals: Path, killed: int, wanted: int) -> int:
    entries = list(JournalReader(journals).news())
    database = read_database(db)
    ledger = check(entries, database)
    database.close()
    console.print(f"{killed} of {wanted} kills; {ledger.summary()}")
    for loss in ledger.losses:
        console.print(f"LOST: {loss}", markup=False)
    console.print("Nothing was lost." if not ledger.losses else f"{len(ledger.losses)} losses.")
    # A drill that found nothing to look up, or killed too seldom, has proved nothing.
    proved = killed == wanted and ledger.looked_up > 0
    return 0 if proved and not ledger.losses else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.kill_drill", description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="how often the server is killed")
    parser.add_argument("--least-s", type=float, default=2.0, help="shortest time between kills")
    parser.add_argument("--most-s", type=float, default=20.0, help="longest time between kills")
    parser.add_argument(
        "--seed", type=int, default=None, help="repeat the moments of another drill"
    )
    parser.add_argument("--seconds", type=float, default=420.0, help="begin nothing new after this")
    parser.add_argument("--problem", default="", help="a problem with a prepared plan")
    parser.add_argument("--device", default="", help="cpu, cuda:0…; empty: a GPU if there is one")
    parser.add_argument("--agents", type=int, default=3, help="how many agents")
    parser.add_argument("--folder", type=Path, default=None, help="for database, journals, log")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
