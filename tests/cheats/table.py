"""Write `docs/cheats.md` from the headers of the corpus: `python -m tests.cheats.table`."""

from tests.cheats.corpus import CATALOGUE, FOLDER, Case, cases

PAGE = FOLDER.parents[1] / "docs" / "cheats.md"
DEVICES = {"cpu": "CPU", "gpu": "GPU"}
HEAD = """# The tricks, and what becomes of them

Generated from the headers of the candidates in `tests/cheats` by
`python -m tests.cheats.table`. Every file named here is a candidate that the real court judges: on
a CPU in `make test`, on a GPU in `make test-gpu`.

- **by construction**: it may run, and there is nothing to gain or to find. It is timed against its
  honest twin, or says itself that it found nothing.
- **by check**: something that it did is found, and it is refused.
- **not caught**: it passes, or is measured faster than its honest twin. A test holds it to that, so
  that a remedy is noticed.
- **no case**: nobody has written a candidate for it yet.

"""


def _cell(found: list[Case]) -> str:
    """What became of one trick on one kind of device: the answers, and the files behind each."""
    answers: dict[str, list[str]] = {}
    for case in found:
        answers.setdefault(case.header.caught, []).append(f"`{case.name}`")
    return "; ".join(f"**{how}**: {', '.join(files)}" for how, files in sorted(answers.items()))


def page() -> str:
    """The whole page."""
    hostile = {device: cases(device, "hostile") for device in DEVICES}
    parts = [HEAD + _counts()]
    for family, tricks in CATALOGUE.items():
        parts.append(f"\n## {family}. {tricks['title']}\n")
        parts.append("| trick | CPU | GPU |\n|---|---|---|")
        for number, name in tricks.items():
            if number == "title":
                continue
            cells = [
                _cell([c for c in hostile[device] if c.tricks[0] == number]) or "no case"
                for device in DEVICES
            ]
            parts.append(f"| {number} {name} | {' | '.join(cells)} |")
    return "\n".join(parts) + "\n"


def _counts() -> str:
    lines = ["| candidates | hostile | honest | wrong |", "|---|---|---|---|"]
    for device, title in DEVICES.items():
        numbers = [str(len(cases(device, kind))) for kind in ("hostile", "honest", "wrong")]
        lines.append(f"| {title} | {' | '.join(numbers)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
