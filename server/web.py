"""What stands before the whole web application: which hosts may be addressed, by whom.

A page in a browser can make requests to loopback (DNS rebinding), so every request must name a
host of ours, and a request with an Origin must come from that same host. Any port will do: a
tunnel keeps the name and changes the port.

Where a message is no JSON-RPC, the SDK's transport answers with the text of its parser's error:
types of a library, and what the caller sent. `short_refusals` says it in one sentence.

Start at `HostGuard`. Not here: tokens (`auth`), the pages (`app`).
"""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INVALID_REQUEST = -32600
_NO_MESSAGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": INVALID_REQUEST, "message": "Invalid request: no JSON-RPC 2.0 message."},
}


class HostGuard:
    """Outermost ASGI middleware: 421 for a foreign Host, 403 for a foreign Origin."""

    def __init__(self, app: ASGIApp, allowed: Iterable[str]) -> None:
        self._app = app
        self._allowed = frozenset(name.casefold() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "http":
            headers = {k: v.decode("latin-1").strip() for k, v in scope["headers"]}
            refused = self._refusal(headers.get(b"host", ""), headers.get(b"origin"))
            if refused is not None:
                return await refused(scope, receive, send)
        return await self._app(scope, receive, send)

    def _refusal(self, host: str, origin: str | None) -> PlainTextResponse | None:
        if _name(f"//{host}") not in self._allowed:
            return PlainTextResponse("This host name is not served here.\n", 421)
        if origin is not None and _netloc(origin) != host.casefold():
            return PlainTextResponse("Requests from this origin are not served.\n", 403)
        return None


def short_refusals(app: ASGIApp) -> ASGIApp:
    """ASGI middleware around the SDK's transport: what its parser says reaches nobody."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        held: list[Message] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 400:
                held.append(message)
            elif not held:
                await send(message)
            else:
                held.append(message)
                if not message.get("more_body"):
                    await _released(held, scope, receive, send)

        await app(scope, receive, sending)

    return answer


async def _released(held: Sequence[Message], scope: Scope, receive: Receive, send: Send) -> None:
    body = b"".join(message.get("body", b"") for message in held[1:])
    if b"Validation error" in body:
        return await JSONResponse(_NO_MESSAGE, 400)(scope, receive, send)
    for message in held:
        await send(message)


def _netloc(url: str) -> str | None:
    try:
        return urlsplit(url).netloc.casefold()
    except ValueError:
        return None


def _name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""
