"""Reads sources for the static rules, in a process of its own that may die of them.

Hostile text can keep a parser busy or exhaust its stack. The referee therefore has a clerk read it,
with a time limit, and starts another when one is lost. It runs no candidate code and holds nothing.

    Solution -> every rule over every file -> Noticed

Start at `notice`. Not here: what is done about it (`guard.referee.screening`).
"""

import resource
import socket
import sys
from itertools import islice

from pydantic import TypeAdapter

from guard import plugins, sandbox
from guard.domain.solution import Solution
from guard.domain.trace import Remark
from guard.domain.value import Value
from guard.source_file import read_files
from guard.wire import PeerGone, parse, receive, send

PER_RULE = 3
"""Remarks of one rule that are told; more say nothing new."""
MEMORY_BYTES = 2 * 2**30
SOLUTIONS: TypeAdapter[Solution] = TypeAdapter(Solution)


class Noticed(Value):
    """What the rules found in one solution."""

    refusals: tuple[Remark, ...] = ()
    hints: tuple[Remark, ...] = ()


NOTICED: TypeAdapter[Noticed] = TypeAdapter(Noticed)


def notice(solution: Solution) -> Noticed:
    """Ask every rule about every file."""
    files = tuple(read_files(solution))
    found: dict[str, list[Remark]] = {"refusal": [], "hint": []}
    for rule in plugins.load("rules").values():
        remarks = (remark for file in files for remark in rule.find(file))
        found[rule.weight] += islice(remarks, PER_RULE)
    return Noticed(refusals=tuple(found["refusal"]), hints=tuple(found["hint"]))


def main() -> None:
    """Read what comes over the socket whose number is the first argument."""
    sandbox.die_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sock = socket.socket(fileno=int(sys.argv[1]))
    while True:
        try:
            text, _, _ = receive(sock)
        except PeerGone:
            return
        send(sock, notice(parse(SOLUTIONS, text)))


if __name__ == "__main__":
    main()
