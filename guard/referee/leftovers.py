"""What a runner left on the disk. Start at `remove`. Not here: ending it (`runners`)."""

import contextlib
import os
import shutil


def remove(folder: str) -> None:
    """Remove a dead runner's folder, also what it closed to everybody; links are not followed."""
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
        for place, names, _ in os.walk(folder):
            for path in (os.path.join(place, name) for name in names):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
