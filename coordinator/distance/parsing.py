"""Reads expressions of C++ and Python.

    words -> Expression, Expression…

Forgiving: what cannot be read is passed over, since a compiler has the last word on what is a
program. Start at `read_expressions`. Not here: statements (`tree`, `layout`).
"""

from collections.abc import Sequence

from coordinator.distance.syntax import (
    MARKS,
    NOTHING,
    POWER,
    TYPES,
    Expression,
    is_name,
    template_end,
)

MAX_NESTED = 40
"""Expressions inside each other; what is deeper is not looked at."""
CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "bit_cast"))
_ASSIGNS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=",
                      "//=", "@=", ":="))  # fmt: skip
_ONLY_PYTHON = frozenset(("//", "**", "//=", "**=", "@", "@=", ":=", "or", "and", "in", "is"))
_PREFIXES = frozenset(("-", "+", "!", "~", "*", "&", "not", "await", "**", "throw", "delete"))
_ENDS = frozenset((")", "]", "}", ",", ";", ":", "for", "else", "if"))


def read_expressions(words: Sequence[str], *, python: bool) -> tuple[Expression, ...]:
    """The expressions of a statement, between its commas; of Python, one."""
    parser = _Parser(words, python)
    found = parser.several(())
    if not python:
        return found
    whole = found[0] if len(found) == 1 else Expression("list", "", found)
    return (parser.assigned(whole),)


