"""List the plug-ins of a folder: every module in it defines one constant.

    languages -> LANGUAGE, devices -> DEVICE, executors -> EXECUTOR, formats -> FORMAT,
    rules -> RULE

Adding a plug-in is adding its file. Nothing here names one; a module whose name starts with an
underscore is a helper of its neighbours and is passed over.

Start at `load`. Not here: what a plug-in must be (`ports`).
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, overload

from guard.ports import Device, Executor, Format, Language, Rule


@overload
def load(folder: Literal["languages"]) -> Mapping[str, Language]: ...
@overload
def load(folder: Literal["devices"]) -> Mapping[str, Device]: ...
@overload
def load(folder: Literal["executors"]) -> Mapping[str, Executor]: ...
@overload
def load(folder: Literal["formats"]) -> Mapping[str, Format]: ...
@overload
def load(folder: Literal["rules"]) -> Mapping[str, Rule]: ...
def load(folder: str) -> Mapping[str, Any]:
    """Every plug-in of one kind by its name, in the order of their names; read once.

    Raises:
        ImportError: a module cannot be imported, lacks its constant, or repeats a name.
    """
    return _load(folder)


@cache
def _load(folder: str) -> Mapping[str, Any]:
    return MappingProxyType(scan(f"guard.{folder}", folder.removesuffix("s").upper()))


def scan(package: str, constant: str) -> dict[str, Any]:
    """The plug-ins of any package: the value of `constant` in each of its modules, by name.

    Raises:
        ImportError: a module cannot be imported, lacks its constant, or repeats a name.
    """
    found: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for module in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        if module.name.rpartition(".")[2].startswith("_"):
            continue
        plugin = _plugin(module.name, constant)
        other = owners.setdefault(plugin.name, module.name)
        if other != module.name:
            raise ImportError(
                f"Plug-ins {other} and {module.name} are both named {plugin.name!r}; rename one."
            )
        found[plugin.name] = plugin
    return dict(sorted(found.items()))


def _plugin(module: str, constant: str) -> Any:
    try:
        plugin = getattr(import_module(module), constant, None)
    except (ImportError, SyntaxError) as error:
        raise ImportError(f"Plug-in {module} cannot be imported: {error}.") from error
    if plugin is None:
        raise ImportError(f"Plug-in {module} must define {constant} (see guard/ports.py).")
    if not isinstance(getattr(plugin, "name", None), str) or not hasattr(plugin, "unavailable"):
        raise ImportError(f"{constant} of plug-in {module} needs `name` and `unavailable()`.")
    return plugin
