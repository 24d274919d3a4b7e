"""Write ``docs/tools.md`` from the tools themselves: ``python -m server.docs``.

The page is checked to be current, so it cannot drift from what agents see.

Start at `page`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.tools import Tool

from server import tools
from server.metrics import Metrics

TARGET = Path(__file__).resolve().parent.parent / "docs" / "tools.md"
INTRODUCTION = Path(__file__).with_name("tools_intro.md")


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION.read_text(encoding="utf-8").rstrip()]
    parts += ["\n".join(_section(tool)) for tool in tools.build(Metrics())]
    return "\n\n".join(parts) + "\n"


def _section(tool: Tool) -> Iterator[str]:
    hints = tool.annotations
    yield f"## `{tool.name}`"
    yield ""
    yield tool.description
    yield ""
    if hints is not None:
        yield f"*{'Reads only' if hints.read_only_hint else 'Writes'}" + (
            ", ends work in progress.*" if hints.destructive_hint else ".*"
        )
        yield ""
    yield "| argument | type | default | |"
    yield "|---|---|---|---|"
    required = tool.parameters.get("required", [])
    for name, schema in tool.parameters.get("properties", {}).items():
        default = "required" if name in required else f"`{schema.get('default')!r}`"
        yield f"| `{name}` | {_type(schema)} | {default} | {schema.get('description', '')} |"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value!r}`" for value in schema["enum"])
    kind = str(schema.get("type", ""))
    if kind == "array":
        kind = f"list of {schema.get('items', {}).get('type', '')}"
    bounds = [
        f"{word} {schema[key]}"
        for key, word in (
            ("minimum", "from"), ("maximum", "to"), ("minLength", "at least"),
            ("maxLength", "at most"), ("minItems", "at least"), ("maxItems", "at most"),
        )
        if key in schema
    ]  # fmt: skip
    return ", ".join([kind, *bounds])


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
