"""Read a campaign's Policy from a file: what it leaves out stays as it is.

    TOML or JSON text -> Policy | BadValue that names the field and its range

Start at `read_policy`. Not here: the fields themselves (`guard.domain.decision.Policy`).
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from guard.domain.decision import Policy
from guard.domain.errors import BadValue, did_you_mean

OPTION = "--policy"
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


def read_policy(path: Path | None) -> Policy:
    """The Policy that campaigns are started with; without a file, the house's own.

    Raises:
        BadValue: the file cannot be read, or a field is unknown or out of its range.
    """
    return Policy() if path is None else checked(_fields(path))


def checked(fields: dict[str, Any]) -> Policy:
    """A Policy of these fields.

    Raises:
        BadValue: one is unknown or out of its range.
    """
    known = Policy.model_fields
    for name in fields:
        if name not in known:
            reason = f"a Policy has no field {name!r}. {did_you_mean(name, known)}"
            raise BadValue(OPTION, reason)
    try:
        return Policy.model_validate(fields)
    except ValidationError as error:
        name = str(error.errors(include_url=False)[0]["loc"][0])
        given = json.dumps(fields[name], default=str)[:80]
        raise BadValue(
            f"{OPTION}: {name}", f"must be {range_of(name)}; got {given}.", hint=_meaning(name)
        ) from error


def range_of(name: str) -> str:
    """The values that a field may have, such as ``a whole number, at least 3, at most 8``."""
    whole = Policy.model_json_schema()
    schema = whole["properties"][name]
    schema = next((one for one in schema.get("anyOf", ()) if one["type"] != "null"), schema)
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    kind = "a whole number" if schema["type"] == "integer" else f"a {schema['type']}"
    bounds = [f"{words} {schema[key]:g}" for key, words in _BOUNDS.items() if key in schema]
    choices = [f"one of {', '.join(map(repr, schema['enum']))}"] if "enum" in schema else []
    return ", ".join([kind, *bounds, *choices])


def _meaning(name: str) -> str:
    return " ".join((Policy.model_fields[name].description or "").split())


def _fields(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise BadValue(OPTION, f"{str(path)!r} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise BadValue(OPTION, f"{str(path)!r} must hold an object of fields and values.")
    return found
