"""What the words before a brace say: the name of a function, its parameters, a structure, a lambda.

Pure. Start at `parameters`. Not here: bodies (`tree`).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from coordinator.distance.syntax import is_name, template_end

_STRUCTS = ("struct", "class", "union")
_MARKS = ("__attribute__", "__launch_bounds__", "__align__", "alignas", "__cluster_dims__")


def function_name(head: Sequence[str]) -> str:
    """What a function's head calls it."""
    for at, word in enumerate(head[1:], 1):
        before = head[at - 1]
        if (word == "(" and head[max(0, at - 2)] == "operator") or before == "operator":
            return "operator" + (before if before != "operator" else word)
        if word == "(" and is_name(before) and before not in _MARKS:
            return before.rpartition(".")[2]
    return ""


def structure_name(head: Sequence[str]) -> str:
    """The name of the structure that a head begins, or nothing."""
    for at, word in enumerate(head):
        if word in _STRUCTS and (not at or head[at - 1] not in ("<", ",")):
            rest = list(head[at + 1 :])
            while rest[:1] and rest[0] in _MARKS and ")" in rest:
                rest = rest[rest.index(")") + 1 :]
            names = [name for name in rest if is_name(name)]
            return "" if "(" in rest else names[0] if names else "?"
    return ""


def sets_a_field(head: Sequence[str]) -> bool:
    """Whether the brace that follows sets a field, before the body of a constructor."""
    if len(head) < 4 or not is_name(head[-1]) or head[-2] not in (":", ","):
        return False
    before = list(head[:-1])
    return ")" in before and ":" in before[before.index(")") :] and not is_assignment(before)


def types_of(head: Sequence[str]) -> list[str]:
    """The names of what a template is given, in order."""
    if head[:2] != ("template", "<") and list(head[:2]) != ["template", "<"]:
        return []
    end = template_end(head, 1) or 2
    return [word for word, after in pairwise(head[2:end]) if is_name(word) and after in ",>="]


def lambda_start(head: Sequence[str]) -> int:
    """Where a lambda without a name begins whose body follows; 0: there is none."""
    at = len(head) - 1
    while at > 0 and head[at] in ("mutable", "noexcept", "constexpr"):
        at -= 1
    if at > 0 and head[at] == ")":
        at = _opening(head, at) - 1
        at -= head[at : at + 1] in (["__device__"], ["__host__"])
    if at <= 0 or head[at] != "]":
        return 0
    start = _opening(head, at)
    return start if start > 0 and not (is_name(head[start - 1]) or head[start - 1] in ")]") else 0


def _opening(head: Sequence[str], at: int) -> int:
    """Where the bracket that closes at `at` was opened."""
    depth = 0
    for here in range(at, -1, -1):
        depth += (head[here] in ")]") - (head[here] in "([")
        if depth == 0:
            return here
    return 0


def lambda_name(head: Sequence[str]) -> str:
    """The name that a lambda is given here, or nothing."""
    if "=" not in head:
        return ""
    at = head.index("=")
    introduced = head[at + 1 : at + 2] == ["["] and head[-1] in (")", "]", "mutable")
    return head[at - 1] if introduced and at else ""


class Parameter(NamedTuple):
    """One parameter of a function."""

    name: str
    pointer: bool
    """Whether it points to something."""
    refers: bool
    """Whether it is another name for what it is given."""
    default: tuple[str, ...] = ()


def parameters(head: Sequence[str]) -> tuple[Parameter, ...]:
    """A function's parameters, from its head."""
    if "[" in head and "=" in head and head.index("=") < head.index("["):
        opened = head.index("(") if "(" in head else len(head)
    else:
        opened = _first_bracket(head)
    found: list[Parameter] = []
    depth, piece = 0, [""]
    for word in head[opened + 1 :]:
        depth += (word in "([{<") - (word in ")]}>")
        if depth < 0 or (word == "," and depth == 0):
            found.append(_parameter(piece))
            piece = [""]
            if depth < 0:
                break
        else:
            piece.append(word)
    return tuple(one for one in found if one.name)


def refers(head: Sequence[str]) -> bool:
    """Whether a function gives a reference."""
    at = _first_bracket(head)
    before = head[:at][::-1]
    for word in before[1:5]:
        if word == "&":
            return True
        if word not in ("operator", "[", "]", "(", ")"):
            return False
    return False


def _first_bracket(head: Sequence[str]) -> int:
    name = function_name(head)
    for at, word in enumerate(head[1:], 1):
        if word != "(":
            continue
        if name.startswith("operator") and "operator" in head[:at] and head[at - 1] != "operator":
            return at
        if head[at - 1].rpartition(".")[2] == name:
            return at
    return len(head)


def _parameter(piece: Sequence[str]) -> Parameter:
    pointer = "*" in piece or "[" in piece or "vector" in piece
    refers = "&" in piece
    default: tuple[str, ...] = ()
    if "=" in piece:
        default = tuple(piece[piece.index("=") + 1 :])
    for stop in ("=", ":", "["):
        if stop in piece:
            piece = piece[: piece.index(stop)]
    names = [word for word in piece if is_name(word) and word not in _MARKS]
    return Parameter(names[-1] if names else "", pointer, refers, default)


def is_assignment(head: Sequence[str]) -> bool:
    """Whether words assign something, and are no head: a default value stands in brackets."""
    if head[:1] == ["template"] or "operator" in head:
        return False
    depth = 0
    for word in head:
        depth += (word in "([{") - (word in ")]}")
        if word == "=" and depth == 0:
            return True
    return False
