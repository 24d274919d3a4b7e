"""Real candidates from templates: every combination of a pool's options is one.

    pools/NAME/pool.toml + template.cpp + workload.cpu.jsonl -> Pool -> Space, Problem, Solution

A pool is fixed by its files, before anything of it is judged. Start at `read`. Not here: judging it
(`judging`), what was recorded (`recorded`).
"""

import string
import tomllib
from functools import cache
from itertools import product
from pathlib import Path

from benchmarks.study.space import Angle, Design, Knob, Space
from coordinator.catalogue import Catalogue, load
from guard import plugins
from guard.domain.problem import Problem, Workload
from guard.domain.solution import Solution, Source
from guard.domain.value import Value

POOLS = Path(__file__).parent / "pools"
PROBLEMS = Path(__file__).resolve().parents[2] / "examples" / "problems"
FORMAT = "sol_execbench"
DEEPEST = 6
"""How deep a place may lie in what fills another."""


class Option(Value):
    """One way of writing a part of the candidate."""

    name: str
    strategy: str = ""
    """The strategy of the catalogue that asks for it."""
    text: dict[str, str] = {}
    """What it puts into which place."""


class Part(Value):
    """One knob with its options."""

    name: str
    lane: str
    idea: bool = False
    options: tuple[Option, ...]


class Pool(Value):
    """All candidates of one problem."""

    problem: Problem
    template: str
    text: dict[str, str] = {}
    """What fills places whatever the options."""
    parts: tuple[Part, ...]

    @property
    def space(self) -> Space:
        """Its knobs; under a strategy its own option is set, and all tuning is free."""
        knobs = [
            Knob(name=p.name, lane=p.lane, options=tuple(o.name for o in p.options), idea=p.idea)
            for p in self.parts
        ]
        tunes = [number for number, knob in enumerate(knobs) if not knob.idea]
        angles = [
            Angle(
                strategy=option.strategy,
                lane=option.strategy.partition(".")[0],
                core=((number, at),),
                tunes=tuple(knob for knob in tunes if knob != number),
            )
            for number, part in enumerate(self.parts)
            for at, option in enumerate(part.options)
            if option.strategy
        ]
        return Space(knobs=tuple(knobs), angles=tuple(angles))

    @property
    def catalogue(self) -> Catalogue:
        """The strategies of the catalogue that mean something here."""
        named = {angle.strategy for angle in self.space.angles}
        whole = load()
        kept = tuple(s for s in whole.strategies if s.id in named)
        return whole.model_copy(update={"strategies": kept})

    def designs(self) -> list[Design]:
        """Every combination."""
        return list(product(*(range(len(part.options)) for part in self.parts)))

    def solution(self, design: Design) -> Solution:
        """The source of one candidate."""
        texts = dict(self.text)
        for part, option in zip(self.parts, design, strict=True):
            texts |= part.options[option].text
        source = self.template
        for _ in range(DEEPEST):
            source = string.Template(source).substitute(texts)
            if "$" not in source:
                break
        return Solution(
            definition=self.problem.definition.name,
            language="cpp",
            sources=(Source(path="solution.cpp", content=source),),
        )


def names() -> list[str]:
    """The pools there are."""
    return sorted(folder.parent.name for folder in POOLS.glob("*/pool.toml"))


def judged_file(name: str) -> Path:
    """Where what was recorded of a pool is kept."""
    return POOLS / name / "judged.jsonl"


@cache
def read(name: str) -> Pool:
    """Read the pool of this name."""
    folder = POOLS / name
    fields = tomllib.loads((folder / "pool.toml").read_text("utf-8"))
    problem = plugins.load("formats")[FORMAT].read(PROBLEMS / fields["problem"])
    lines = (folder / "workload.cpu.jsonl").read_text("utf-8").splitlines()
    small = tuple(Workload.model_validate_json(line) for line in lines)
    return Pool(
        problem=problem.model_copy(update={"cpu_workloads": small}),
        template=(folder / "template.cpp").read_text("utf-8"),
        text=fields.get("text", {}),
        parts=tuple(Part.model_validate(part) for part in fields["knobs"]),
    )
