"""What was built, by what went into it; shared by all lanes of one referee.

Start at `Artifacts.known`, then `Artifacts.building`. Not here: building (`court`).
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from guard.domain.machine_code import Instructions, KernelResources
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.plain import one_line, plain
from guard.ports import Artifact, Language

MAX_ARTIFACTS = 64
MAX_ARTIFACT_BYTES = 512 * 2**20
"""Of all artifacts kept; the one in use stays, whatever its size. Candidates decide how large."""
MAX_MESSAGES, MAX_RESOURCES, MAX_KERNEL_NAME = 4000, 256, 1024
"""Characters, kernels, characters of a builder's report that are kept."""

_Named = TypeVar("_Named", KernelResources, Instructions)

Key = tuple[str, ...]
"""The solution's digest, the architecture, and the versions of what compiles."""


class Artifacts:
    """The artifacts used last, within limits."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._held: OrderedDict[Key, Artifact] = OrderedDict()
        self._warmed: set[Key] = set()
        self._building: set[Key] = set()

    def known(self, key: Key) -> Artifact | None:
        """What was built of it before."""
        with self._change:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    @contextmanager
    def building(self, key: Key) -> Iterator[None]:
        """Build it, while nobody else does: who waited finds it known, or builds it then."""
        with self._change:
            self._change.wait_for(lambda: key not in self._building)
            self._building.add(key)
        try:
            yield
        finally:
            with self._change:
                self._building.discard(key)
                self._change.notify_all()

    def remember(self, key: Key, artifact: Artifact) -> None:
        """Keep it, and forget what was not used for longest."""
        with self._change:
            self._held[key] = artifact
            self._held.move_to_end(key)
            while len(self._held) > 1 and self._hoards():
                self._warmed.discard(self._held.popitem(last=False)[0])

    def to_be_warmed(self, key: Key) -> Artifact | None:
        """What a runner's caches may be added to; once only, whatever comes of it.

        No later runner has a say in what the others start with.
        """
        with self._change:
            if key in self._warmed or key not in self._held:
                return None
            self._warmed.add(key)
            return self._held[key]

    def _hoards(self) -> bool:
        held = self._held.values()
        size_bytes = sum(len(data) for artifact in held for data in artifact.files.values())
        return len(held) > MAX_ARTIFACTS or size_bytes > MAX_ARTIFACT_BYTES


def tidied(report: CompileReport) -> CompileReport:
    """A builder's report within bounds: the candidate's Python may have written all of it."""
    return report.model_copy(
        update={
            "messages": plain(report.messages)[:MAX_MESSAGES],
            "resources": _named(report.resources),
            "instructions": _named(report.instructions),
            "unlisted": one_line(report.unlisted),
            "code_digest": "",
            "hints": (),
        }
    )


def identified(language: Language, solution: Solution, artifact: Artifact) -> Artifact:
    """The artifact with the digest of what runners will load, whatever its builder says of it."""
    if not artifact.report.ok:
        return artifact
    try:
        found = language.code_digest(solution, artifact.files)
    except ValueError:
        # What cannot be read is equal to nothing.
        found = ""
    return Artifact(artifact.report.model_copy(update={"code_digest": found}), artifact.files)


def _named(told: Sequence[_Named]) -> tuple[_Named, ...]:
    """What is told of each kernel: no more than so many, with names that are safe to show."""
    return tuple(
        each.model_copy(update={"kernel": one_line(each.kernel)[:MAX_KERNEL_NAME]})
        for each in told[:MAX_RESOURCES]
    )
