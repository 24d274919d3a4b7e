"""What a runner is told to hold and never uses: tensors, and a descriptor in its environment.

The tensors answer nothing, and nothing is ever told through the descriptor (see
`guard.referee.decoys`). Start at `hold`.
"""

import os
from collections.abc import Sequence
from typing import Any

from guard import plugins
from guard.asks import ExpectedAsk, PipeAsk

RESULT_FD = "KERNELARC_RESULT_FD"

expected: dict[str, Any] = {}
"""By output name."""


def hold(ask: PipeAsk | ExpectedAsk, fds: Sequence[int]) -> None:
    """Keep what came along, tensors in place of those held before."""
    if isinstance(ask, PipeAsk):
        # A child must not write to it unawares.
        os.set_inheritable(fds[0], False)
        os.environ[RESULT_FD] = str(fds[0])
        return
    arena = plugins.load("devices")["cpu"].attach(ask.handle, fds)
    expected.clear()
    for name, place, offset in zip(ask.names, ask.outputs, ask.offsets, strict=True):
        expected[name] = arena.tensor(offset, place.shape, place.dtype)
    arena.close()
