"""The words of a search, as an agent wrote it. Imports nothing heavy.

Start at `words_of`. Not here: searching for them (`search`).
"""

import re

MAX_WORDS = 8
_WORD = re.compile(r"[^\W_]+")


def words_of(asked: str) -> tuple[str, ...]:
    """The words of a search, without whatever a query language could mistake for its own."""
    found = dict.fromkeys(_WORD.findall(asked.lower()))
    return tuple(found)[:MAX_WORDS]
