"""Hint: objects or frames that the solution was not given are searched for."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile

WALKS = (
    "gc.get_objects", "gc.get_referrers", "sys._getframe", "sys._current_frames",
    "inspect.currentframe", "inspect.stack", "inspect.getouterframes",
)  # fmt: skip


def _look(file: SourceFile) -> Found:
    for call, called in file.calls:
        if called in WALKS:
            yield call.lineno, f"calls {called}: nothing that helps lies in a runner"


RULE = StaticRule(
    name="walks-memory",
    weight="hint",
    summary="objects or frames of the process are searched",
    look=_look,
)
