"""Text from a candidate or an agent, made safe to show: nothing in it can hide, move or end a line.

Start at `plain`. Not here: how much of it is shown (`server.answers`, `guard.compile`).
"""

import re
import unicodedata

# A terminal's escape sequences, whole: without its escape the rest would stay as litter.
_ESCAPES = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[@-_]"
)
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that no font draws."""


def plain(text: str) -> str:
    """The text without escape sequences, control, direction, zero-width and unassigned characters.

    Newlines and tabs stay; lone surrogates go, so the result can always be encoded.
    """
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    if text.isascii() and text.isprintable():
        return text
    return "".join(c for c in text if c in "\n\t" or _shown(c))


def one_line(text: str) -> str:
    """Plain text on one line: a newline in it cannot begin a line of ours."""
    return " ".join(plain(text).split())


def _shown(character: str) -> bool:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return False
    return character not in _BLANK and not _selects_variation(character)


def _selects_variation(character: str) -> bool:
    # Invisible, and 256 of them: whole texts have been hidden in them.
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
