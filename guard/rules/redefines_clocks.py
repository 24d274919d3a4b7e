"""Refusal: C++ defines a function of the C library or the GPU runtime that measures or waits.

Only a definition at the outermost level counts, where it takes the other one's place for a linker.
"""

from collections.abc import Iterator, Sequence

from guard.rules._rule import Found, StaticRule, followed_by
from guard.source_file import SourceFile, Token

FUNCTIONS = (
    "clock_gettime", "gettimeofday", "cudaEventElapsedTime", "cudaEventRecord",
    "cudaEventSynchronize", "cudaDeviceSynchronize", "cudaStreamSynchronize", "cuEventRecord",
    "cuEventElapsedTime", "cuStreamSynchronize", "cuCtxSynchronize",
)  # fmt: skip


def _look(file: SourceFile) -> Found:
    for at in _outermost(file.tokens):
        token = file.tokens[at]
        called = token.text in FUNCTIONS and followed_by(file.tokens, at, "(")
        if called and _opens_body(file.tokens, at + 1):
            yield token.line, f"defines {token.text}"


def _outermost(tokens: Sequence[Token]) -> Iterator[int]:
    """Positions outside all braces; those of ``extern "C"`` do not count."""
    linkage: list[bool] = []
    for at, token in enumerate(tokens):
        if token.text == "{" and token.kind == "mark":
            before = tokens[max(0, at - 2) : at]
            linkage.append([t.text for t in before] == ["extern", "C"])
        elif token.text == "}" and token.kind == "mark" and linkage:
            linkage.pop()
        elif all(linkage):
            yield at


def _opens_body(tokens: Sequence[Token], at: int) -> bool:
    depth = 0
    for position in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[position].text, 0)
        if depth == 0:
            after = [t.text for t in tokens[position + 1 : position + 3]]
            return after[:1] == ["{"] or after == ["noexcept", "{"]
    return False


RULE = StaticRule(
    name="redefines-clocks",
    weight="refusal",
    summary="a clock, event or wait of the C library or the GPU runtime is defined anew",
    look=_look,
)
