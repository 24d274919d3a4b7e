"""Let a fresh environment see the packages of the interpreter that runs this.

Usage: `host_packages.py VENV`. A .pth file names the site folders of this interpreter, be it a
system one or itself an environment. Packages installed into the new environment come first.
"""

import sys
from pathlib import Path


def main(venv: str) -> None:
    """Write the .pth file."""
    [target] = Path(venv).glob("lib/python3*/site-packages")
    folders = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
    # `addsitedir` also reads the .pth files inside; a bare path would not.
    lines = [f"import site; site.addsitedir({folder!r})\n" for folder in folders]
    (target / "host_packages.pth").write_text("".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
