"""Every error of the house, drawn once; `tests/guard/domain/test_errors.py` compares.

    KernelArcError
    ├── CallerError     the agent or user could have avoided it
    │   ├── UnknownProblem, UnknownDevice, UnknownLanguage, UnknownTool, UnknownArgument
    │   ├── UnknownClaim, UnknownSubmission, UnknownJob, BadValue, SourceTooLarge
    │   ├── MalformedSolution, MalformedProblem, LanguageUnavailable, NotVerified
    │   ├── UnfoundedConclusion, ClaimTakenOver, ClaimClosed, TooSimilar, OffStrategy
    │   ├── CampaignClosed, CampaignStopped
    │   └── Unauthorised, Unauthenticated, PortBusy, DatabaseHeld, DatabaseNewer
    └── HouseError      the house failed, or rests: retried once, never charged to the agent
        ├── RefereeLost, DeviceBusy, StorageFull, JobLost, CampaignPaused
        └── DeviceUnhealthy
            └── DeviceQuarantined

A candidate's own failure is an `Evaluation`, never one of these. docs/errors.md explains each.
"""

from collections.abc import Iterable

from guard.domain.campaign_errors import CampaignClosed as CampaignClosed
from guard.domain.campaign_errors import CampaignPaused as CampaignPaused
from guard.domain.campaign_errors import CampaignStopped as CampaignStopped
from guard.domain.error import CallerError as CallerError
from guard.domain.error import HouseError as HouseError
from guard.domain.error import KernelArcError as KernelArcError
from guard.domain.nearest import did_you_mean as did_you_mean


class UnknownProblem(CallerError):
    """No problem has this name."""

    hint = "Call `get_problem` without a name for the list."

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"No problem is named {name!r}. {did_you_mean(name, known)}")


class UnknownDevice(CallerError):
    """No device here has this name."""

    hint = "Leave `device` empty to take the problem's default device."

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"No device here is named {name!r}. {did_you_mean(name, known)}")


class UnknownLanguage(CallerError):
    """No kernel language has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"No language is named {name!r}. {did_you_mean(name, known)}")


class LanguageUnavailable(CallerError):
    """The language exists but cannot be used on this host."""

    hint = "`get_problem` lists the languages that are."

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"Language {name!r} is not available here: {reason}.")


class UnknownClaim(CallerError):
    """No claim has this id, or it belongs to another token."""

    hint = "Call `claim_strategy` and keep the claim id it returns."

    def __init__(self, claim_id: str) -> None:
        super().__init__(f"No claim of yours has the id {claim_id!r}.")


class ClaimTakenOver(CallerError):
    """The lease ran out and another agent holds the strategy now."""

    def __init__(self, claim_id: str, strategy: str, free: Iterable[str]) -> None:
        super().__init__(
            f"Claim {claim_id!r} expired and {strategy!r} was taken over by another agent.",
            hint=f"Call `claim_strategy` for a new one. Free now: {', '.join(free) or 'none'}.",
        )


class ClaimClosed(CallerError):
    """The claim was released, or ended at its plateau: nothing more is accepted under it."""

    hint = "Call `claim_strategy` for a new one."

    def __init__(self, claim_id: str, why: str = "was released") -> None:
        super().__init__(f"Claim {claim_id!r} {why}.")


class TooSimilar(CallerError):
    """In drafting, and the candidate is an earlier idea again."""

    hint = "Another algorithm, language family or data layout counts; names and constants do not."

    def __init__(self, earlier: str, found: str) -> None:
        super().__init__(f"In drafting, and too similar to {earlier}: {found}.")


class OffStrategy(CallerError):
    """One more candidate that does not do what its claim's strategy says."""

    def __init__(self, submission_id: int, strategy: str, evidence: str, *, hint: str) -> None:
        super().__init__(
            f"Submission {submission_id} is off strategy {strategy!r} ({evidence}), as were those "
            "benchmarked before it.",
            hint=hint,
        )


class UnknownSubmission(CallerError):
    """No submission has this id."""

    hint = "`compile_and_verify` returns the id; `read_board` lists others'."

    def __init__(self, submission_id: int | str) -> None:
        super().__init__(f"No submission has the id {submission_id!r}.")


class NotVerified(CallerError):
    """Only what passed every workload, in a language that is timed there, can be benchmarked."""

    hint = "`get_solution` with part='log' shows why; submit a corrected source."

    def __init__(self, submission_id: int, state: str, *, hint: str = "") -> None:
        super().__init__(f"Submission {submission_id} cannot be benchmarked: {state}.", hint=hint)


