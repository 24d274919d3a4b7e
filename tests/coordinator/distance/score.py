"""Scores a folder of labelled pairs: `python -m tests.coordinator.distance.score FOLDER`.

The folder is laid out as `pairs/README.md` says. What is told wrong is listed with the aspects in
which the two differ; the last lines count what is told right of either label.
"""

import sys
import tomllib
from collections import Counter
from pathlib import Path

from coordinator.distance.measure import distance
from guard.domain.decision import Policy
from tests.coordinator.distance.labelled import Pair


def main(folder: Path) -> None:
    """Print what is told wrong, and the counts."""
    right: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for entry in tomllib.loads((folder / "pairs.toml").read_text())["pair"]:
        pair = Pair(folder=str(folder.absolute()), **entry)
        found = distance(*pair.solutions())
        told = "same" if found.value < Policy().drafting_distance else "different"
        given[pair.label] += 1
        right[pair.label] += told == pair.label
        if told != pair.label:
            print(f"{pair.label}, told {told}: {pair.left} | {pair.right} ({pair.why})")
            print(f"    {found.value:.2f}: {', '.join(found.apart) or 'no difference seen'}")
    for label in sorted(given):
        print(f"{label}: {right[label]} of {given[label]} ({right[label] / given[label]:.1%})")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
