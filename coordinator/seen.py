"""What is known of a compiled candidate, in the form in which predicates look at it.

    Solution × CompileReport × texts of its listings -> Seen

Pure. All of it comes from a candidate or from the builder that compiled it: sizes are bounded here,
and nothing of it is repeated to anybody. Start at `look`. Not here: what is looked for
(`predicates`), where the texts are kept (`memory.listings`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from coordinator.source_names import SourceNames, read_names
from guard.domain.solution import LaunchPlan, Solution
from guard.domain.trace import CompileReport

SCANNED = 2**20
"""Characters of one listing that are looked at."""
# Every repeat but the last has a limit and none spans lines, so that no text takes more than its
# length: a listing comes from a builder that may have run the candidate's own code.
_OPCODES = {
    "sass": re.compile(r"/\*[0-9a-f]{1,8}\*/[ \t]{1,64}(?:@!?U?P\w{1,8}[ \t]{1,16})?([A-Z][\w.]*)"),
    "ptx": re.compile(
        r"^[ \t]{0,64}(?:@!?%p\d{1,9}[ \t]{1,16})?\{?[ \t]{0,16}([a-z][\w.:]*)", re.MULTILINE
    ),
    "asm": re.compile(r"^[ \t]{0,64}(?:[0-9a-f]{1,16}:[ \t]{1,64})?([a-z]\w*)", re.MULTILINE),
}


@dataclass(frozen=True)
class Seen:
    """One candidate."""

    language: str
    names: SourceNames = field(default_factory=SourceNames)
    options: tuple[str, ...] = ()
    plan: LaunchPlan | None = None
    report: CompileReport = field(default_factory=lambda: CompileReport(ok=True))
    opcodes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per kind of listing that there is, every opcode with its modifiers."""
    cut: frozenset[str] = frozenset()
    """Kinds of listing of which a part is missing."""

    @property
    def host_code(self) -> bool:
        """Whether a CPU's machine code was read: then it launches nothing."""
        return bool(self.report.instructions) and not self.report.architecture

    @property
    def launches(self) -> int | None:
        """Kernels that one call launches; None where nothing tells.

        Launches of a plan that hang on a condition stand for each other, so they count as one.
        """
        if self.plan is not None:
            conditions = [launch.when for launch in self.plan.kernels]
            always = conditions.count("1")
            return always + (len(conditions) > always)
        return self.names.launches if self.language in ("triton", "cuda_cpp") else None


def look(solution: Solution, report: CompileReport, texts: Mapping[str, str]) -> Seen:
    """All that is known; `texts`: the listings that could be unpacked, by their kind."""
    cut = {listing.kind for listing in report.listings if listing.cut}
    return Seen(
        language=solution.language,
        names=read_names(solution),
        options=solution.options,
        plan=solution.launch_plan,
        report=report,
        opcodes={
            kind: frozenset(_OPCODES[kind].findall(text[:SCANNED])) for kind, text in texts.items()
        },
        cut=frozenset(cut | {kind for kind, text in texts.items() if len(text) > SCANNED}),
    )
