"""Refusal: torch's own operators are given another implementation, for everybody in the process."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, constant

OWN = ("aten", "prims", "prim")


def _look(file: SourceFile) -> Found:
    for call, called in file.calls:
        if called in ("torch.library.Library", "torch.library.impl") and call.args:
            namespace = constant(call.args[0]).partition("::")[0]
            if namespace in OWN:
                yield call.lineno, f"registers an implementation for {namespace}"
    for at, token in enumerate(file.tokens[:-2]):
        if token.text == "TORCH_LIBRARY_IMPL" and file.tokens[at + 2].text in OWN:
            yield token.line, f"registers an implementation for {file.tokens[at + 2].text}"


RULE = StaticRule(
    name="overrides-operators",
    weight="refusal",
    summary="torch's own operators (aten) are given another implementation",
    look=_look,
)
