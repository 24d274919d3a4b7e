"""The examples of docs/languages.md that have a launch plan; each computes y = x * scale."""

import re
from pathlib import Path

from guard.domain.solution import LaunchPlan

PAGE = Path(__file__).parents[3] / "docs" / "languages.md"
_TEXT = r"((?:(?!```).)*)"
_PAIR = re.compile(f"```(cpp|python)\n{_TEXT}```\n\n```json\n{_TEXT}```", re.DOTALL)
_KERNEL = {"cpp": ("cuda", "kernel.cu"), "python": ("triton", "kernel.py")}


def examples():
    """(language, file, source, plan) for every source that is followed by a plan."""
    for kind, source, plan in _PAIR.findall(PAGE.read_text("utf-8")):
        yield (*_KERNEL[kind], source, LaunchPlan.model_validate_json(plan))
