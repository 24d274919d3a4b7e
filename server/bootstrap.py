"""The one place where real things meet: database, plug-ins, problems, devices, referees.

Everything else is given what it needs. Blocks on files, so a server calls it in a thread.

Start at `open_house`. Not here: serving (`serve`), settings (`settings`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from coordinator import catalogue
from coordinator.catalogue import Catalogue
from coordinator.claims import Claims
from coordinator.pipeline import Pipeline
from guard import plugins
from guard.domain.decision import Policy
from guard.domain.errors import JobLost, UnknownDevice
from guard.ports import Device, DeviceIdentity, Executor, Format, Language, Referee
from guard.wire import Progress
from memory import views
from memory.board import Board
from memory.engine import Database, open_database
from memory.records import Job
from server import log
from server.auth import Tokens
from server.benches import Bench, Benches
from server.boards import Boards
from server.campaigns import Campaigns
from server.claiming import Claiming
from server.house import House
from server.jobs import Jobs
from server.ladder import Ladder
from server.lessons import Lessons
from server.library import Library, read_problems
from server.metrics import Metrics
from server.policy import read_policy
from server.reading import Reading
from server.settings import Settings
from server.standing import Notices
from server.working import Working

AUTO = "auto"
EXECUTOR = "local"


@dataclass(frozen=True)
class Plugins:
    """Every plug-in of this installation, by name."""

    languages: Mapping[str, Language]
    devices: Mapping[str, Device]
    executors: Mapping[str, Executor]
    formats: Mapping[str, Format]


def load_plugins() -> Plugins:
    """List the four folders of plug-ins."""
    return Plugins(
        languages=plugins.load("languages"),
        devices=plugins.load("devices"),
        executors=plugins.load("executors"),
        formats=plugins.load("formats"),
    )


def find_devices(installed: Plugins, wanted: str) -> tuple[DeviceIdentity, ...]:
    """The devices of this host, or the one that was asked for.

    Raises:
        UnknownDevice: there is none of that name.
    """
    usable = [kind for kind in installed.devices.values() if kind.unavailable() is None]
    found = [device for kind in usable for device in kind.found()]
    if wanted == AUTO:
        return tuple(found)
    chosen = tuple(device for device in found if device.name == wanted)
    if not chosen:
        raise UnknownDevice(wanted, [device.name for device in found])
    return chosen


def open_house(
    settings: Settings,
    metrics: Metrics,
    installed: Plugins | None = None,
    policy: Policy | None = None,
) -> House:
    """Build everything that a server needs and hold the database.

    Raises:
        CallerError: the database is held or newer, a device or folder does not exist.
    """
    log.configure_structlog()
    database = open_database(settings.db)
    try:
        house = _furnish(settings, metrics, installed or load_plugins(), policy, database)
    except BaseException:
        database.close()
        raise
    database.note_holder(settings.url)
    return house


def _furnish(
    settings: Settings,
    metrics: Metrics,
    installed: Plugins,
    policy: Policy | None,
    database: Database,
) -> House:
    board = Board(database)
    problems, broken = read_problems(settings.problems, installed.formats)
    library = Library(problems, broken, installed.languages, catalogue.load())
    executor = installed.executors[EXECUTOR]
    benches = Benches(
        _bench(executor.open(device, settings.for_referees), board, database, library.catalogue)
        for device in find_devices(installed, settings.device)
    )
    devices = {device.name: device for device in benches.devices()}
    claims = Claims(board, database, library.catalogue, devices=devices)
    jobs = Jobs(
        database=database,
        board=board,
        run=_runner(database, benches),
        stop=_stopper(database, benches),
        metrics=metrics,
    )
    campaigns = Campaigns(database, policy or read_policy(settings.policy))
    lessons = Lessons(database, board)
    ladder = Ladder(database, library, benches, lessons)
    shared: dict[str, Any] = {"database": database, "library": library, "benches": benches}
    telling: dict[str, Any] = {**shared, "lessons": lessons, "ladder": ladder}
    writing: dict[str, Any] = {"board": board, "claims": claims}
    return House(
        settings=settings,
        database=database,
        tokens=_tokens(database),
        library=library,
        benches=benches,
        jobs=jobs,
        campaigns=campaigns,
        reading=Reading(**shared),
        boards=Boards(**telling),
        claiming=Claiming(**telling, **writing, campaigns=campaigns),
        working=Working(**shared, **writing, jobs=jobs, ladder=ladder),
        notices=Notices(database, claims.limits),
    )


def _bench(referee: Referee, board: Board, database: Database, strategies: Catalogue) -> Bench:
    return Bench(referee.device, referee, Pipeline(board, database, referee, strategies))


def _tokens(database: Database) -> Tokens:
    required = any(token.revoked_s is None for token in views.tokens(database))
    return Tokens(required=required, name_of=lambda secret: views.token_name(database, secret))


def _bench_of(database: Database, benches: Benches, job: Job) -> Bench:
    submission = views.submission(database, job.submission_id)
    if submission is None:
        raise JobLost(job.id, "its submission is not on the board")
    device = views.campaign(database, submission.campaign_id).device
    try:
        return benches.named(device)
    except UnknownDevice as error:
        raise JobLost(job.id, f"this server does not offer its device {device!r}") from error


def _runner(
    database: Database, benches: Benches
) -> Callable[[Job, Callable[[Progress], Awaitable[None]]], Awaitable[None]]:
    async def run(job: Job, progress: Callable[[Progress], Awaitable[None]]) -> None:
        pipeline = (await asyncio.to_thread(_bench_of, database, benches, job)).pipeline
        road = pipeline.verify if job.kind == "verify" else pipeline.benchmark
        await road(job, progress)

    return run


def _stopper(database: Database, benches: Benches) -> Callable[[Job, str], Awaitable[bool]]:
    async def stop(job: Job, reason: str) -> bool:
        bench = await asyncio.to_thread(_bench_of, database, benches, job)
        return await bench.pipeline.cancel(job.id, reason)

    return stop
