"""Ranges of lines of a submission's machine code. Pure; reads no board and runs nothing.

Start at `ranged`. Not here: where the listing was kept (`memory.listings`).
"""

from collections.abc import Sequence

from guard.domain.trace import CompileReport
from server.answers import Answer, quoted

LINES = 80
"""In one answer, at most."""
CHARACTERS = 3_500
"""In one answer, at most: escaped twice over, they still fit."""
LINE_SHOWN = 240


def ranged(kind: str, lines: Sequence[str], start: int, *, cut: bool) -> Answer:
    """What fits of `lines` from `start` on, how many there are, and how to go on."""
    shown: list[str] = []
    room = CHARACTERS
    for line in lines[start : start + LINES]:
        short = quoted(line.expandtabs(4).rstrip(), LINE_SHOWN).replace("\n", " ")
        room -= len(short) + 1
        if shown and room < 0:
            break
        shown.append(short)
    end = start + len(shown)
    told = f"Call again with offset={end} for the next lines." if end < len(lines) else (
        "The listing was too long to be kept whole: its end is missing." if cut
        else "This is the end."
    )  # fmt: skip
    return {
        "lines": len(lines),
        "offset": start,
        "next_offset": end if end < len(lines) else 0,
        f"untrusted_{kind}": "\n".join(shown),
        "next": told,
    }


def missing(kind: str, report: CompileReport | None) -> Answer:
    """Why there is no such listing, and which there are."""
    there = [one.kind for one in report.listings] if report else []
    why = report.unlisted if report and report.unlisted else f"There is no {kind} of it."
    told = f"Ask for part={there[0]!r} instead." if there else "Ask for part='evidence'."
    return {"lines": 0, "listings": there, f"untrusted_{kind}": quoted(why, 400), "next": told}
