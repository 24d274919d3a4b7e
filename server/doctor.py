"""Examine this host: what works, what does not, and why.

    plug-ins, one doctor order per device, the database -> facts -> text or JSON

Start at `examine`. Not here: the trying of sandbox layers (the referee does it).
"""

import asyncio
import json
import platform
import shutil
import subprocess
from importlib import metadata
from typing import Any

from coordinator.orders import Orders
from guard.domain.errors import KernelArcError
from guard.ports import DeviceIdentity
from guard.wire import DoctorOrder, DoctorReport
from memory.engine import open_database, read_holder
from server.bootstrap import EXECUTOR, Plugins, find_devices, load_plugins
from server.doctor_text import written
from server.settings import Settings

PACKAGES = (
    "kernelarc", "mcp", "pydantic", "sqlmodel", "uvicorn", "torch", "triton", "cuda-core",
)  # fmt: skip
COMPILERS = ("g++", "clang++", "nvcc")
LOOK_S = 10
DOCTOR_S = 120.0


def examine(settings: Settings, *, as_json: bool, installed: Plugins | None = None) -> None:
    """Print what was found.

    The database is tried as a server would open it: made or brought up to date, nothing else.
    """
    plugins = installed or load_plugins()
    devices = find_devices(plugins, settings.device)
    told = {
        "versions": _versions(),
        "devices": asyncio.run(_devices(devices, plugins, settings)),
        "device_kinds": {n: d.unavailable() or "available" for n, d in plugins.devices.items()},
        "languages": _languages(plugins, devices),
        "include": list(map(str, settings.include)),
        "python": list(map(str, settings.python)),
        "compilers": {name: _version_of(name) for name in COMPILERS},
        "database": _database(settings),
        "gpu_processes": _gpu_processes(),
    }
    print(json.dumps(told, indent=2) if as_json else written(told))


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "system": platform.platform()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


async def _devices(
    devices: tuple[DeviceIdentity, ...], plugins: Plugins, settings: Settings
) -> list[dict[str, Any]]:
    return [await _device(device, plugins, settings) for device in devices]


async def _device(device: DeviceIdentity, plugins: Plugins, settings: Settings) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": device.name,
        "kind": device.kind,
        "hardware": device.hardware,
        "architecture": device.architecture,
        "facts": dict(device.facts),
    }
    executor = plugins.executors[EXECUTOR]
    if (reason := executor.unavailable()) is not None:
        return {**told, "trouble": reason}
    referee = executor.open(device, settings.for_referees)
    try:
        asked = Orders(referee).place(DoctorOrder(), DoctorReport)
        report = await asyncio.wait_for(asked, DOCTOR_S)
    except (KernelArcError, TimeoutError) as error:
        return {**told, "trouble": str(error) or f"no answer within {DOCTOR_S:.0f} s"}
    finally:
        await referee.close()
    return {
        **told,
        "sandbox_grade": report.grade,
        "layers": [layer.model_dump() for layer in report.layers],
        "libs": report.libs,
        "canary": report.canary,
    }


def _languages(plugins: Plugins, devices: tuple[DeviceIdentity, ...]) -> dict[str, dict[str, Any]]:
    told = {}
    for name, language in plugins.languages.items():
        reason = language.unavailable()
        told[name] = {
            "available": reason is None,
            "reason": reason or "",
            "runs_on": {d.name: language.runs_on(d.kind) or "yes" for d in devices},
            "timed_on": {d.name: language.timed_on(d.kind) or "yes" for d in devices},
        }
    return told


def _version_of(compiler: str) -> str:
    path = shutil.which(compiler)
    if path is None:
        return "not found"
    lines = _said([path, "--version"]).splitlines()
    return f"{path}: {lines[0]}" if lines else path


def _database(settings: Settings) -> dict[str, Any]:
    holder = read_holder(settings.db)
    if holder is not None:
        return {"url": settings.db, "state": "held by a running server", "holder": holder}
    try:
        open_database(settings.db, exclusive=False).close()
    except KernelArcError as error:
        return {"url": settings.db, "state": "not usable", "reason": error.message}
    return {"url": settings.db, "state": "usable; no server holds it"}


def _gpu_processes() -> list[str]:
    """Processes that use a GPU now: foreign ones make timings unreliable."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    query = ["--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv,noheader"]
    return [line for line in _said([tool, *query]).splitlines() if line.strip()]


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LOOK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no answer: {error}"
    return done.stdout
