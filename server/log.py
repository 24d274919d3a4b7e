"""Logs to stderr, one line an event; standard output stays free for answers.

Start at `configure`. Candidate text is never logged here: it is quoted in evaluations.
"""

import logging
import sys

from guard.plain import plain

_QUIET = ("mcp", "uvicorn", "httpx2", "sse_starlette")


class Plain(logging.Formatter):
    """Whatever an exception quotes cannot steer the terminal that shows the log."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines with a traceback, as plain text."""
        return plain(super().format(record))


def configure(level: str) -> None:
    """Send the standard library's loggers to stderr; quick, so it may run before everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Plain("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def configure_structlog() -> None:
    """Let structlog render key-value lines through the same handler."""
    import structlog

    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["event"]),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
