"""Which conclusions an agent is shown: a view of recorded rows, which are never taken away.

    conclusions × Policy × who reads -> those shown, oldest first

Pure: the same rows give the same view. What tells nearly the same shares one place, so that a
lesson told a hundred times displaces no other. Bounded retention keeps the wins that are worth
most and the newest traps: a trap leaves when enough others came after it, a win when enough are
better.

Start at `retained`. Not here: the knob (`Policy.retention`), how relevant a conclusion is to its
reader, reading them from the database.
"""

from collections.abc import Iterable, Sequence

from guard.domain.decision import Policy, Retention
from guard.domain.value import Value
from memory.conclusion import Conclusion


class Reader(Value):
    """Who reads: the token, and the label that the agent gave with its claim."""

    token: str = ""
    agent: str = ""


def retained(
    conclusions: Iterable[Conclusion], policy: Policy, reader: Reader
) -> tuple[Conclusion, ...]:
    """What this reader is shown of these conclusions, in whatever order they come."""
    seen = sorted((c for c in conclusions if _may_see(c, policy, reader)), key=lambda c: c.seq)
    told = _told_once(seen)
    if policy.retention is not Retention.BOUNDED:
        return told
    wins = sorted((c for c in told if c.kind == "win"), key=_worth, reverse=True)
    traps = [c for c in told if c.kind == "trap"]
    return tuple(sorted(wins[: policy.kept] + traps[-policy.kept :], key=lambda c: c.seq))


def _may_see(conclusion: Conclusion, policy: Policy, reader: Reader) -> bool:
    if policy.retention is Retention.PRIVATE:
        return (conclusion.token, conclusion.agent) == (reader.token, reader.agent)
    return policy.retention is not Retention.NONE


def _told_once(conclusions: Sequence[Conclusion]) -> tuple[Conclusion, ...]:
    """The first of each group that tells nearly the same, with how many there are."""
    firsts: dict[int, Conclusion] = {}
    times: dict[int, int] = {}
    for conclusion in conclusions:
        group = conclusion.repeats or conclusion.seq
        firsts.setdefault(group, conclusion)
        times[group] = times.get(group, 0) + 1
    return tuple(
        conclusion.model_copy(update={"times": times[group]})
        for group, conclusion in firsts.items()
    )


def _worth(win: Conclusion) -> tuple[bool, float, int]:
    """What a win is kept by: one that still stands, the larger gain, of two as large the newer."""
    return (win.sound, win.speedup or 0.0, win.seq)
