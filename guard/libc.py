"""System calls that no library offers together, by ctypes: each raises, or says what stopped it.

Start at `call`. Not here: what the calls are for (`sandbox`, `landlock`, `seccomp`).
"""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> int:
    """Call one function of the C library.

    Raises:
        OSError: it answered less than zero.
    """
    answer = int(getattr(_libc, name)(*arguments))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def tried(name: str, *arguments: object) -> OSError | None:
    """Call it; the error that stopped it, or none."""
    try:
        call(name, *arguments)
    except OSError as error:
        return error
    return None
