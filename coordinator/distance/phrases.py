"""Small questions about the words of one expression. Pure; nothing is known of the program.

Start anywhere. Not here: what the words stand for (`expressions`).
"""

from collections.abc import Sequence

from coordinator.distance.facts import Fact, is_name
from coordinator.distance.preprocess import arguments

CASTS = ("_cast", "cvta_generic_to_shared", "assume_aligned")
QUALIFIERS = ("const", "return", "else", "static", "auto")


def follow(words: Sequence[str], at: int, end: int, brackets: list[bool]) -> None:
    """Keep count of open brackets: whether what is in them no longer points where it did."""
    for here in range(at, end):
        if words[here] in ("(", "[", "{"):
            before = words[here - 1] if here else ""
            called = is_name(before) and not before.endswith(CASTS) and before not in QUALIFIERS
            brackets.append(words[here] != "(" or called)
        elif words[here] in (")", "]", "}") and brackets:
            brackets.pop()


def last_operation(words: Sequence[str]) -> frozenset[str]:
    """What an expression does last; empty where it is a single name or call."""
    depth = 0
    seen = set()
    for at, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if depth == 0 and at and words[at - 1] not in "=(,?:<>*/+-":
            seen.add(word)
    if "?" in seen:
        return frozenset(("max",)) if seen & {"<", ">"} else frozenset()
    if seen & {"+", "-"}:
        return frozenset(("sum",))
    return frozenset(("product",)) if seen & {"*", "/"} else frozenset()


def without_brackets(words: Sequence[str]) -> Sequence[str]:
    """Without brackets around the whole."""
    for _ in range(8):
        if not words or words[0] != "(" or arguments(words, 0)[1] != len(words):
            break
        if words[-1] != ")":
            break
        words = words[1:-1]
    return words


def is_factor(words: Sequence[str], at: int) -> bool:
    """Whether what stands at `at` is multiplied."""
    if at and words[at - 1] == "*":
        return True
    if words[at + 1 : at + 2] and words[at + 1] == "[":
        at = arguments(words, at + 1)[1] - 1
    return at + 1 < len(words) and words[at + 1] == "*"


def is_polynomial(name: str, value: Fact, words: Sequence[str]) -> bool:
    """Whether it is a step of a polynomial: a value times something, and something more."""
    places = [at for at, word in enumerate(words) if word == name]
    if "fma" in value.ops:
        return any(words[at + 1 : at + 2] in ([","], (",",)) for at in places)
    return "sum" in value.ops and any(is_factor(words, at) for at in places)


def after_template(words: Sequence[str], at: int) -> int:
    """Where the bracket of a call stands whose template arguments begin at `at`; 0: none."""
    for end in range(at + 1, min(at + 12, len(words) - 1)):
        if words[end] == ">" and words[end + 1] == "(":
            return end + 1
    return 0
