"""Options that several benchmarks have, and what they mean on this host.

Start at `first_device`. Not here: what a benchmark does with them.
"""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from benchmarks._stream import templates
from guard import plugins
from guard.ports import DeviceIdentity

NO_DEVICE = 2
"""How a benchmark ends where the device it needs is missing."""


class Kind(StrEnum):
    """A kind of device."""

    CPU = "cpu"
    NVIDIA = "nvidia"


USUAL = {Kind.CPU: "cpp", Kind.NVIDIA: "triton"}
"""What candidates are written in unless an option says otherwise."""


def _listed(name: str) -> str:
    if name and name not in templates():
        raise typer.BadParameter(f"{name!r} is none of {', '.join(templates())}")
    return name


DeviceOption = Annotated[
    Kind | None, typer.Option(help="Kind of device; else nvidia where there is one.")
]
LanguageOption = Annotated[
    str,
    typer.Option(
        callback=_listed,
        help=f"{', '.join(templates())}; else triton, on a CPU cpp.",
        metavar="NAME",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def usual_kind() -> Kind:
    """The kind of device that is worth measuring here."""
    return Kind.NVIDIA if plugins.load("devices")[Kind.NVIDIA].found() else Kind.CPU


def first_device(kind: Kind) -> DeviceIdentity:
    """The first device of this kind.

    Raises:
        typer.Exit: there is none, which has been said.
    """
    device = plugins.load("devices")[kind]
    if why := device.unavailable():
        print(f"A device of kind {kind} is needed: {why}.", file=sys.stderr)
        raise typer.Exit(NO_DEVICE)
    return device.found()[0]
