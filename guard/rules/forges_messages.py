"""Refusal: an inherited descriptor is taken over by its number, to speak in the runner's name.

Standard input and output (0 to 2) are everybody's. What a file that the solution opened itself is
numbered, it knows from opening it, never from a constant.
"""

import ast

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile

STANDARD = 2
TAKERS = {
    "os.write": 0, "os.writev": 0, "os.send": 0, "os.fdopen": 0, "builtins.open": 0, "io.open": 0,
    "io.FileIO": 0, "socket.fromfd": 0, "socket.socket": -1, "os.dup2": 1,
}  # fmt: skip
"""Where the descriptor stands among the arguments; -1: only by the name ``fileno``."""


def _look(file: SourceFile) -> Found:
    for call, called in file.calls:
        if called not in TAKERS:
            continue
        at = TAKERS[called]
        given = [*call.args[at : at + 1]] if at >= 0 else []
        given += [k.value for k in call.keywords if k.arg in ("fileno", "fd")]
        for argument in given:
            number = argument.value if isinstance(argument, ast.Constant) else None
            if isinstance(number, int) and number > STANDARD:
                yield call.lineno, f"{called} on descriptor {number}"


RULE = StaticRule(
    name="forges-messages",
    weight="refusal",
    summary="an inherited descriptor above 2 is written to or taken over by its number",
    look=_look,
)
