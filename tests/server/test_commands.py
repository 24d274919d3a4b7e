"""The short commands: token, report, judge, doctor."""

import json
from pathlib import Path

import pytest

from guard.domain.decision import Policy
from guard.domain.errors import MalformedProblem, MalformedSolution, UnknownLanguage
from guard.domain.probe import Probe
from server import report, token
from server.__main__ import main
from server.doctor import examine
from server.judge import CORRECT, NOT_PROMOTED, REFUSED, judge_files
from server.settings import Settings
from tests.server.fakes import plugins
from tests.server.running import connected, serving


def test_a_token_is_made_listed_and_revoked(chosen: Settings, capsys):
    token.add(chosen, "ada")
    secret, said = capsys.readouterr()
    assert len(secret.strip()) >= 32 and "once" in said
    token.revoke(chosen, "ada")
    token.show(chosen)
    assert "ada  revoked" in capsys.readouterr().out


async def test_a_token_can_be_added_beside_a_running_server(chosen: Settings, capsys):
    async with serving(chosen):
        token.add(chosen, "ada")
    assert "Restart" in capsys.readouterr().err


async def test_a_report_tells_the_campaign_as_text_and_as_json(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        claim_id = await agent.claim()
        await agent.submit(claim_id, "gain 0.3")
        await agent.call("benchmark", submission_id=1)
        await agent.submit(claim_id, "wrong")
        for kind, cited in (("win", [1]), ("trap", [2])):
            told = {"kind": kind, "strategy_note": f"a {kind}", "reflection": "r"}
            await agent.call("post_conclusion", claim_id=claim_id, submission_ids=cited, **told)
        report.print_report(chosen, "", as_json=True)
        told = json.loads(capsys.readouterr().out)
        report.print_report(chosen, "double", as_json=False)
        text = capsys.readouterr().out
    assert told["champion"]["submission_id"] == 1
    assert told["speedup"]["estimate"] == pytest.approx(1.35, abs=0.01)
    assert [w["note"] for w in told["wins"]] == ["a win"]
    assert [t["note"] for t in told["traps"]] == ["a trap"]
    assert [r["status"] for r in told["refused"]] == ["INCORRECT_NUMERICAL"]
    assert told["claims"][0]["state"] == "live"
    for part in ("champion: submission 1 by ada", "a win", "a trap", "INCORRECT_NUMERICAL"):
        assert part in text
    assert (told["health"]["sigma"], told["health"]["aa_pairs"]) == (0.004, 6)
    assert "sigma 0.40% of a process pair, from 6 A/A pairs" in text


async def test_a_report_tells_the_health_of_the_gate(chosen: Settings, capsys):
    often = Policy(aa_every=2, planted_every=2, grand_every=2)
    async with serving(chosen, often) as running:
        async with connected(running) as agent:
            claim_id = await agent.claim()
            for source in ("gain 0.3", "gain 0.5", "gain 0.49"):
                answer = await agent.submit(claim_id, source)
                await agent.call("benchmark", submission_id=answer["submission_id"])
        await running.house.benches.named("cpu").pipeline.health.idle()
    report.print_report(chosen, "", as_json=True)
    told = json.loads(capsys.readouterr().out)
    report.print_report(chosen, "", as_json=False)
    text = capsys.readouterr().out
    assert told["health"]["false_promotions"] == told["health"]["planted_losses_missed"] == 0
    assert [g["ratio"] for g in told["health"]["grand_duels"]] == [1.221]
    assert [row["speedup"]["derived"] for row in told["leaderboard"]] == [False, True, False]
    assert "submission 2 against 1: 1.221 (1.215 to 1.228), gains so far 1.221" in text
    assert ", derived)  accepted  submission 3" in text


async def test_a_report_tells_forced_changes(chosen: Settings, capsys):
    async with (
        serving(chosen, Policy(lane_after=1, cooldown=0)) as running,
        connected(running) as agent,
    ):
        claim_id = await agent.claim()
        for source in ("gain 0.3", "gain 0.1"):
            answer = await agent.submit(claim_id, source)
            await agent.call("benchmark", submission_id=answer["submission_id"])
        await agent.claim()
    report.print_report(chosen, "", as_json=True)
    [change] = json.loads(capsys.readouterr().out)["forced_changes"]
    assert change["from_lane"] != change["to_lane"] is not None


def test_a_report_without_a_database_is_one_calm_line(tmp_path: Path, command):
    status, said = command("report", "--db", f"sqlite:///{tmp_path / 'none.db'}")
    assert (status, len(said.splitlines())) == (2, 1)
    assert said.startswith("kernelarc: --db: there is no database")


JUDGED = [
    # source, promotion required, exit status, decision
    pytest.param("gain 0.3", True, CORRECT, "promoted", id="faster"),
    pytest.param("gain 0.0", False, CORRECT, "accepted", id="as fast"),
    pytest.param("gain 0.0", True, NOT_PROMOTED, "accepted", id="as fast, but more was required"),
    pytest.param("wrong", False, REFUSED, "rejected", id="wrong"),
    pytest.param("broken", False, REFUSED, "rejected", id="does not compile"),
    pytest.param("forbidden", False, REFUSED, "rejected", id="refused by a rule"),
    pytest.param("gain 9.9", False, REFUSED, "suspect", id="too good to be true"),
]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("forbidden", "refused: odd-rule, does something odd (main.cpp:3)"),
        ("odd gain 0.3", "hint: odd-rule, does something odd (main.cpp:3)"),
    ],
)
def test_what_the_rules_say_is_in_the_judges_text(
    chosen: Settings, tmp_path: Path, capsys, source, line
):
    path = tmp_path / "main.cpp"
    path.write_text(source)
    given = {"language": None, "as_json": False, "promoted": False, "installed": plugins()}
    judge_files(chosen, chosen.problems / "double", path, **given)
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(("source", "promoted", "status", "decision"), JUDGED)
def test_a_solution_is_judged_without_a_server(
    chosen: Settings, tmp_path: Path, capsys, source, promoted, status, decision
):
    path = tmp_path / "main.cpp"
    path.write_text(source)
    found = judge_files(
        chosen,
        chosen.problems / "double",
        path,
        language=None,
        as_json=True,
        promoted=promoted,
        installed=plugins(),
    )
    told = json.loads(capsys.readouterr().out)
    assert (found, told["decision"]) == (status, decision)
    for trace in told["evaluations"]:
        assert list(trace) == ["definition", "workload", "solution", "evaluation"]
        assert {"status", "environment", "timestamp", "log"} <= set(trace["evaluation"])


