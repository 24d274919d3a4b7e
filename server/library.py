"""What a server has to offer before any work is done: problems, languages, guides.

Start at `read_problems`. Not here: the formats (`guard.formats`), the catalogue's rules
(`coordinator.catalogue`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coordinator import playbooks
from coordinator.catalogue import Catalogue
from coordinator.playbooks import Playbook
from guard.domain.errors import (
    LanguageUnavailable,
    MalformedProblem,
    UnknownLanguage,
    UnknownProblem,
)
from guard.domain.problem import Problem
from guard.plain import plain
from guard.ports import Format, Language


@dataclass(frozen=True)
class Library:
    """Problems by name, languages by name, the catalogue of strategies, and the long guides."""

    problems: Mapping[str, Problem]
    broken: Mapping[str, str]
    """Folders that could not be read, with the reason."""
    languages: Mapping[str, Language]
    catalogue: Catalogue
    playbooks: Mapping[str, Playbook] = field(default_factory=playbooks.load)
    """The long guides by name."""

    def problem(self, name: str) -> Problem:
        """One problem.

        Raises:
            UnknownProblem: none has this name.
            MalformedProblem: its folder could not be read.
        """
        if name in self.broken:
            raise MalformedProblem(name, "not loaded", self.broken[name])
        if name not in self.problems:
            raise UnknownProblem(name, self.problems)
        return self.problems[name]

    def playbooks_for(self, problem: Problem, device_kind: str) -> tuple[Playbook, ...]:
        """The long guides written for such an operator on such a device."""
        families = self.catalogue.families_of(problem.definition)
        return tuple(p for p in self.playbooks.values() if p.fits(device_kind, families))

    def language(self, name: str) -> Language:
        """A language that works on this host.

        Raises:
            UnknownLanguage: none has this name.
            LanguageUnavailable: it cannot be used here.
        """
        if name not in self.languages:
            raise UnknownLanguage(name, self.languages)
        language = self.languages[name]
        if (reason := language.unavailable()) is not None:
            raise LanguageUnavailable(name, reason)
        return language


def read_problems(
    folder: Path, formats: Mapping[str, Format]
) -> tuple[dict[str, Problem], dict[str, str]]:
    """Read every problem folder below `folder`; one that is broken never hides the others."""
    problems: dict[str, Problem] = {}
    broken: dict[str, str] = {}
    if not folder.is_dir():
        raise MalformedProblem(str(folder), "problems", "is not a folder")
    for entry in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = next((f for f in formats.values() if f.recognises(entry)), None)
        if found is None:
            continue
        try:
            problem = found.read(entry)
        except MalformedProblem as error:
            broken[plain(entry.name)] = error.message
        else:
            problems[problem.name] = problem
    return problems, broken
