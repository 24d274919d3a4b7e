"""Every error: drawn, named in snake case, and with a message an agent can act on."""

import re

import pytest

from guard.domain import errors
from guard.domain.errors import CallerError, HouseError, KernelArcError

EXAMPLES = [
    (errors.UnknownProblem("softmx", ["softmax", "gemm"]), "Did you mean 'softmax'?"),
    (errors.UnknownDevice("cuda:9", ["cpu"]), "Known: cpu."),
    (errors.UnknownLanguage("tritn", ["triton"]), "Did you mean 'triton'?"),
    (errors.UnknownTool("bench", ["benchmark"]), "Did you mean 'benchmark'?"),
    (errors.UnknownArgument("benchmark", "wait", ["wait_s"]), "`benchmark` has no argument 'wait'"),
    (errors.UnknownClaim("c1"), "No claim of yours has the id 'c1'."),
    (errors.UnknownSubmission(7), "No submission has the id 7."),
    (errors.UnknownJob("j1"), "No job of yours has the id 'j1'."),
    (errors.BadValue("wait_s", "must not be negative"), "wait_s: must not be negative"),
    (errors.SourceTooLarge(300_000, 262_144), "300,000 bytes; the limit is 262,144"),
    (errors.MalformedSolution("options", "'-x' is not allowed"), "options is not usable"),
    (errors.MalformedProblem("definition.json", "axes.M", "missing"), "definition.json: axes.M"),
    (errors.LanguageUnavailable("cuda", "no NVRTC"), "'cuda' is not available here: no NVRTC."),
    (errors.NotVerified(7, "it failed"), "Submission 7 cannot be benchmarked: it failed."),
    (errors.UnfoundedConclusion("it cites nothing"), "the record: it cites nothing."),
    (errors.ClaimTakenOver("c1", "vectorise", []), "was taken over by another agent"),
    (errors.ClaimClosed("c1"), "'c1' was released."),
    (errors.TooSimilar("submission 3", "the same loops"), "too similar to submission 3: the same"),
    (errors.OffStrategy(7, "a.b", "no loop", hint="Claim."), "7 is off strategy 'a.b' (no loop)"),
    (errors.CampaignClosed("gemm", "cpu"), "on 'gemm' and 'cpu' has ended"),
    (errors.CampaignStopped("gemm", "cpu", "max_wall_s: 9 of 9 s", "the baseline"), "STOP: the ca"),
    (errors.CampaignPaused("gemm", "cpu", "lunch"), "on 'gemm' and 'cpu' is paused: lunch."),
    (errors.Unauthorised("0.0.0.0"), "loopback only, not '0.0.0.0'"),
    (errors.Unauthenticated(), "needs a bearer token"),
    (errors.PortBusy("127.0.0.1", 8765), "Port 8765 on 127.0.0.1 is in use"),
    (errors.DatabaseHeld("x.db", "pid 1"), "held by another server (pid 1)"),
    (errors.DatabaseNewer("x.db", 9, 1), "schema version 9; known here: 1"),
    (errors.RefereeLost("cpu", "signal 9"), "The referee of device 'cpu' was lost: signal 9."),
    (errors.DeviceBusy("cuda:0", 60.0), "'cuda:0' was held by another process for 60 s."),
    (errors.DeviceUnhealthy("cuda:0", "canary"), "does not answer correctly: canary."),
    (errors.DeviceQuarantined("cpu", "its canary failed"), "'cpu' does not answer correctly: its"),
    (errors.StorageFull("x.db", "no space"), "cannot be written: no space. Nothing was lost."),
    (errors.JobLost("j1", "restart"), "Job 'j1' was lost: restart."),
]


def drawn() -> dict[str, str]:
    """Class name -> its parent's name, read off the module's drawing."""
    found: dict[str, str] = {}
    parents: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"    ([│├└─ ]*)([A-Z]\w+(?:, [A-Z]\w+)*)(  |$)", line)
        if match:
            depth = len(match[1]) // 4
            for name in match[2].split(", "):
                found[name] = parents.get(depth - 1, "Exception")
                parents[depth] = name
    return found


def defined() -> dict[str, str]:
    """Class name -> its parent's name, read off the classes."""
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    return {c.__name__: c.__bases__[0].__name__ for c in classes if issubclass(c, Exception)}


def test_the_drawing_shows_exactly_the_classes_there_are():
    assert drawn() == defined()


def test_every_error_has_an_example_here():
    shown = {type(error).__name__ for error, _ in EXAMPLES}
    assert shown == set(defined()) - {"KernelArcError", "CallerError", "HouseError"}


@pytest.mark.parametrize(("error", "part"), EXAMPLES, ids=lambda e: getattr(e, "code", ""))
def test_a_message_says_what_happened_to_what(error, part):
    assert isinstance(error, KernelArcError)
    assert part in error.message
    assert str(error) == error.message


@pytest.mark.parametrize("error", [e for e, _ in EXAMPLES], ids=lambda e: e.code)
def test_only_the_houses_own_failures_are_worth_a_retry(error):
    assert isinstance(error, CallerError) != isinstance(error, HouseError)
    assert error.retryable is isinstance(error, HouseError)
    assert (error.retry_after_s > 0) is error.retryable


def test_codes_are_the_names_in_snake_case():
    assert errors.ClaimTakenOver("c", "s", []).code == "claim_taken_over"
    assert len({error.code for error, _ in EXAMPLES}) == len(EXAMPLES)


def test_a_hint_given_with_the_message_is_kept():
    assert errors.BadValue("kind", "must be win or trap", hint="Use 'win'.").hint == "Use 'win'."
    assert errors.ClaimTakenOver("c", "s", ["a", "b"]).hint.endswith("Free now: a, b.")
