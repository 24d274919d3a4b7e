"""What a runner is told to hold and never uses: tensors, files, a descriptor in its environment.

The tensors and the files, which hold the same, answer nothing, and nothing is ever told through
the descriptor (see `guard.referee.decoys`). Start at `hold`.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from guard import plugins
from guard.asks import ExpectedAsk, PipeAsk
from guard.ports import Arena

RESULT_FD = "KERNELARC_RESULT_FD"
FILES = "reference_outputs"
"""The folder of files, below the scratch folder."""
MOST_FILE_BYTES = 2**20
"""What is larger is held in memory alone: scratch folders are small."""

expected: dict[str, Any] = {}
"""By output name."""


def hold(ask: PipeAsk | ExpectedAsk, fds: Sequence[int], scratch: Path) -> None:
    """Keep what came along, tensors and files in place of those held before."""
    if isinstance(ask, PipeAsk):
        # A child must not write to it unawares.
        os.set_inheritable(fds[0], False)
        os.environ[RESULT_FD] = str(fds[0])
        return
    arena = plugins.load("devices")["cpu"].attach(ask.handle, fds)
    expected.clear()
    for name, place, offset in zip(ask.names, ask.outputs, ask.offsets, strict=True):
        expected[name] = arena.tensor(offset, place.shape, place.dtype)
    # A candidate that has filled or closed its own folder finds no file there.
    with suppress(OSError):
        _write(arena, ask.offsets, scratch / FILES)
    arena.close()


def _write(arena: Arena, offsets: Sequence[int], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for number, (offset, held) in enumerate(zip(offsets, expected.values(), strict=True)):
        size_bytes = held.numel() * held.itemsize
        if size_bytes <= MOST_FILE_BYTES:
            data = arena.tensor(offset, (size_bytes,), "uint8").numpy().tobytes()
            (folder / f"{number}.bin").write_bytes(data)
