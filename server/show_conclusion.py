"""How a conclusion is shown: its words, which are another agent's, and the house's figures.

Pure functions. Texts of agents stand under ``untrusted_…``; all else was measured or derived.

Start at `conclusion`. Not here: which ones are shown (`lessons`, `boards`).
"""

from collections.abc import Mapping, Sequence

from memory.conclusion import Conclusion, Measured
from server.answers import Answer, quoted
from server.show import by, rounded

NOTE_SHOWN = 200
REFLECTION_SHOWN = 1_200
FEATURES_SHOWN = 8
WORKLOADS_SHOWN = 4


def conclusion(
    record: Conclusion,
    axes: Mapping[str, str],
    opposed: Sequence[Conclusion] = (),
) -> Answer:
    """A win or a trap with its author and figures, beside what says the opposite.

    `axes`: the sizes of each workload by its uuid. It is marked when its evidence was overturned.
    """
    shown = _head(record)
    shown["untrusted_reflection"] = quoted(record.reflection, REFLECTION_SHOWN)
    if record.measured is not None:
        shown["measured"] = measured(record.measured, axes)
    if opposed:
        shown["contradicted_by"] = [_head(other) for other in opposed]
    return shown


def brief(record: Conclusion) -> Answer:
    """The lesson in a few lines."""
    return _head(record)


def overturned(record: Conclusion) -> str:
    """What a reader must know of a conclusion whose evidence no longer stands; empty if it does."""
    return f"do not rely on it: {'; '.join(record.overturned)}" if record.overturned else ""


def measured(found: Measured, axes: Mapping[str, str]) -> str:
    """What the record said of the best cited submission, in one line."""
    said = [
        f"submission {found.submission_id}",
        f"{found.language}{', sealed' if found.sealed else ''} on {found.hardware}",
    ]
    if found.speedups:
        said.append(_speedups(found.speedups, axes))
    if found.features:
        more = len(found.features) - FEATURES_SHOWN
        rest = f" and {more} more" if more > 0 else ""
        said.append(f"machine code: {', '.join(found.features[:FEATURES_SHOWN])}{rest}")
    return "; ".join(said)


def _head(record: Conclusion) -> Answer:
    shown: Answer = {
        "seq": record.seq,
        "kind": record.kind,
        "by": by(record.agent, record.token),
        "strategy": record.strategy,
        "untrusted_note": quoted(record.note, NOTE_SHOWN),
        "submission_ids": list(record.submission_ids),
        "speedup_over_baseline": rounded(record.speedup) if record.speedup else "not timed",
    }
    if record.times > 1:
        shown["told"] = f"{record.times} times"
    if record.overturned:
        shown["overturned"] = overturned(record)
    return shown


def _speedups(speedups: Mapping[str, float], axes: Mapping[str, str]) -> str:
    """The slowest first; of many only both ends."""
    order = sorted(speedups.items(), key=lambda pair: pair[1])
    told = [f"{factor:.4g} at {axes.get(uuid) or uuid}" for uuid, factor in order]
    if len(told) <= WORKLOADS_SHOWN:
        return "speedups " + ", ".join(told)
    return f"speedups from {told[0]} to {told[-1]} over {len(told)} workloads"
