"""Serve over HTTP: take the port, listen, stop gracefully.

The socket is taken before anything is imported or opened, so a busy port costs nothing, and a
client that connects early waits in the queue instead of being refused.

Start at `serve_http`. Not here: the application (`app`), the bridge for stdio clients (`stdio`).
"""

import errno
import gc
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from guard.domain.errors import BadValue, PortBusy, Unauthorised
from server.settings import Settings

if TYPE_CHECKING:
    from server.house import House
    from server.metrics import Metrics

STOP_S = 5
Build = Callable[["Metrics"], "House"]
_EVERYWHERE = ("0.0.0.0", "::")


def take_port(settings: Settings) -> socket.socket:
    """Bind and listen.

    Raises:
        PortBusy: another process listens there.
        BadValue: the address is not one of this machine's.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio switches Nagle's delay off only where the protocol is named: it costs 40 ms a call.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((settings.host, settings.port))
        taken.listen(128)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise PortBusy(settings.host, settings.port) from error
        raise BadValue("--host", f"{settings.host!r} cannot be used: {error.strerror}.") from error
    return taken


def serve_http(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises:
        CallerError: the port, the database or an option cannot be used.
    """
    if settings.host in _EVERYWHERE and not settings.allowed_hosts:
        raise BadValue(
            "--host",
            "listening on every address needs the host names that clients will use.",
            hint="Set KERNELARC_ALLOWED_HOSTS to them, separated by commas.",
        )
    with take_port(settings) as taken:
        settings = settings.with_options(port=taken.getsockname()[1])
        build = _builder(settings)
        signal.signal(signal.SIGTERM, _exit)
        signal.signal(signal.SIGINT, _exit)
        _run(settings, taken, build)


def _run(settings: Settings, taken: socket.socket, build: Build) -> None:
    # Importing makes a million objects that all stay: collecting among them costs a tenth of the
    # start, and finds nothing.
    gc.disable()
    import uvicorn

    from server.app import create_app
    from server.door import Door
    from server.metrics import Metrics

    metrics = Metrics()
    door = Door(lambda: build(metrics))

    def failed() -> None:
        server.should_exit = True

    app = create_app(settings, door, metrics, failed)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=STOP_S,
    )
    server = uvicorn.Server(config)
    gc.freeze()
    gc.enable()
    server.run(sockets=[taken])
    if door.failure is not None:
        raise door.failure


def _builder(settings: Settings) -> Build:
    def build(metrics: "Metrics") -> "House":
        # Imported by the thread that builds: `tools/list` does not wait for the database layer.
        from server.bootstrap import open_house

        return open_house(settings, metrics)

    if not settings.loopback:
        _require_tokens(settings)
    return build


def _require_tokens(settings: Settings) -> None:
    """Beyond loopback nothing is answered before it is known that tokens are in use."""
    from memory import views
    from memory.engine import open_database

    database = open_database(settings.db, exclusive=False)
    try:
        if all(token.revoked_s is not None for token in views.tokens(database)):
            raise Unauthorised(settings.host)
    finally:
        database.close()


def _exit(number: int, _: FrameType | None) -> None:
    # uvicorn has stopped by the time it hands the signal on: a clean end, not a death by signal.
    sys.exit(0)
