"""What may be set from outside: the only reader of the environment.

Every field can be given as ``KERNELARC_<NAME>``; command line options win over it. Start at
`read_settings`. Not here: the rules of a campaign (`guard.domain.decision.Policy`).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guard.domain.errors import BadValue

PREFIX = "KERNELARC_"
MAX_PORT = 65_535
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PACKAGED_PROBLEMS = Path(__file__).resolve().parent.parent / "examples" / "problems"


@dataclass(frozen=True)
class Settings:
    """All that a host may choose."""

    db: str
    """SQLAlchemy URL of the board."""
    problems: Path
    """Folder with one folder per problem."""
    host: str = "127.0.0.1"
    port: int = 8765
    """0 takes any free port."""
    device: str = "auto"
    """A device's name such as ``cpu`` or ``cuda:0``; ``auto`` offers every device found."""
    token: str = ""
    """Bearer token that the stdio bridge presents."""
    allowed_hosts: tuple[str, ...] = ()
    """Further host names that requests may address, comma separated in the environment."""
    log_level: str = "INFO"
    include: tuple[Path, ...] = ()
    """Folders with further headers, which every compiler finds and every runner may read."""
    python: tuple[Path, ...] = ()
    """Folders at the end of every runner's Python path, which it may read."""
    policy: Path | None = None
    """File with the fields of the Policy that campaigns are started with."""

    @property
    def for_referees(self) -> Mapping[str, str]:
        """What referees are told of it, by the names under which it was read."""
        told = {"INCLUDE": self.include, "PYTHON": self.python}
        return {PREFIX + name: os.pathsep.join(map(str, all_)) for name, all_ in told.items()}

    @property
    def url(self) -> str:
        """Where clients on this machine reach the server."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/mcp"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    def with_options(self, **options: Any) -> "Settings":
        """The same with the options that were given (None means: not given)."""
        return replace(self, **{name: v for name, v in options.items() if v is not None})


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the environment once."""
    read = os.environ if environment is None else environment

    def text(name: str, default: str) -> str:
        return read.get(PREFIX + name, "").strip() or default

    return Settings(
        db=text("DB", _default_db(read)),
        problems=Path(text("PROBLEMS", str(_default_problems()))),
        host=text("HOST", "127.0.0.1"),
        port=_port(text("PORT", "8765")),
        device=text("DEVICE", "auto"),
        token=text("TOKEN", ""),
        allowed_hosts=tuple(filter(None, text("ALLOWED_HOSTS", "").replace(" ", "").split(","))),
        log_level=text("LOG_LEVEL", "INFO").upper(),
        include=_folders("INCLUDE", text("INCLUDE", "")),
        python=_folders("PYTHON", text("PYTHON", "")),
        policy=Path(named) if (named := text("POLICY", "")) else None,
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise BadValue(PREFIX + "PORT", f"{text!r} is no port number.")
    return int(text)


def _folders(name: str, text: str) -> tuple[Path, ...]:
    folders = tuple(map(Path, filter(None, text.split(os.pathsep))))
    for folder in folders:
        # What is everything would open everything, and what is relative means another place there.
        if not folder.is_absolute() or not folder.is_dir() or folder == folder.parent:
            reason = f"{str(folder)!r} is not an existing folder below /, in full."
            raise BadValue(PREFIX + name, reason)
    return folders


def _default_db(environment: Mapping[str, str]) -> str:
    home = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return f"sqlite:///{Path(home) / 'kernelarc' / 'kernelarc.db'}"


def _default_problems() -> Path:
    return PACKAGED_PROBLEMS if PACKAGED_PROBLEMS.is_dir() else Path("problems")
