"""Build as a builder does, in this process: what it changes there is put back."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import torch


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


def architecture() -> str:
    """The GPU's, as a device identity names it."""
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}a" if major >= 9 else f"sm_{major}{minor}"
