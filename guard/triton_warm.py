"""What Triton does in every process before its first kernel, done once for all runners.

It hashes its own library, which takes half a second, and compiles the C that loads kernels. A fork
inherits the hash; the compiled piece is put into each runner's cache.

    zygote: `warm` -> runner: `seed`

Start at `warm`. Not here: compiling a candidate's kernels (`triton_ahead`, or Triton itself at the
first call).
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

CACHE = "TRITON_CACHE_DIR"
_seeds: dict[str, bytes] = {}
"""Files of a cache by their path in it."""


def warm() -> None:
    """Hash, import and compile; needs a GPU's driver library, and creates no context."""
    cache: Any = import_module("triton.runtime.cache")
    cache.triton_key()
    # Imported at the first kernel otherwise.
    import_module("triton.experimental.gluon")
    driver: Any = import_module("triton.backends.nvidia.driver")
    with tempfile.TemporaryDirectory(prefix="kernelarc-") as folder, _caching_in(folder):
        try:
            driver.CudaUtils()
        except (RuntimeError, AssertionError, OSError, subprocess.CalledProcessError) as error:
            # No C compiler or no driver: the first candidate is told so by Triton itself.
            print(f"Triton's loader was not compiled ahead: {error}", file=sys.stderr, flush=True)
            return
        files = (path for path in Path(folder).rglob("*") if path.is_file())
        _seeds.update({str(path.relative_to(folder)): path.read_bytes() for path in files})


def seed(folder: Path) -> None:
    """Put what was compiled into this cache; what is there already stays."""
    for name, data in _seeds.items():
        target = folder / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


@contextmanager
def _caching_in(folder: str) -> Iterator[None]:
    before = os.environ.get(CACHE)
    os.environ[CACHE] = folder
    try:
        yield
    finally:
        os.environ.pop(CACHE)
        if before is not None:
            os.environ[CACHE] = before
