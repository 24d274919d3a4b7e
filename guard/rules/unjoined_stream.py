"""Hint: work goes to a stream of its own and the current stream never waits for it."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile

STREAMS = ("torch.cuda.Stream", "torch.Stream", "torch.cuda.ExternalStream")
WAITS = ("wait_stream", "wait_event", "synchronize", "wait")


def _look(file: SourceFile) -> Found:
    waits = any(getattr(call.func, "attr", "") in WAITS for call, _ in file.calls)
    for call, called in file.calls:
        if called in STREAMS and not waits:
            yield call.lineno, "the current stream does not wait for this one"


RULE = StaticRule(
    name="unjoined-stream",
    weight="hint",
    summary="a side stream is used that the current stream does not wait for",
    look=_look,
)
