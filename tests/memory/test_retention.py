"""What each retention shows of the same rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.decision import Policy, Retention
from memory.conclusion import Conclusion
from memory.retention import Reader, retained

ADA, BOB = Reader(token="t", agent="ada"), Reader(token="t", agent="bob")


def told(seq: int, kind: str, by: Reader = ADA, speedup: float | None = None, **more) -> Conclusion:
    return Conclusion.model_validate(
        {
            "seq": seq, "campaign_id": 1, "claim_id": "c_1", "token": by.token, "agent": by.agent,
            "strategy": "memory.x", "lane": "memory", "kind": kind, "note": "", "reflection": "",
            "submission_ids": (seq,), "speedup": speedup, "posted_s": seq, **more,
        }
    )  # fmt: skip


ROWS = [
    told(1, "win", ADA, 1.5),
    told(2, "trap", BOB),
    told(3, "win", BOB, 1.1),
    told(4, "trap", ADA, 0.9),
    told(5, "win", BOB, 1.5),
    told(6, "trap", BOB),
    told(7, "trap", ADA, repeats=6),
    told(8, "win", ADA, 9.0, overturned=("revoked",)),
]
SHOWN = [
    # retention, kept, seqs shown to ada
    pytest.param(Retention.NONE, 16, [], id="none"),
    pytest.param(Retention.PRIVATE, 16, [1, 4, 7, 8], id="private: her own"),
    pytest.param(Retention.UNBOUNDED, 1, [1, 2, 3, 4, 5, 6, 8], id="unbounded: a repeat is merged"),
    pytest.param(Retention.BOUNDED, 2, [1, 4, 5, 6], id="bounded: best wins, newest traps"),
    pytest.param(Retention.BOUNDED, 1, [5, 6], id="of two as good the newer; sound before large"),
    pytest.param(Retention.BOUNDED, 9, [1, 2, 3, 4, 5, 6, 8], id="bounded, with room for all"),
]


@pytest.mark.parametrize(("retention", "kept", "expected"), SHOWN)
def test_retention_is_a_view_of_the_rows(retention, kept, expected):
    policy = Policy(retention=retention, kept=kept)
    assert [c.seq for c in retained(reversed(ROWS), policy, ADA)] == expected


def test_what_was_told_again_is_counted_among_what_the_reader_may_see():
    everybody = retained(ROWS, Policy(), ADA)
    assert {c.seq: c.times for c in everybody if c.times > 1} == {6: 2}
    private = retained(ROWS, Policy(retention=Retention.PRIVATE), BOB)
    assert [(c.seq, c.times) for c in private] == [(2, 1), (3, 1), (5, 1), (6, 1)]


kinds = st.tuples(
    st.sampled_from(["win", "trap"]),
    st.sampled_from([ADA, BOB]),
    st.one_of(st.none(), st.sampled_from([0.5, 1.25, 2.0])),
)


@given(st.lists(kinds), st.integers(1, 4))
def test_bounded_is_a_part_of_unbounded_and_never_larger_than_its_bound(drawn, kept):
    rows = [told(seq, kind, by, speedup) for seq, (kind, by, speedup) in enumerate(drawn, 1)]
    bounded = retained(rows, Policy(retention=Retention.BOUNDED, kept=kept), ADA)
    assert set(bounded) <= set(retained(rows, Policy(), ADA))
    for kind in ("win", "trap"):
        assert sum(c.kind == kind for c in bounded) == min(kept, sum(r.kind == kind for r in rows))
