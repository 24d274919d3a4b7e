"""The labelled pairs, read from their folders; `pairs/README.md` has the format."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.value import Value

PAIRS = Path(__file__).parent / "pairs"


class Pair(Value):
    """Two sources and what a reader said of them."""

    folder: str
    left: str
    right: str
    label: Literal["same", "different"]
    why: str

    def __str__(self) -> str:
        return f"{self.folder}: {self.left} | {self.right}"

    def solutions(self) -> tuple[Solution, Solution]:
        """Both sides."""
        folder = PAIRS / self.folder
        return read(folder / self.left), read(folder / self.right)


def pairs() -> Iterator[Pair]:
    """All pairs of all labellers."""
    for listed in sorted(PAIRS.glob("*/pairs.toml")):
        for entry in tomllib.loads(listed.read_text())["pair"]:
            yield Pair(folder=listed.parent.name, **entry)


def read(path: Path) -> Solution:
    """The solution in a file."""
    text = path.read_text()
    beside = path.with_suffix(".launch.json")
    planned = path.suffix != ".cpp" and beside.exists()
    plan = LaunchPlan.model_validate(json.loads(beside.read_text())) if planned else None
    return Solution(
        definition=path.parent.name,
        language=_language(path, text, plan),
        sources=(Source(path=path.name, content=text),),
        launch_plan=plan,
    )


def _language(path: Path, text: str, plan: LaunchPlan | None) -> str:
    if path.suffix == ".py":
        return "triton" if "triton" in text else "pytorch"
    if path.suffix == ".cu":
        return "cuda" if plan else "cuda_cpp"
    return {".cpp": "cpp"}[path.suffix]
