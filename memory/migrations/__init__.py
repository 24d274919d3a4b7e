"""How a database of an older version becomes one of today: ordered steps, each recorded.

One module per step, named after its version, with one function under `@step`. Steps only ever
grow in number; a step that was released is never edited. Start at `ledger`.
"""

from memory.migrations import (
    m0001_first_board,
    m0002_revocations,
    m0003_health,
    m0004_adherence,
    m0005_exhausted,
    m0006_record,
    m0007_course,
    m0008_memory,
    m0009_assignment,
    m0010_of_agents,
)
from memory.migrations.ledger import apply, check, latest

__all__ = [
    "apply",
    "check",
    "latest",
    "m0001_first_board",
    "m0002_revocations",
    "m0003_health",
    "m0004_adherence",
    "m0005_exhausted",
    "m0006_record",
    "m0007_course",
    "m0008_memory",
    "m0009_assignment",
    "m0010_of_agents",
]
