"""Build as a builder does, in this process: what it changes there is put back."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def isolated() -> Iterator[None]:
    """Put back the search path, the environment and the module of the candidate."""
    path, environment = list(sys.path), dict(os.environ)
    temporary, module = tempfile.tempdir, sys.modules.pop("candidate", None)
    try:
        yield
    finally:
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = temporary
        sys.modules.pop("candidate", None)
        if module is not None:
            sys.modules["candidate"] = module
