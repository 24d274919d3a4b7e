"""What the clerk tells of a solution."""

from guard.clerk import PER_RULE, notice
from tests.guard.trials import solution

PATCHES = "import time\n" + "time.sleep = print\n" * 10


def test_refusals_and_hints_are_kept_apart_and_few():
    noticed = notice(solution(PATCHES + "\n\ndef run(x, y):\n    time.time()\n"))
    assert [r.line for r in noticed.refusals] == [2, 3, 4]
    assert len(noticed.refusals) == PER_RULE
    assert [h.rule for h in noticed.hints] == ["watches-time"]


def test_every_file_is_read():
    noticed = notice(solution("import other\n", other=PATCHES))
    assert {r.path for r in noticed.refusals} == {"other.py"}


def test_evidence_has_an_end():
    (remark,) = notice(solution("import torch\ntorch." + "a" * 5_000 + " = print\n")).refusals
    assert len(remark.evidence) <= 160
