"""The whole road at once: a server, a team of scripted agents, and the report they leave.

`make demo` runs this. On a host with an NVIDIA GPU the team works on `rmsnorm_residual` on it, else
on `softmax_rows` on the CPU. Nothing is staged: the last block is `report`'s own text, and the
same figures are kept as JSON.

Start at `main`. Not here: processes (`stage`), what is drawn meanwhile (`progress`).
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.live import Live

from examples.progress import Picture
from examples.stage import ROOT, NotServing, Server, Team, has_nvidia_gpu
from examples.team.journal import JournalReader
from examples.team.plan import SOLUTIONS, read_plan

LOOK_S = 0.25


def main() -> int:
    """Run the demo; 0 when every agent ended by itself and a report could be made."""
    options = _options().parse_args()
    gpu = has_nvidia_gpu() and not options.device.startswith("cpu")
    problem = options.problem or ("rmsnorm_residual" if gpu else "softmax_rows")
    device = options.device or ("cuda:0" if gpu else "cpu")
    agents = options.agents or len(read_plan(SOLUTIONS / problem).seats)
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="kernelarc-demo-"))
    db = options.db or str(folder / "demo.db")
    console.print(f"{problem} on {device}, {agents} agents. Database, logs: {db}, {folder}")
    try:
        server = Server(db, folder / "server.log", device=device)
        with server:
            console.print(f"Server: {server.url}")
            failed = watch(console, server, problem, device, agents, folder, options.seconds)
            if options.keep:
                console.input("The team has finished. Press Enter to stop the server. ")
    except NotServing as reason:
        console.print(f"[red]{reason}[/]")
        return 1
    reported = report(console, server.db, options.report)
    return 1 if failed or not reported else 0


def watch(
    console: Console, server: Server, problem: str, device: str, agents: int, folder: Path,
    seconds: float,
) -> bool:  # fmt: skip
    """Let the team work and show it; whether an agent failed or nothing was tried."""
    picture = Picture(f"{problem} on {device}")
    reader = JournalReader(folder / "agents")
    started = time.monotonic()
    with (
        Team(server.url, problem, device, agents, folder / "agents", seconds) as team,
        Live(console=console, refresh_per_second=4, transient=True) as live,
    ):
        working = True
        while working:
            # Asked before the journals are read, so that their last lines are seen too.
            working = team.working
            for entry in reader.news():
                event = picture.add(entry)
                if event is not None and not console.is_terminal:
                    console.print(event, markup=False, soft_wrap=True)
            live.update(picture.drawn())
            time.sleep(LOOK_S)
    console.print(picture.drawn())
    submitted = sum(len(row.submitted) for row in picture.rows.values())
    timed = sum(len(row.benchmarked) for row in picture.rows.values())
    took = time.monotonic() - started
    console.print(f"{submitted} submissions and {timed} benchmarks in {took:.0f} s.\n")
    return team.failed or not submitted


def report(console: Console, db: str, path: Path) -> bool:
    """Print the report of the database and keep its JSON; whether both could be made."""
    command = [sys.executable, "-m", "server", "report", "--db", db]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    kept = subprocess.run(
        [*command, "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for made in (text, kept):
        if made.returncode != 0:
            console.print(f"[red]report failed:[/] {made.stderr.strip()}")
            return False
    console.print(text.stdout, markup=False, highlight=False, soft_wrap=True)
    path.write_text(kept.stdout, encoding="utf-8")
    console.print(f"The same as JSON: {path}")
    return True


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--problem", default="", help="a problem with a prepared plan")
    parser.add_argument("--device", default="", help="cpu, cuda:0…; empty: a GPU if there is one")
    parser.add_argument("--agents", type=int, default=0, help="how many; 0: the plan's seats")
    parser.add_argument("--db", default="", help="path or URL; empty: demo.db in a new folder")
    parser.add_argument(
        "--seconds",
        type=float,
        default=115.0,
        help="begin nothing new so long after the first claim",
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the server until Enter is pressed"
    )
    parser.add_argument("--report", type=Path, default=Path("demo-report.json"), help="JSON file")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
