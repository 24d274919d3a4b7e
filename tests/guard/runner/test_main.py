"""`guard.runner.main`: one ask, one answer; whatever a candidate raises becomes an answer too."""

import resource
import socket
import threading

import pytest

from guard.asks import (
    ANSWERS,
    GO,
    AttachAsk,
    BlockAsk,
    CallAsk,
    CompileAsk,
    Compiled,
    Done,
    KeepAsk,
    Kept,
    Raised,
    WarmAsk,
)
from guard.referee.runners import RunnerFailed
from guard.runner.capture import WrongReturn
from guard.runner.main import MAX_MESSAGE, Worker, _below, _told, begin_at_go, serve
from guard.wire import encode, parse, receive, send, unpack_files
from tests.guard.trials import HONEST, POLICY, solution


def test_compiling_loads_nothing(tmp_path):
    mark = tmp_path / "loaded"
    source = f"open({str(mark)!r}, 'w').close()\n" + HONEST
    ask = CompileAsk(solution=solution(source), architecture="any")
    answer, blob = Worker(tmp_path).answer(ask, b"", [])
    assert isinstance(answer, Compiled)
    assert answer.report["ok"] is True
    assert unpack_files(answer.files, blob) == {"candidate.py": source.encode()}
    assert not mark.exists()


@pytest.mark.parametrize("ask", [CallAsk(slot=0), BlockAsk(long=True)], ids=lambda a: a.type)
def test_nothing_can_be_called_before_it_is_bound(tmp_path, ask):
    with pytest.raises(RuntimeError, match="nothing is bound"):
        Worker(tmp_path).answer(ask, b"", [])


def test_only_what_lies_below_the_cache_is_kept(tmp_path):
    (tmp_path / "cache" / "triton" / "deep").mkdir(parents=True)
    (tmp_path / "cache" / "triton" / "deep" / "kernel").write_bytes(b"kernel")
    (tmp_path / "cache" / "link").symlink_to("/etc/passwd")
    (tmp_path / "other").write_bytes(b"other")
    answer, blob = Worker(tmp_path).answer(KeepAsk(), b"", [])
    assert isinstance(answer, Kept)
    assert unpack_files(answer.files, blob) == {"cache/triton/deep/kernel": b"kernel"}


def test_no_cache_is_kept_where_there_is_none(tmp_path):
    assert _below(tmp_path / "cache", tmp_path) == {}


def test_asks_are_answered_until_the_referee_closes(tmp_path):
    ours, theirs = socket.socketpair()
    serving = threading.Thread(target=serve, args=(theirs, tmp_path))
    serving.start()
    with ours, theirs:
        for ask, expected in (
            (KeepAsk(), Kept),
            (CallAsk(slot=0), Raised),
            (AttachAsk(handle={}), Raised),
            (CallAsk(slot=-1), Raised),
            (KeepAsk(), Kept),
        ):
            send(ours, ask)
            text, _, _ = receive(ours, 30)
            assert isinstance(parse(ANSWERS, text), expected)
        ours.shutdown(socket.SHUT_RDWR)
        serving.join(30)
    assert not serving.is_alive()


def raised(error):
    try:
        raise error
    except BaseException as caught:
        return _told(caught)


ERRORS = [
    pytest.param(ValueError("wrong"), "ValueError: wrong", id="an error"),
    pytest.param(SystemExit(0), "SystemExit: 0", id="leaving"),
    pytest.param(KeyboardInterrupt(), "KeyboardInterrupt", id="an interrupt"),
]


@pytest.mark.parametrize(("error", "expected"), ERRORS)
def test_an_error_is_told_with_its_class_and_place(error, expected):
    told = raised(error)
    assert told.startswith(expected)


def test_a_long_error_is_cut():
    assert len(raised(ValueError("x" * 10 * MAX_MESSAGE))) == MAX_MESSAGE


def test_a_lack_of_memory_names_the_limit():
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    assert f"limited to {soft:,} bytes" in raised(MemoryError())


def test_an_error_that_cannot_be_told_ends_nothing(court):
    source = (
        "class Mute(Exception):\n    def __str__(self):\n        raise ValueError('no words')\n\n"
        "raise Mute\n"
    )
    with court.runner(POLICY) as runner, pytest.raises(RunnerFailed) as caught:
        court.load(solution(source), POLICY, runner)
    assert caught.value.status == "RUNTIME_ERROR"


class Block(Worker):
    """A worker whose block ends in one way."""

    def __init__(self, scratch, ends):
        super().__init__(scratch)
        self.ends, self.began = ends, []

    def block(self, *, long):
        """Note which one it was, and end so."""
        self.began.append(long)
        if isinstance(self.ends, Exception):
            raise self.ends
        return self.ends


ENDS = [
    # how the block ends, the answer
    pytest.param((), Done(), id="well"),
    pytest.param(
        WrongReturn("INCORRECT_SHAPE", "returned 2 outputs, expected 1"),
        Raised(status="INCORRECT_SHAPE", message="returned 2 outputs, expected 1"),
        id="with something else returned",
    ),
    pytest.param(ValueError("no"), Raised(message="ValueError: no\n"), id="with an exception"),
]


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize(("ends", "expected"), ENDS)
def test_a_block_begins_at_go_and_its_end_is_told(tmp_path, ends, expected, long):
    ours, theirs = socket.socketpair()
    worker = Block(tmp_path, ends)
    with ours, theirs:
        ours.sendall(GO[long])
        begin_at_go(theirs, worker)
        answer = parse(ANSWERS, receive(ours, timeout_s=5)[0])
    assert worker.began == [long]
    if isinstance(expected, Raised):
        # After the message it is told where in the candidate's source that was.
        assert answer.message.startswith(expected.message)
        answer = answer.model_copy(update={"message": expected.message})
    assert answer == expected


def test_what_is_no_go_is_left_where_it_is(tmp_path):
    ours, theirs = socket.socketpair()
    frame = encode(WarmAsk(device="cpu"))
    with ours, theirs:
        ours.sendall(frame)
        worker = Block(tmp_path, ())
        begin_at_go(theirs, worker)
        assert theirs.recv(len(frame)) == frame
    assert worker.began == []
