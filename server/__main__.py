"""The command line: ``python -m server`` or ``kernelarc``. Only options and their help lie here.

Each command imports what it needs when it runs, so that `serve` listens at once. An error that the
caller could have avoided is one calm line and exit status 2.

Start at `main`. Not here: what the commands do (`serve`, `stdio`, `judge`, `report`, `doctor`,
`campaign`, `problem`, `revoke`, `token`).
"""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from guard.domain.errors import CallerError, KernelArcError
from server.settings import read_settings

EXIT_USAGE = 2
EXIT_HOUSE = 75
_HELP = ("--help", "-h")


class ServeByDefault(TyperGroup):
    """Without a command, `serve` is meant: ``python -m server --port 9000`` works."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `serve` in front when the first word is no command."""
        if not args or (args[0].startswith("-") and args[0] not in _HELP):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=ServeByDefault,
    help="KernelArc: agents that make one GPU kernel faster, judged by a deterministic guard.",
    pretty_exceptions_enable=False,
    add_completion=False,
)
token_app = typer.Typer(help="Bearer tokens: one per agent instance.", no_args_is_help=True)
app.add_typer(token_app, name="token")
problem_app = typer.Typer(help="Problems: whether they can be trusted.", no_args_is_help=True)
app.add_typer(problem_app, name="problem")
campaign_app = typer.Typer(help="Campaigns: pause, resume, copy.", no_args_is_help=True)
app.add_typer(campaign_app, name="campaign")

Db = Annotated[str | None, typer.Option(help="Database URL, such as sqlite:////path/arc.db.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DeviceOption = Annotated[
    str | None, typer.Option(help="Device such as cpu or cuda:0; auto: all that are found.")
]
OpenProblem = Annotated[str, typer.Option(help="Its newest open campaign; else the newest of all.")]
Problems = Annotated[Path | None, typer.Option(help="Folder with one folder per problem.")]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port [8765]; 0: any free one.")
    ] = None,
    db: Db = None,
    problems: Problems = None,
    device: DeviceOption = None,
    policy: Annotated[
        Path | None, typer.Option(help="File (TOML or JSON) with fields of the campaigns' Policy.")
    ] = None,
    transport: Annotated[
        str, typer.Option(help="http, or stdio: join the server that holds the database.")
    ] = "http",
) -> None:
    """Serve agents over MCP (the default command)."""
    from server import log
    from server.serve import serve_http

    settings = read_settings().with_options(
        host=host, port=port, db=db, problems=problems, device=device, policy=policy
    )
    log.configure(settings.log_level)
    if transport == "http":
        serve_http(settings)
    elif transport == "stdio":
        from server.stdio import serve_stdio

        serve_stdio(settings)
    else:
        raise typer.BadParameter("must be http or stdio", param_hint="--transport")


@app.command()
def judge(
    problem_dir: Annotated[Path, typer.Argument(help="A problem folder.")],
    solution: Annotated[Path, typer.Argument(help="A solution.json or a bare source file.")],
    device: DeviceOption = None,
    language: Annotated[
        str | None, typer.Option(help="Language of a bare source; else by its suffix.")
    ] = None,
    as_json: Json = False,
    require: Annotated[
        str | None, typer.Option(help="promoted: exit 3 unless it beats the baseline.")
    ] = None,
) -> None:
    """Judge one solution against a problem's baseline, without a server.

    Exit status: 0 correct, 1 refused, 2 bad usage, 3 not promoted (with --require promoted).
    """
    from server.judge import judge_files

    settings = read_settings().with_options(device=device)
    if require not in (None, "promoted"):
        raise typer.BadParameter("only promoted can be required", param_hint="--require")
    status = judge_files(
        settings, problem_dir, solution, language=language, as_json=as_json,
        promoted=require is not None,
    )  # fmt: skip
    raise typer.Exit(status)


@app.command()
def doctor(db: Db = None, device: DeviceOption = None, as_json: Json = False) -> None:
    """Show devices, languages, compilers, the sandbox as tried, database and versions."""
    from server.doctor import examine

    examine(read_settings().with_options(db=db, device=device), as_json=as_json)


