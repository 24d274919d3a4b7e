"""How far the machine code of two candidates is apart: instructions by class.

    CompileReport × CompileReport -> a number between 0 and 1, or None

Of what the compiler made the same, the source may say what it likes. Start at `machine_distance`.
Not here: sources (`measure`).
"""

from collections import Counter

from guard.domain.trace import CompileReport

FEWEST = 32
"""Instructions below which their numbers say nothing."""


def machine_distance(one: CompileReport, other: CompileReport) -> float | None:
    """How far apart they are; None where one is not known, or they are for different machines."""
    if one.architecture != other.architecture:
        return None
    first, second = _counted(one), _counted(other)
    if min(first[""], second[""]) < FEWEST:
        return None
    classes = first.keys() | second.keys()
    shared = sum(min(first[name], second[name]) for name in classes)
    return 1 - shared / sum(max(first[name], second[name]) for name in classes)


def _counted(report: CompileReport) -> Counter[str]:
    found: Counter[str] = Counter()
    for kernel in report.instructions:
        found[""] += kernel.total
        found.update(kernel.classes)
    return found
