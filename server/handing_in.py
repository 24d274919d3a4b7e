"""Read what an agent hands in into a `Solution`, or say which field does not fit.

Start at `read_solution`. Not here: what a language accepts (`guard.languages`).
"""

import shlex
from typing import NamedTuple

from pydantic import ValidationError

from guard.domain.errors import MalformedSolution, SourceTooLarge
from guard.domain.problem import Problem
from guard.domain.solution import MAX_SOURCE_BYTES, LaunchPlan, Solution, Source
from server.library import Library


class HandedIn(NamedTuple):
    """The arguments of `compile_and_verify` that make a solution."""

    language: str
    source: str
    destination_passing_style: bool = True
    entry_point: str = "run"
    launch_plan: str = ""
    options: str = ""


def read_solution(given: HandedIn, problem: Problem, library: Library) -> Solution:
    """Make a solution and let its language check it.

    Raises:
        CallerError: the language is not here, the source is too large, or a field does not fit.
    """
    language = library.language(given.language)
    size = len(given.source.encode())
    if size > MAX_SOURCE_BYTES:
        raise SourceTooLarge(size, MAX_SOURCE_BYTES)
    options, plan = _options(given.options), _plan(given.launch_plan)
    try:
        solution = Solution(
            definition=problem.definition.name,
            language=given.language,
            sources=(Source(path="solution" + language.suffix, content=given.source),),
            entry_point=given.entry_point,
            destination_passing_style=given.destination_passing_style,
            options=options,
            launch_plan=plan,
        )
    except ValidationError as error:
        raise _malformed(error) from error
    language.check(solution)
    return solution


def _options(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise MalformedSolution("options", str(error)) from error


def _plan(text: str) -> LaunchPlan | None:
    if not text.strip():
        return None
    try:
        return LaunchPlan.model_validate_json(text)
    except ValidationError as error:
        raise _malformed(error, "launch_plan") from error


def _malformed(error: ValidationError, *within: str) -> MalformedSolution:
    first = error.errors(include_url=False)[0]
    return MalformedSolution(".".join(str(part) for part in (*within, *first["loc"])), first["msg"])