@app.command()
def report(
    db: Db = None,
    as_json: Json = False,
    problem: Annotated[
        str | None, typer.Option(help="Its newest campaign; else the newest of all.")
    ] = None,
    end: Annotated[
        bool, typer.Option("--end", help="End that campaign first; the next claim starts one.")
    ] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Draw every stored decision again instead.")
    ] = False,
) -> None:
    """Tell a campaign: champion, wins and traps, who held what, what was refused and why.

    Exit status with --replay: 0 every decision comes out the same, 1 one does not.
    """
    from server.report import end_campaign, print_report

    settings = read_settings().with_options(db=db)
    if replay:
        from server.replay import print_replay

        raise typer.Exit(print_replay(settings, problem or "", as_json=as_json))
    if end:
        end_campaign(settings, problem or "")
    print_report(settings, problem or "", as_json=as_json)


@app.command()
def revoke(
    submission: Annotated[int, typer.Argument(min=1, help="The submission's id.")],
    reason: Annotated[str, typer.Option(help="What was found out; every agent reads it.")],
    db: Db = None,
) -> None:
    """Take back a submission found out later; a server may run meanwhile.

    The same solution counts no more, under whatever claim. If it is the champion, the best one
    promoted or accepted before takes its place. Revoking twice changes nothing.
    """
    from server.revoke import revoke_submission

    revoke_submission(read_settings().with_options(db=db), submission, reason)


@problem_app.command("check")
def problem_check(
    folder: Annotated[Path, typer.Argument(help="A problem folder.")],
    device: DeviceOption = None,
    as_json: Json = False,
) -> None:
    """Offer wrong answers (zeros, a stale answer, ...) and say which ones would pass for right.

    Exit status: 0 admitted, 1 not admitted: candidates run, but nothing is promoted. 2 bad usage.
    """
    from server.problem import check

    raise typer.Exit(check(read_settings().with_options(device=device), folder, as_json=as_json))


@campaign_app.command("pause")
def campaign_pause(
    problem: OpenProblem = "",
    reason: Annotated[str, typer.Option(help="Why; every agent reads it.")] = "",
    db: Db = None,
) -> None:
    """Let a campaign take no new work until it is resumed; a server may run meanwhile.

    Jobs under way finish, claims are kept, agents are told to ask again later.
    """
    from server.campaign import move

    move(read_settings().with_options(db=db), problem, "paused", reason)


@campaign_app.command("resume")
def campaign_resume(problem: OpenProblem = "", db: Db = None) -> None:
    """Let a paused campaign go on; leases begin again where the pause found them."""
    from server.campaign import move

    move(read_settings().with_options(db=db), problem, "resumed")


@campaign_app.command("export")
def campaign_export(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    problem: Annotated[str, typer.Option(help="Its newest campaign; else the newest of all.")] = "",
    number: Annotated[int, typer.Option("--id", min=0, help="The campaign with this id.")] = 0,
    db: Db = None,
) -> None:
    """Write a campaign as lines of JSON, with all that its decisions rest on."""
    from server.copying import export

    export(read_settings().with_options(db=db), file, problem, number)


@campaign_app.command("import")
def campaign_import(
    file: Annotated[Path, typer.Argument(help="A file that `campaign export` wrote.")],
    db: Db = None,
) -> None:
    """Add a copied campaign to a board; one that was open comes in paused."""
    from server.copying import take_in

    take_in(read_settings().with_options(db=db), file)


@token_app.command("add")
def token_add(
    name: Annotated[str, typer.Argument(help="Name of the agent instance.")], db: Db = None
) -> None:
    """Make a token and print its secret, once."""
    from server import token

    token.add(read_settings().with_options(db=db), name)


@token_app.command("list")
def token_list(db: Db = None) -> None:
    """List tokens; their secrets are not stored."""
    from server import token

    token.show(read_settings().with_options(db=db))


@token_app.command("revoke")
def token_revoke(
    name: Annotated[str, typer.Argument(help="Name of the token.")], db: Db = None
) -> None:
    """End a token's validity at once."""
    from server import token

    token.revoke(read_settings().with_options(db=db), name)


def main() -> None:
    """Run a command; tell an avoidable error in one line."""
    try:
        app()
    except KernelArcError as error:
        said = " ".join(filter(None, (error.message, error.hint)))
        print(f"kernelarc: {said}", file=sys.stderr)
        sys.exit(EXIT_USAGE if isinstance(error, CallerError) else EXIT_HOUSE)


if __name__ == "__main__":
    main()
