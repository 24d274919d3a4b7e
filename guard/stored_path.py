"""Find a stored tensor's file below a problem's folder, and never outside it.

Start at `find`. Not here: reading the file (`guard.referee.stored`).
"""

from pathlib import Path, PurePosixPath


def find(folder: Path, path: str) -> Path | None:
    """The file that a workload's `path` means, or None.

    As in SOL-ExecBench, leading parts of the path are dropped until it hits, so that a path
    written from a data set's root works inside a copied folder.

    Raises:
        ValueError: the path is absolute, has a ``..`` part, or a link leads out of the folder.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise ValueError("the path must be relative, without '..'")
    root = folder.resolve()
    for start in range(len(parts)):
        candidate = root.joinpath(*parts[start:])
        if candidate.is_file():
            if not candidate.resolve().is_relative_to(root):
                raise ValueError("the path leads out of the problem's folder")
            return candidate
    return None
