"""Which reports give reason to ask whether the device is healthy; pure functions over reports.

Start at `doubtful`. Not here: asking (`canary`), and what follows (`main`).
"""

from guard.domain.value import Value
from guard.wire import Cancelled, DoctorReport, DuelReport, Trouble, VerifyReport

DOUBTFUL = ("RUNTIME_ERROR", "TIMEOUT", "REWARD_HACK")
"""How a candidate's failure is called that may be the device's, or may have harmed it."""
BLAMELESS = ("malformed_problem", "device_busy")
"""Codes of trouble that the device has no part in."""


def doubtful(report: Value) -> bool:
    """Whether the device may have a part in how an order ended, or may have come to harm."""
    match report:
        case VerifyReport():
            judged = report.verification.judgements
        case DuelReport():
            judged = report.duel.failures
        case Trouble():
            return report.code not in BLAMELESS
        case _:
            return isinstance(report, Cancelled)
    return any(judgement.evaluation.status in DOUBTFUL for judgement in judged)


def sick(report: Value) -> bool:
    """Whether the canary failed."""
    if isinstance(report, DoctorReport):
        return bool(report.canary)
    return isinstance(report, Trouble) and report.code == "device_quarantined"