def test_a_solution_that_is_wrong_on_a_hidden_shape_alone_is_refused(
    chosen: Settings, tmp_path: Path, capsys
):
    path = tmp_path / "main.cpp"
    path.write_text("narrow")
    for as_json in (True, False):
        found = judge_files(
            chosen, chosen.problems / "double", path, language=None, as_json=as_json,
            promoted=False, installed=plugins(),
        )  # fmt: skip
        assert found == REFUSED
        said = capsys.readouterr().out
        if as_json:
            told = json.loads(said)
            assert [t["evaluation"]["status"] for t in told["evaluations"]] == ["PASSED"] * 2
            hidden = {j["workload"]: j["evaluation"]["status"] for j in told["hidden"]}
            assert hidden == {"hidden-1": "PASSED", "hidden-2": "INCORRECT_NUMERICAL"}
        else:
            assert "  INCORRECT_NUMERICAL  hidden-2" in said


async def test_on_a_problem_that_is_not_admitted_nothing_is_promoted(
    chosen: Settings, capsys, monkeypatch
):
    probes = (Probe(workload="n4", impostor="zeros", refused=""),)
    monkeypatch.setattr("tests.server.fakes.PROBES", probes)
    async with serving(chosen) as running, connected(running) as agent:
        await agent.submit(await agent.claim(), "gain 0.3")
        told = await agent.call("benchmark", submission_id=1)
        report.print_report(chosen, "", as_json=False)
    assert "not admitted" in json.dumps(told)
    assert "nothing was promoted" in (text := capsys.readouterr().out)
    assert "not admitted: a wrong answer passes" in text


