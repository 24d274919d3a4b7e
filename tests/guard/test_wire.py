"""`guard.wire`: frames arrive whole or not at all, and nothing unbounded is believed."""

import os
import socket
import struct
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.asks import ANSWERS
from guard.wire import (
    HEADER,
    MAX_BLOB_BYTES,
    MAX_JSON_BYTES,
    ORDERS,
    REPORTS,
    CancelOrder,
    DoctorOrder,
    DoctorReport,
    FileEntry,
    Layer,
    PeerBabbles,
    PeerGone,
    PeerSilent,
    Progress,
    Trouble,
    encode,
    pack_files,
    parse,
    receive,
    send,
    unpack_files,
)
from tests.guard.trials import POLICY, duel_order, problem, solution

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    left, right = socket.socketpair()
    with left, right:
        yield left, right


@given(message=TEXT, blob=st.binary(max_size=5000))
def test_a_frame_arrives_as_it_was_sent(message, blob):
    left, right = socket.socketpair()
    with left, right:
        sent = Progress(job="j", done=1, total=2, message=message)
        send(left, sent, blob)
        text, data, fds = receive(right, 5)
        assert (parse(REPORTS, text), data, fds) == (sent, blob, [])


def test_a_frame_larger_than_any_buffer_arrives_whole(ends):
    left, right = ends
    blob = os.urandom(3 * 2**20)
    sender = threading.Thread(target=send, args=(left, DoctorOrder(), blob))
    sender.start()
    _, data, _ = receive(right, 30)
    sender.join()
    assert data == blob


def test_frames_do_not_run_into_each_other(ends):
    left, right = ends
    for job in "abc":
        send(left, CancelOrder(job=job), job.encode())
    got = [receive(right, 5) for _ in "abc"]
    assert [(parse(ORDERS, text).job, blob) for text, blob, _ in got] == [
        ("a", b"a"),
        ("b", b"b"),
        ("c", b"c"),
    ]


def test_file_descriptors_travel_with_their_frame(ends):
    left, right = ends
    reading, writing = os.pipe()
    send(left, DoctorOrder(), fds=[writing])
    os.close(writing)
    _, _, (received,) = receive(right, 5, max_fds=1)
    os.write(received, b"through")
    os.close(received)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"through"


def test_uninvited_file_descriptors_are_closed(ends):
    left, right = ends
    reading, writing = os.pipe()
    send(left, DoctorOrder(), fds=[writing])
    os.close(writing)
    assert receive(right, 5)[2] == []
    # Nobody holds the writing end any more, so reading ends at once.
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b""


FRAME = encode(DoctorOrder(), b"blob")


@pytest.mark.parametrize("sent", [0, 3, HEADER.size, HEADER.size + 5, len(FRAME) - 1])
def test_a_peer_that_closes_is_gone_wherever_it_stopped(ends, sent):
    left, right = ends
    left.sendall(FRAME[:sent])
    left.close()
    with pytest.raises(PeerGone):
        receive(right, 5)


@pytest.mark.parametrize("sent", [0, 3, HEADER.size, len(FRAME) - 1])
def test_a_peer_that_stops_is_silent_wherever_it_stopped(ends, sent):
    left, right = ends
    left.sendall(FRAME[:sent])
    with pytest.raises(PeerSilent):
        receive(right, 0.05)


@pytest.mark.parametrize(
    ("text_bytes", "blob_bytes"),
    [
        pytest.param(MAX_JSON_BYTES + 1, 0, id="text"),
        pytest.param(0, MAX_BLOB_BYTES + 1, id="blob"),
        pytest.param(2**32 - 1, 2**32 - 1, id="both"),
    ],
)
def test_lengths_beyond_the_limits_are_refused_before_anything_is_read(
    ends, text_bytes, blob_bytes
):
    left, right = ends
    left.sendall(struct.pack(">II", text_bytes, blob_bytes))
    with pytest.raises(PeerBabbles, match=r"a frame of"):
        receive(right, 5)


def test_sending_to_a_closed_peer_tells_that_it_is_gone(ends):
    left, right = ends
    right.close()
    with pytest.raises(PeerGone):
        send(left, DoctorOrder())


NO_MESSAGES = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"{", id="broken"),
    pytest.param(b"[1]", id="a list"),
    pytest.param(b'{"type":"none"}', id="unknown type"),
    pytest.param(b'{"job":"j"}', id="no type"),
    pytest.param(b'{"type":"doctor","job":"j","more":1}', id="unknown field"),
    pytest.param(b'{"type":"doctor","job":"\xff"}', id="not UTF-8"),
    pytest.param(b'{"a":' * 5000, id="deep"),
]


@pytest.mark.parametrize("text", NO_MESSAGES)
@pytest.mark.parametrize("adapter", [ORDERS, REPORTS, ANSWERS], ids=["order", "report", "answer"])
def test_what_is_no_message_is_refused(adapter, text):
    with pytest.raises(PeerBabbles) as caught:
        parse(adapter, text)
    assert len(str(caught.value)) <= 500


@given(noise=st.binary(max_size=200))
def test_noise_is_never_a_message(noise):
    with pytest.raises(PeerBabbles):
        parse(ANSWERS, noise)


MESSAGES = [
    pytest.param(ORDERS, duel_order(solution()), id="duel"),
    pytest.param(ORDERS, CancelOrder(job="j"), id="cancel"),
    pytest.param(
        REPORTS,
        DoctorReport(job="j", grade=3, layers=(Layer(name="uid", works=True),), libs={"a": "1"}),
        id="doctor",
    ),
    pytest.param(REPORTS, Trouble(job="j", code="device_busy", message="busy"), id="trouble"),
]


@pytest.mark.parametrize(("adapter", "message"), MESSAGES)
def test_a_message_survives_the_wire(adapter, message):
    assert parse(adapter, message.model_dump_json().encode()) == message


def test_a_solution_keeps_its_digest_over_the_wire():
    order = duel_order(solution())
    again = parse(ORDERS, order.model_dump_json().encode())
    assert again.candidate.digest == order.candidate.digest
    assert again.policy == POLICY
    assert again.problem.definition == problem().definition


@given(
    files=st.dictionaries(
        st.text("abc/.", min_size=1, max_size=8).filter(
            lambda p: not p.startswith("/") and ".." not in p.split("/") and p.strip("./")
        ),
        st.binary(max_size=50),
    )
)
def test_files_survive_packing(files):
    table, blob = pack_files(files)
    assert unpack_files(table, blob) == files


@pytest.mark.parametrize(
    "path", ["", ".", "/etc/passwd", "..", "../a", "a/../../b", "a/..", "//a", "./../a"]
)
def test_a_path_that_leaves_its_folder_is_refused(path):
    with pytest.raises(PeerBabbles, match="a file named"):
        unpack_files([FileEntry(path=path, size_bytes=1)], b"x")


@pytest.mark.parametrize("sizes", [[], [2], [4], [1, 1], [3, 1], [2**40]], ids=str)
def test_sizes_that_do_not_add_up_are_refused(sizes):
    table = [FileEntry(path=f"f{i}", size_bytes=size) for i, size in enumerate(sizes)]
    with pytest.raises(PeerBabbles, match="add up"):
        unpack_files(table, b"xyz")
