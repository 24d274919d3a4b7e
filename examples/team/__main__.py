"""Run one agent in this process: `python -m examples.team --url URL --problem NAME --log DIR`.

Ends with 0 when its wishes or its time are spent, 1 when the server stayed away.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from examples.team.agent import Agent
from examples.team.connection import Connection, ServerGone
from examples.team.journal import Journal
from examples.team.plan import SOLUTIONS, read_plan


def main() -> int:
    """Parse the options and let the agent work."""
    options = _options().parse_args()
    folder = options.solutions / options.problem
    plan = read_plan(folder)
    seat = plan.seat(options.seat)
    journal = Journal(options.log / f"{seat.agent}.jsonl", seat.agent)
    connection = Connection(options.url, journal, outage_s=options.outage_s)
    agent = Agent(
        connection, journal, plan, folder, seat,
        device=options.device, seconds=options.seconds,
    )  # fmt: skip
    try:
        asyncio.run(agent.work())
    except ServerGone as gone:
        journal.chose("finished", out_of_time=False, reason=str(gone))
        print(f"{seat.agent}: {gone}", file=sys.stderr)
        return 1
    finally:
        journal.close()
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.team", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8765/mcp", help="the server's MCP URL")
    parser.add_argument("--problem", required=True, help="a problem with a prepared plan")
    parser.add_argument("--device", default="", help="a device's name; empty: the default")
    parser.add_argument("--seat", type=int, default=0, help="which agent of the plan, from 0")
    parser.add_argument("--log", type=Path, required=True, help="folder for the journal")
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.0,
        help="begin nothing new so long after the first claim; 0: no limit",
    )
    parser.add_argument("--outage-s", type=float, default=60.0, help="wait so long for a server")
    parser.add_argument("--solutions", type=Path, default=SOLUTIONS, help="folder of the plans")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
