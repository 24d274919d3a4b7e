"""Hint: code is set to run later: a finaliser, a timer, or at the end of the process."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile

LATER = (
    "weakref.finalize", "weakref.ref", "atexit.register", "signal.setitimer", "signal.alarm",
    "threading.Timer", "gc.callbacks.append", "sys.settrace", "sys.setprofile",
)  # fmt: skip


def _look(file: SourceFile) -> Found:
    for function in file.functions:
        if function.name == "__del__":
            yield function.lineno, "defines __del__: what it does may come after a call has ended"
    for call, called in file.calls:
        if called in LATER:
            yield call.lineno, f"{called}: what it runs may come after a call has ended"


RULE = StaticRule(
    name="defers-work",
    weight="hint",
    summary="a finaliser, a timer or an exit handler is set up",
    look=_look,
)
