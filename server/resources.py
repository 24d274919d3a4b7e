"""Guides and problem files as MCP resources, for clients that prefer reading to asking.

Public texts of this installation only: nothing from the board, nothing from a candidate.

Start at `register`. Not here: the same facts as tool answers (`reading`).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from server.door import Door

if TYPE_CHECKING:
    from coordinator.playbooks import Playbook
    from guard.domain.problem import Problem, Workload

MARKDOWN = "text/markdown"


def register(mcp: MCPServer[Door], door: Door) -> None:
    """Offer the lists as resources and the texts as templates."""
    _register_guides(mcp, door)
    _register_problems(mcp, door)


def _register_guides(mcp: MCPServer[Door], door: Door) -> None:
    @mcp.resource("kernelarc://guides", mime_type=MARKDOWN)
    async def guides() -> str:
        """The short guides of the lanes and the playbooks, by name."""
        house = await door.enter()
        names = (*house.library.catalogue.guides, *house.library.playbooks)
        return _listed(f"kernelarc://guides/{name}" for name in names)

    @mcp.resource("kernelarc://guides/{name}", mime_type=MARKDOWN)
    async def guide(name: str) -> str:
        """One lane's guide, or a playbook's table of contents."""
        house = await door.enter()
        if name in house.library.playbooks:
            return _contents(house.library.playbooks[name])
        if name not in house.library.catalogue.guides:
            raise ResourceNotFoundError(f"No guide is named {name!r}: read kernelarc://guides.")
        return house.library.catalogue.guides[name]

    @mcp.resource("kernelarc://guides/{name}/{step}", mime_type=MARKDOWN)
    async def step(name: str, step: str) -> str:
        """One step of a playbook."""
        house = await door.enter()
        playbook = house.library.playbooks.get(name)
        found = playbook.step(step) if playbook is not None else None
        if found is None:
            raise ResourceNotFoundError(f"No such step: read kernelarc://guides/{name}.")
        return found.text


def _register_problems(mcp: MCPServer[Door], door: Door) -> None:
    @mcp.resource("kernelarc://problems", mime_type=MARKDOWN)
    async def problems() -> str:
        """The problem files by name."""
        house = await door.enter()
        return _listed(
            f"kernelarc://problems/{problem.name}/{file}"
            for problem in house.library.problems.values()
            for file in _files(problem)
        )

    @mcp.resource("kernelarc://problems/{problem}/{file}", mime_type="text/plain")
    async def problem_file(problem: str, file: str) -> str:
        """One file of a problem: its definition, workloads, reference or baseline."""
        house = await door.enter()
        known = house.library.problems.get(problem)
        files = _files(known) if known is not None else {}
        if file not in files:
            raise ResourceNotFoundError("No such problem file: read kernelarc://problems.")
        return files[file]


def _listed(uris: Iterable[str]) -> str:
    return "\n".join(f"- {uri}" for uri in uris)


def _contents(playbook: "Playbook") -> str:
    steps = "\n".join(
        f"- {step.title}: kernelarc://guides/{playbook.name}/{step.id}" for step in playbook.steps
    )
    return f"# {playbook.title}\n\n{playbook.introduction}\n\n{steps}\n"


def _files(problem: "Problem") -> dict[str, str]:
    # Written from the checked values, not read from disk: what is shown is what is judged.
    files = {
        "definition.json": problem.definition.model_dump_json(indent=2),
        "reference.py": problem.definition.reference,
        "workload.jsonl": _lines(problem.workloads),
        "cpu_workload.jsonl": _lines(problem.cpu_workloads),
        "baseline.py": problem.baseline_source,
    }
    return {name: text for name, text in files.items() if text}


def _lines(workloads: "Iterable[Workload]") -> str:
    return "\n".join(workload.model_dump_json() for workload in workloads)
