"""Hint: a function sleeps or reads a clock; a call that does pays for it in its own time."""

from guard.rules._rule import Found, StaticRule, followed_by
from guard.source_file import SourceFile

CLOCKS = ("time", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns")
PYTHON = ("time.sleep", *(f"time.{name}" for name in CLOCKS))
NATIVE = ("sleep_for", "sleep_until", "usleep", "nanosleep", "clock_gettime")


def _look(file: SourceFile) -> Found:
    inside = {
        line for f in file.functions for line in range(f.lineno, (f.end_lineno or f.lineno) + 1)
    }
    for call, called in file.calls:
        if called in PYTHON and call.lineno in inside:
            yield call.lineno, f"calls {called} in a function: it is part of the time of a call"
    for at, token in enumerate(file.tokens):
        if token.text in NATIVE and followed_by(file.tokens, at, "("):
            yield token.line, f"calls {token.text}: it is part of the time of a call"


RULE = StaticRule(
    name="watches-time",
    weight="hint",
    summary="a function sleeps or reads a clock",
    look=_look,
)
