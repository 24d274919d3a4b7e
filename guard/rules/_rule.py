"""What every rule is made of: a name, a weight, a sentence, and a function over one file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from guard.domain.trace import Remark
from guard.source_file import SourceFile, Token

Found = Iterator[tuple[int, str]]
"""Line number and evidence, in our words: at most a name of the candidate's is repeated."""
MAX_EVIDENCE = 160


@dataclass(frozen=True)
class StaticRule:
    """One rule (see `guard.ports.Rule`)."""

    name: str
    weight: Literal["refusal", "hint"]
    summary: str
    look: Callable[[SourceFile], Found]

    def unavailable(self) -> str | None:
        """Never: a rule needs nothing but the text."""
        return None

    def find(self, file: SourceFile) -> Iterator[Remark]:
        """Everything in this file that the rule is about, in the order of the lines."""
        for line, evidence in sorted(set(self.look(file))):
            yield Remark(
                rule=self.name, path=file.path, line=line, evidence=evidence[:MAX_EVIDENCE]
            )


def followed_by(tokens: tuple[Token, ...], at: int, *texts: str) -> bool:
    """Whether these texts come right after the token at `at`."""
    return tuple(t.text for t in tokens[at + 1 : at + 1 + len(texts)]) == texts