class UnknownJob(CallerError):
    """No job of yours has this id."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"No job of yours has the id {job_id!r}.")


class SourceTooLarge(CallerError):
    """The source exceeds the limit."""

    hint = "Generate repeated code with templates or macros instead of writing it out."

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"The source has {size_bytes:,} bytes; the limit is {limit_bytes:,}.")


class MalformedSolution(CallerError):
    """A solution whose fields do not fit together."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"The solution's {field} is not usable: {reason}.")


class MalformedProblem(CallerError):
    """A problem folder that cannot be read."""

    hint = "docs/problems.md shows the format."

    def __init__(self, file: str, field: str, reason: str) -> None:
        super().__init__(f"{file}: {field}: {reason}")


class UnfoundedConclusion(CallerError):
    """A conclusion that cites nothing or that the record contradicts."""

    hint = "Cite your own submissions that show it."

    def __init__(self, reason: str) -> None:
        super().__init__(f"The conclusion is not founded on the record: {reason}.")


class UnknownTool(CallerError):
    """No tool has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"No tool is named {name!r}. {did_you_mean(name, known)}")


class UnknownArgument(CallerError):
    """A tool was called with an argument it does not have."""

    def __init__(self, tool: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"`{tool}` has no argument {name!r}. {did_you_mean(name, known)}")


class BadValue(CallerError):
    """An argument's value cannot be used."""

    def __init__(self, name: str, reason: str, *, hint: str = "") -> None:
        super().__init__(f"{name}: {reason}", hint=hint)


class Unauthorised(CallerError):
    """A command would open the server to others without tokens."""

    hint = "Create one with `kernelarc token add NAME`."

    def __init__(self, host: str) -> None:
        super().__init__(f"Without tokens the server binds loopback only, not {host!r}.")


class Unauthenticated(CallerError):
    """Tokens are in use, and the call carries no valid one."""

    hint = "Send `Authorization: Bearer ...` with a token from `kernelarc token add NAME`."

    def __init__(self) -> None:
        super().__init__("This server needs a bearer token, and the call has no valid one.")


class PortBusy(CallerError):
    """Another process listens on the port."""

    hint = "Choose another with --port, or stop that process."

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"Port {port} on {host} is in use by another process.")


class DatabaseHeld(CallerError):
    """Another server holds the database."""

    hint = "Connect to that server, stop it, or choose another --db."

    def __init__(self, database: str, holder: str) -> None:
        super().__init__(f"The database {database} is held by another server ({holder}).")


class DatabaseNewer(CallerError):
    """The database was written by a newer version."""

    hint = "Use the newer KernelArc, or another --db. Nothing was changed."

    def __init__(self, database: str, found: int, known: int) -> None:
        super().__init__(f"Database {database} has schema version {found}; known here: {known}.")


class RefereeLost(HouseError):
    """The trusted process of a device ended in the middle of a job."""

    def __init__(self, device: str, reason: str) -> None:
        super().__init__(f"The referee of device {device!r} was lost: {reason}.")


class DeviceBusy(HouseError):
    """Another process held the device for too long."""

    def __init__(self, device: str, wait_s: float) -> None:
        super().__init__(f"Device {device!r} was held by another process for {wait_s:.0f} s.")


class DeviceUnhealthy(HouseError):
    """The device gave no memory, or the champion failed on it: nothing can be judged there."""

    def __init__(self, device: str, reason: str) -> None:
        super().__init__(f"Device {device!r} does not answer correctly: {reason}.")


class DeviceQuarantined(DeviceUnhealthy):
    """The device failed its canary: nothing is judged on it until it has passed one."""

    hint = "Nothing is charged to you. Ask again later, or claim on another device."


class StorageFull(HouseError):
    """The disk that holds the database is full."""

    retry_after_s = 60.0
    hint = "Free disk space; the server goes on by itself."

    def __init__(self, database: str, reason: str) -> None:
        super().__init__(f"The database {database} cannot be written: {reason}. Nothing was lost.")


class JobLost(HouseError):
    """A job could not be finished: the house failed twice, or the server was stopped too often."""

    hint = "Send the same request again."

    def __init__(self, job_id: str, reason: str) -> None:
        super().__init__(f"Job {job_id!r} was lost: {reason}.")
