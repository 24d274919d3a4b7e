"""Whether a compile failed for names that no header in reach has: then no header can help.

Compiling again with torch's own headers takes most of a minute, and does not help a misspelt name.
In doubt it is done all the same: a right source must never be refused. Start at `beyond_help`.
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

LOOK_S = 10.0
_ERROR = re.compile(r"\berror\s*:")
_UNKNOWN = (
    re.compile(r"error: '(\w+)' was not declared in this scope"),
    re.compile(r"error: '(\w+)' does not name a type"),
    re.compile(r'error: identifier "(\w+)" is undefined'),
)
# Torch's headers make such names by pasting parts together.
_PASTED = re.compile(r"k[A-Z]\w*|\w*_")


def beyond_help(output: str, folders: Sequence[Path]) -> bool:
    """Whether every error is about a name that occurs in no file below `folders`."""
    errors = [line for line in output.splitlines() if _ERROR.search(line)]
    names = {found[1] for line in errors for pattern in _UNKNOWN if (found := pattern.search(line))}
    about_names = all(any(pattern.search(line) for pattern in _UNKNOWN) for line in errors)
    if not names or not about_names or any(_PASTED.fullmatch(name) for name in names):
        return False
    return not _occurs(sorted(names), [str(f) for f in folders if f.is_dir()])


def _occurs(names: Sequence[str], folders: Sequence[str]) -> bool:
    wanted = [part for name in names for part in ("-e", name)]
    try:
        ran = subprocess.run(
            ["grep", "-rqwF", *wanted, "--", *folders],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LOOK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    # 1 says that there is none; anything else is no answer.
    return ran.returncode != 1
