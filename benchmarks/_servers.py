"""Server processes that benchmarks start: ours on a folder of its own, and a bare one of the SDK.

    python -m benchmarks._servers PORT       serves the bare one until it is told to stop

The bare one has the same process model and transport options as ours and one tool that does
nothing. Start at `OwnServer` and `BareServer`.
"""

import sys
from pathlib import Path

from examples.stage import HOST, Server

DATABASE = "board.db"
NOTHING = "nothing"
"""The bare server's tool."""


class OwnServer(Server):
    """Our server, as an operator starts it, with the problems of this folder alone."""

    def __init__(self, folder: Path, device: str) -> None:
        super().__init__(str(folder / DATABASE), folder / "server.log", device=device)
        self._problems = folder / "problems"

    def command(self) -> list[str]:
        """How its process is started."""
        return [
            sys.executable, "-m", "server", "serve", "--host", HOST, "--port", str(self.port),
            "--db", self.db, "--device", self._device, "--problems", str(self._problems),
        ]  # fmt: skip


class BareServer(Server):
    """A server of the SDK with nothing of ours in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder / "none.db"), folder / "bare.log")

    def command(self) -> list[str]:
        """How its process is started."""
        return [sys.executable, "-m", "benchmarks._servers", str(self.port)]


def main(port: str) -> None:
    """Serve the bare one."""
    import uvicorn
    from mcp.server import MCPServer
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    from server.app import MAX_BODY_BYTES

    mcp = MCPServer("bare", log_level="WARNING")

    @mcp.tool(name=NOTHING)
    async def nothing() -> str:
        """Do nothing."""
        return "nothing"

    async def healthz(_: Request) -> PlainTextResponse:
        return PlainTextResponse("ready")

    app = mcp.streamable_http_app(
        stateless_http=True,
        json_response=False,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.routes.insert(0, Route("/healthz", healthz))
    uvicorn.run(app, host=HOST, port=int(port), log_config=None, access_log=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
