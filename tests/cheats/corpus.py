"""The corpus: one candidate a file, whose header says what it tries and what must become of it.

    header (TOML in the file's first comment lines) -> Header -> Case

Nothing is judged here. Start at `cases`; `README.md` explains each field of a header.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import model_validator

from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.value import Value

FOLDER = Path(__file__).parent
CATALOGUE = tomllib.loads((FOLDER / "catalogue.toml").read_text())
LANGUAGES = {".py": "pytorch", ".cpp": "cpp", ".cu": "cuda"}
HEADER_LINE = re.compile(r"(#|//) (\[+[\w.]+\]+$|\w+ = .+)")
REFUSALS = {
    "INCORRECT_NUMERICAL", "INCORRECT_SHAPE", "INCORRECT_DTYPE", "RUNTIME_ERROR",
    "COMPILE_ERROR", "TIMEOUT", "REWARD_HACK",
}  # fmt: skip
Duelled = Literal["", "refused", "no gain", "refused or no gain", "no refusal", "credited"]


class Header(Value):
    """What a candidate's first comment lines say of it."""

    trick: str
    """Catalogue id and name; for honest and wrong ones what an eager guard might object to."""
    caught: Literal["", "by construction", "by check", "not caught"] = ""
    """Of a hostile one: nothing to hold on to, found and refused, or neither yet."""
    expect: tuple[str, ...] = ()
    """Statuses that its verification may have."""
    evidence: str = ""
    """A regular expression that the log of the verification, or of the failed duel, must hold."""
    duel: Duelled = ""
    """What a duel against its honest twin must show; nothing: it fights none."""
    probe: bool = False
    """It passes while it finds nothing, and tells what it found by a wrong output."""
    own_test: str = ""
    """Judged by this test of a module beside the driver, and not by it."""
    language: str = ""
    returns: bool = False
    problem: str = "softmax_rows"
    twin: str = ""
    """The file of its honest twin below `honest/`."""
    small: bool = False
    """Timed on a workload where a call takes next to nothing."""
    walls: tuple[str, ...] = ()
    """What it expects is asserted only where one of these walls of the sandbox holds."""
    policy: Mapping[str, int | float] = {}
    options: tuple[str, ...] = ()
    plan: LaunchPlan | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Header":
        if not self.own_test and not self.expect:
            raise ValueError("a header needs `expect` or `own_test`")
        if self.caught != "not caught" and self.duel == "credited":
            raise ValueError("who is credited is not caught")
        return self


class Case(Value):
    """One candidate of the corpus."""

    path: Path
    kind: Literal["hostile", "honest", "wrong"]
    header: Header
    source: str

    @property
    def name(self) -> str:
        """Its file's name, without what it ends in."""
        return self.path.name

    @property
    def tricks(self) -> tuple[str, str]:
        """The catalogue's id and name."""
        number, _, name = self.header.trick.partition(" ")
        return number, name

    @property
    def solution(self) -> Solution:
        """The candidate as an agent hands it in."""
        language = self.header.language or LANGUAGES[self.path.suffix]
        return Solution(
            definition=self.header.problem,
            language=language,
            sources=(Source(path=f"candidate{self.path.suffix}", content=self.source),),
            destination_passing_style=not self.header.returns,
            options=self.header.options,
            launch_plan=self.header.plan,
        )

    @property
    def twin(self) -> "Case":
        """The honest candidate that it is timed against."""
        usual = "library_call_returning.py" if self.header.returns else "library_call.py"
        return read(self.path.parents[1] / "honest" / (self.header.twin or usual))


def read(path: Path) -> Case:
    """The candidate in this file."""
    source = path.read_text()
    lines = []
    for line in source.splitlines():
        if not HEADER_LINE.match(line):
            break
        lines.append(line.lstrip("#/"))
    header = Header.model_validate(tomllib.loads("\n".join(lines)))
    return Case.model_validate(
        {"path": path, "kind": path.parent.name, "header": header, "source": source}
    )


def cases(device: str, *kinds: str) -> list[Case]:
    """All candidates for a kind of device, of these kinds (all of them by default)."""
    wanted = kinds or ("hostile", "honest", "wrong")
    paths = [path for kind in wanted for path in (FOLDER / device / kind).iterdir()]
    return [read(path) for path in sorted(paths) if path.suffix in LANGUAGES]
