"""Who calls: bearer tokens, or the one local user when no token exists.

An agent is a token plus the label it gives when it claims; afterwards its claim id identifies it.
While no token exists the server listens on loopback only, and rows are marked `LOCAL`.

Two checks, because the protocol answers before the board is open: `BearerGate` refuses over HTTP
as soon as it can know, and `identify` stands before every piece of work. Secrets are never logged.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from guard.domain.errors import Unauthenticated
from server.door import Door

LOCAL = "local"
"""The token's name on rows of unverified callers."""
_SCHEME = "bearer "


@dataclass(frozen=True)
class Caller:
    """Who a call is attributed to."""

    token: str
    """The token's name, or `LOCAL`."""

    @property
    def verified(self) -> bool:
        """Whether a token proves it."""
        return self.token != LOCAL


@dataclass(frozen=True)
class Tokens:
    """How secrets are looked up."""

    required: bool
    """Whether any token existed when the server started."""
    name_of: Callable[[str], str | None]
    """The name of the valid token with this secret; blocks on the database."""


async def identify(tokens: Tokens, headers: Mapping[str, str]) -> Caller:
    """Attribute a call by its Authorization header.

    Raises:
        Unauthenticated: tokens are in use and none that is valid was sent.
    """
    header = next((v for name, v in headers.items() if name.lower() == "authorization"), "")
    if header.lower().startswith(_SCHEME):
        name = await asyncio.to_thread(tokens.name_of, header[len(_SCHEME) :].strip())
        if name is not None:
            return Caller(name)
    if tokens.required:
        raise Unauthenticated
    return Caller(LOCAL)


class BearerGate:
    """ASGI middleware before ``/mcp``: 401 without a valid token, once tokens are in use.

    The answer names no authorisation server and no metadata: a client that sees OAuth hints would
    start a sign-in that this server does not have.
    """

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 401."""
        house = self._door.house
        if scope["type"] == "http" and house is not None and house.tokens.required:
            headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
            try:
                await identify(house.tokens, headers)
            except Unauthenticated as error:
                answer = {"error": "invalid_token", "error_description": error.message}
                refused = JSONResponse(answer, 401, headers={"WWW-Authenticate": "Bearer"})
                return await refused(scope, receive, send)
        return await self._app(scope, receive, send)