def test_what_is_never_timed_is_judged_without_a_duel(chosen: Settings, tmp_path: Path, capsys):
    path = tmp_path / "main.py"
    path.write_text("gain 0.3")
    status = judge_files(
        chosen, chosen.problems / "double", path,
        language="triton", as_json=True, promoted=True, installed=plugins(),
    )  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    assert (status, told["decision"], told["speedup"]) == (3, "accepted", None)
    assert told["note"] == "it is interpreted here, never timed"


async def test_a_campaign_is_ended_beside_a_running_server(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        claim_id = await agent.claim()
        report.end_campaign(chosen, "double")
        answer = await agent.refused(
            "compile_and_verify", claim_id=claim_id, language="cpp", source="gain 0"
        )
        assert answer["code"] == "campaign_closed"
        assert await agent.claim() != claim_id
        report.print_report(chosen, "double", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["campaign"]["ended"] is None
    assert len(told["other_campaigns"]) == 1


def test_a_judgement_is_told_as_text(chosen: Settings, tmp_path: Path, capsys):
    path = tmp_path / "main.cpp"
    path.write_text("wrong")
    judge_files(
        chosen, chosen.problems / "double", path,
        language="cpp", as_json=False, promoted=False, installed=plugins(),
    )  # fmt: skip
    said = capsys.readouterr().out
    assert said.startswith("rejected: ")
    assert "INCORRECT_NUMERICAL  N=128" in said


UNUSABLE = [
    # problem folder, solution file, language, error
    pytest.param("nothing", "main.cpp", None, MalformedProblem, id="no problem"),
    pytest.param("double", "none.cpp", None, MalformedSolution, id="no file"),
    pytest.param("double", "main.cpp", "cp", UnknownLanguage, id="no such language"),
]


@pytest.mark.parametrize(("folder", "name", "language", "error"), UNUSABLE)
def test_what_cannot_be_judged_is_refused(
    chosen: Settings, tmp_path: Path, folder, name, language, error
):
    (tmp_path / "main.cpp").write_text("gain 0.0")
    with pytest.raises(error):
        judge_files(
            chosen, chosen.problems / folder, tmp_path / name,
            language=language, as_json=True, promoted=False, installed=plugins(),
        )  # fmt: skip


def test_the_doctor_tells_what_works_and_why_not(chosen: Settings, capsys):
    examine(chosen, as_json=True, installed=plugins())
    told = json.loads(capsys.readouterr().out)
    assert told["devices"][0]["sandbox_grade"] == 2
    assert told["languages"]["cuda"]["reason"] == "there is no CUDA compiler"
    assert told["database"]["state"].startswith("usable")
    examine(chosen, as_json=False, installed=plugins())
    assert "sandbox grade 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        pytest.param(["--transport", "pigeon"], "must be http or stdio", id="transport"),
        pytest.param(["judge", ".", ".", "--require", "x"], "only promoted", id="require"),
        pytest.param(["serv"], "No such command", id="command"),
    ],
)
def test_bad_usage_ends_with_two(command, arguments: list[str], part: str):
    status, said = command(*arguments)
    assert status == 2
    assert part in said


def test_a_port_that_is_no_number_is_told_in_one_line(command, monkeypatch):
    monkeypatch.setenv("KERNELARC_PORT", "eight")
    status, said = command("report")
    assert (status, said) == (2, "kernelarc: KERNELARC_PORT: 'eight' is no port number.\n")


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process; give its exit status and what it said on stderr."""

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["kernelarc", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().err

    return run
