"""Hint: a thread is started and nothing waits for it; a call ends when its work does."""

from guard.rules._rule import Found, StaticRule, followed_by
from guard.source_file import SourceFile

STARTS = ("threading.Thread", "_thread.start_new_thread")
POOLS = ("concurrent.futures.ThreadPoolExecutor", "multiprocessing.pool.ThreadPool")
WAITS = ("join", "result", "wait", "shutdown", "map")


def _look(file: SourceFile) -> Found:
    called = [(call, name) for call, name in file.calls]
    waits = any(getattr(call.func, "attr", "") in WAITS for call, _ in called)
    for call, name in called:
        if name in (*STARTS, *POOLS) and not waits:
            yield call.lineno, f"{name}, and nothing waits for it"
    for at, token in enumerate(file.tokens):
        if token.text == "detach" and followed_by(file.tokens, at, "(", ")"):
            yield token.line, "a thread is detached, so nothing waits for it"


RULE = StaticRule(
    name="unjoined-thread",
    weight="hint",
    summary="a thread is started and nothing waits for it",
    look=_look,
)