class _Parser:
    def __init__(self, words: Sequence[str], python: bool) -> None:
        self._words = list(words)
        self._at = 0
        self._python = python
        self._depth = 0

    # --- words --------------------------------------------------------------------------------

    def _word(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._words[at] if at < len(self._words) else ""

    def _mark(self) -> tuple[str, int]:
        """The operator here and of how many words it is made."""
        first = self._word()
        if is_name(first) or len(first) > 1:
            return first, 1
        for length in (3, 2):
            text = "".join(self._words[self._at : self._at + length])
            if text in MARKS and len(text) == length:
                if text in _ONLY_PYTHON and not self._python:
                    continue
                if text in ("++", "--") and self._python:
                    continue
                return text, length
        return first, 1

    # --- lists --------------------------------------------------------------------------------

    def several(self, closing: tuple[str, ...]) -> tuple[Expression, ...]:
        """Expressions between commas, up to a closing word, which is passed."""
        found: list[Expression] = []
        while self._at < len(self._words):
            word = self._word()
            if word in closing:
                self._at += 1
                break
            if not closing and word == "=" and self._python:
                break
            before = self._at
            if word == ",":
                self._at += 1
                continue
            one = self._argument()
            if self._at == before:
                self._at += 1
            else:
                found.append(one)
        return tuple(found)

    def assigned(self, target: Expression) -> Expression:
        """What Python assigns to one or several targets, each of its own."""
        if self._word() != "=":
            return target
        self._at += 1
        found = self.several(())
        value = found[0] if len(found) == 1 else Expression("list", "", found)
        return Expression("assign", "=", (target, self.assigned(value)))

    def _argument(self) -> Expression:
        """One of several: it may be named, or be a slice."""
        named = is_name(self._word()) and self._word(1) == "=" and self._word(2) != "="
        if named and self._python and self._depth:
            name = self._word()
            self._at += 2
            return Expression("keyword", name, (self.one(),))
        first = NOTHING if self._word() == ":" else self.one()
        if self._word() == "for" and self._python:
            return self._comprehension(first)
        if self._word() != ":":
            return first
        parts = [first]
        while self._word() == ":":
            self._at += 1
            parts.append(NOTHING if self._word() in _ENDS or not self._word() else self.one())
        return Expression("slice", "", tuple(parts))

    def _comprehension(self, value: Expression) -> Expression:
        self._at += 1
        target = self._operand()
        while self._word() not in ("in", ""):
            self._at += 1
        self._at += 1
        over = self.one(2)
        while self._word() in ("if", "for"):
            self._at += 1
            self.one(2)
        return Expression("comprehension", "", (value, target, over))

    # --- expressions --------------------------------------------------------------------------

    def one(self, least: int = 0) -> Expression:
        """One expression whose operators bind at least so strongly."""
        self._depth += 1
        left = self._operand() if self._depth < MAX_NESTED else self._skipped()
        while self._at < len(self._words) and self._depth < MAX_NESTED:
            longer = self._longer(left, least)
            if longer is None:
                break
            left = longer
        self._depth -= 1
        return left

    def _skipped(self) -> Expression:
        self._at = len(self._words)
        return NOTHING

    def _longer(self, left: Expression, least: int) -> Expression | None:
        """The expression with the operator that follows, if there is one."""
        mark, length = self._mark()
        if mark in _ASSIGNS and least <= 1:
            if mark == "=" and self._python:
                return None
            self._at += length
            return Expression("assign", mark, (left, self.one(1)))
        if mark == "?" and least <= 2:
            self._at += 1
            first = self.one(1)
            self._at += self._word() == ":"
            return Expression("choice", "", (left, first, self.one(1)))
        if mark == "if" and self._python and least <= 2:
            self._at += 1
            condition = self.one(3)
            self._at += self._word() == "else"
            return Expression("choice", "", (condition, left, self.one(2)))
        if mark == "not" and self._word(1) == "in":
            self._at += 1
            return left
        power = POWER.get(mark, 0)
        if not power or power < least or (mark in _ONLY_PYTHON and not self._python):
            return None
        self._at += length
        return Expression("binary", mark, (left, self.one(power + 1)))

    def _operand(self) -> Expression:
        mark, length = self._mark()
        if mark in ("++", "--"):
            self._at += length
            return Expression("step", mark, (self.one(20),))
        if mark in ("&&", "**"):
            self._at += length
            return self.one(20)
        if mark in _PREFIXES:
            self._at += 1
            return Expression("unary", mark, (self.one(20 if mark != "not" else 5),))
        if mark == "lambda":
            return self._lambda()
        return self._followed(self._primary(mark))

    def _lambda(self) -> Expression:
        self._at += 1
        names = []
        while self._word() not in (":", ""):
            if is_name(self._word()):
                names.append(Expression("name", self._word()))
            self._at += 1
        self._at += 1
        return Expression("lambda", "", (self.one(2), *names))

    def _primary(self, word: str) -> Expression:
        if word == "(":
            return self._bracketed()
        if word in ("[", "{"):
            self._at += 1
            found = self.several(("]" if word == "[" else "}",))
            if word == "[" and not self._python and self._word() == "(":
                # The parameters of a lambda: its body is a statement of its own.
                self._at += 1
                self.several((")",))
                return NOTHING
            return Expression("list", "", found)
        if not word or word in _ENDS:
            return NOTHING
        self._at += 1
        if word[0].isdigit() or (word[0] == "." and self._word()[:1].isdigit()):
            return Expression("number", word)
        if word[0] == '"' and not self._python:
            return Expression("string", word[1:])
        if word in ("new", "sizeof"):
            return self._allocated(word)
        return Expression("name", word) if is_name(word) else NOTHING

    def _allocated(self, word: str) -> Expression:
        while is_name(self._word()) or self._word() in ("*", "<", ">"):
            self._at += 1
        if self._word() in ("[", "("):
            closing = "]" if self._word() == "[" else ")"
            self._at += 1
            given = self.several((closing,))
            return Expression("call", "", (Expression("name", word), *given))
        return Expression("call", "", (Expression("name", word),))

    def _bracketed(self) -> Expression:
        end = self._at + 1
        while end < len(self._words) and (is_name(self._words[end]) or self._words[end] in "*&<>"):
            end += 1
        inside = self._words[self._at + 1 : end]
        if not self._python and inside and self._words[end : end + 1] == [")"]:
            after = self._words[end + 1 : end + 2] or [""]
            known = any(word in TYPES or word.endswith("_t") for word in inside)
            known = known or inside[-1] in "*&"
            operand = is_name(after[0]) or after[0][:1].isdigit()
            if operand or (known and after[0] in ("(", "*", "&", "-", "{", "~")):
                self._at = end + 1
                return self.one(20)
        self._at += 1
        found = self.several((")",))
        comma = self._python and (len(found) != 1 or self._words[self._at - 2] == ",")
        return Expression("list", "", found) if comma or not found else found[-1]

    def _followed(self, found: Expression) -> Expression:
        """With calls, indices and members that follow."""
        while self._at < len(self._words):
            longer = self._suffixed(found)
            if longer is None:
                return found
            found = longer
        return found

    def _suffixed(self, found: Expression) -> Expression | None:
        word = self._word()
        if word == "<" and found.kind in ("name", "member") and not self._python:
            return self._template(found)
        if word == "<<<":
            self._at += 1
            end = self._words.index(">", self._at) if ">" in self._words[self._at :] else self._at
            while end < len(self._words) and self._words[end : end + 3] != [">"] * 3:
                end += 1
            self._at = end + 3
            self._at += self._word() == "("
            return Expression("launch", "", (found, *self.several((")",))))
        if word in ("(", "{") and (word == "(" or (found.kind == "name" and not self._python)):
            self._at += 1
            given = self.several((")" if word == "(" else "}",))
            return Expression("call", "", (found, *given))
        if word == "[":
            self._at += 1
            return Expression("index", "", (found, *self.several(("]",))))
        if word in (".", "->", "::") and is_name(self._word(1)):
            self._at += 2
            return Expression("member", self._word(-1), (found,))
        mark, length = self._mark()
        if mark in ("++", "--") and not is_name(self._word(length)) and self._word(length) != "(":
            self._at += length
            return Expression("step", mark, (found,))
        return None

    def _template(self, found: Expression) -> Expression | None:
        end = template_end(self._words, self._at)
        after = self._words[end] if 0 < end < len(self._words) else ""
        if not end or after not in ("(", "{", "<<<", "::", "."):
            return None
        inside, self._at = self._words[self._at + 1 : end - 1], end
        if found.text in CASTS and after == "(":
            self._at += 1
            given = self.several((")",))
            return given[-1] if given else NOTHING
        types = tuple(Expression("name", word) for word in inside if word != ",")
        return Expression("name", found.text, types) if found.kind == "name" else found
