"""The playbooks: long guides that lead from a plain kernel to a fast one, step by step.

    guides/playbooks/*.md -> Playbook -> a table of contents, or one step

A playbook is Markdown. Its first fence is TOML: where it applies and what it ends in. Each heading
of the second level begins a step, which fits into one answer. Code stands in named fragments that
build on each other, so that every one of them can be compiled:

    ```cuda tma needs=ptx        language, name, names of the fragments that stand before it
    ```json plan of=gemm         the launch plan of a fragment

Fences of any other kind are only shown. Must never compile or run a fragment itself.

Start at `load`. Not here: the short guides of the lanes (`catalogue`).
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from guard.domain.value import Value

HERE = Path(__file__).parent / "guides" / "playbooks"
COMPILED = ("cpp", "cuda", "triton")
"""Kernel languages of which fragments are written."""
_FENCE = re.compile(r"^```([a-z]+)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^## +(?P<title>[^\n]+)$", re.MULTILINE)


class Scope(Value):
    """Where a playbook applies, and the solution that it ends in."""

    devices: tuple[str, ...]
    """Kinds of device, by the name of their plug-in."""
    ops: tuple[str, ...]
    """Operator families of the catalogue."""
    problem: str
    """The bundled problem that its code is written for."""
    solutions: dict[str, str] = {}
    """File below ``examples/solutions`` -> the fragment whose source it holds."""


class Fragment(Value):
    """One fence of code."""

    language: str
    name: str
    needs: tuple[str, ...]
    """Fragments that stand before it, in this order, each with what it needs itself."""
    text: str


class Step(Value):
    """One step, as long as an answer can hold."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    """Its title in lower case, with hyphens."""
    title: str
    text: str


class Playbook(Value):
    """A long guide in steps."""

    name: str
    title: str
    introduction: str
    scope: Scope
    steps: tuple[Step, ...]
    fragments: dict[str, Fragment]
    plans: dict[str, str]
    """Name of a fragment -> the launch plan of its kernels, JSON."""

    def fits(self, device_kind: str, families: frozenset[str]) -> bool:
        """Whether it is written for such an operator on such a device."""
        return device_kind in self.scope.devices and not families.isdisjoint(self.scope.ops)

    def step(self, step_id: str) -> Step | None:
        """One step by its id."""
        return next((step for step in self.steps if step.id == step_id), None)

    def source(self, fragment: str) -> str:
        """A fragment with all it needs before it, each once: what a compiler is given."""
        return "\n".join(self.fragments[name].text for name in self._closure(fragment))

    def _closure(self, fragment: str) -> Iterator[str]:
        seen: dict[str, None] = {}
        for needed in self.fragments[fragment].needs:
            seen |= dict.fromkeys(self._closure(needed))
        yield from seen | {fragment: None}


@cache
def load(folder: Path = HERE) -> Mapping[str, Playbook]:
    """Read the playbooks that are installed with this package, once; by name.

    Raises:
        ValueError: one is malformed, or a fragment needs what no fragment before it is named.
    """
    files = sorted(folder.glob("*.md"))
    return {file.stem: parse(file.stem, file.read_text(encoding="utf-8")) for file in files}


def parse(name: str, text: str) -> Playbook:
    """Read one playbook.

    Raises:
        ValueError: it is malformed.
    """
    fences = [(kind, words.split(), body) for kind, words, body in _FENCE.findall(text)]
    if not fences or fences[0][0] != "toml" or not text.startswith("# "):
        raise ValueError(f"{name}: begins with a title, then a toml fence with its scope")
    head, *_ = _STEP.split(text)
    title, _, introduction = head.partition("\n")
    return Playbook(
        name=name,
        title=title.removeprefix("# "),
        introduction=_FENCE.sub("", introduction, count=1).strip(),
        scope=Scope.model_validate(tomllib.loads(fences[0][2])),
        steps=tuple(_steps(text)),
        fragments=_fragments(name, fences),
        plans={_option(words, "of"): body for kind, words, body in fences if kind == "json"},
    )


def _steps(text: str) -> Iterator[Step]:
    starts = [*_STEP.finditer(text)]
    ends = [*(found.start() for found in starts), len(text)][1:]
    for found, end in zip(starts, ends, strict=True):
        title = found["title"].strip()
        id_ = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        yield Step(id=id_, title=title, text=text[found.start() : end].strip())


def _fragments(name: str, fences: list[tuple[str, list[str], str]]) -> dict[str, Fragment]:
    found: dict[str, Fragment] = {}
    for kind, words, body in fences:
        if kind not in COMPILED:
            continue
        if not words or "=" in words[0] or words[0] in found:
            raise ValueError(f"{name}: a fence of {kind} needs a name of its own")
        needs = tuple(filter(None, _option(words, "needs").split(",")))
        if unknown := [needed for needed in needs if needed not in found]:
            raise ValueError(f"{name}: {words[0]} needs {unknown[0]!r}, which no fence before has")
        found[words[0]] = Fragment(language=kind, name=words[0], needs=needs, text=body)
    return found


def _option(words: list[str], key: str) -> str:
    return next((w.removeprefix(f"{key}=") for w in words if w.startswith(f"{key}=")), "")


if __name__ == "__main__":
    # PLAYBOOK FRAGMENT: print what a compiler is given, to be judged as a file.
    sys.stdout.write(load()[sys.argv[1]].source(sys.argv[2]))
