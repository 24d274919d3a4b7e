"""The simulated landscape: rugged, with lanes, dead ends and combinations, and a known optimum.

A design has, per lane, one *idea* and two *tunings*. Its speedup over the plain design is exp(g):

    g = sum over lanes of  worth[lane, idea] - ruggedness * miss[lane, idea, tunings]
      + sum over neighbouring lanes (a ring) of  bond[lane, idea, next idea]

- `worth` of an idea, tuned as well as can be, is exponential with mean `idea_gain`; the plain idea
  has none. How far an untuned one is from that differs: an idea may look like a loss until it was
  tuned for a while, and the best at first sight need not be the best.
- `miss` is zero at one tuning of each idea, drawn anew for each; half of what it is elsewhere grows
  with the distance from there, the other half is drawn without any order (the ruggedness).
- Dead ends: `dead_ideas` of the ideas and `dead_tunings` of the tunings fail verification, always.
- Combinations: `bonds` of the pairs of ideas of neighbouring lanes gain or lose with each other,
  normal with deviation `bond_gain`. Who changes one lane at a time meets the losses, too.

The optimum is exact: given an idea, its best tuning is known, and over the ring of ideas dynamic
programming finds the best sum. A measured pair scatters around the truth as the ratio of two
processes does: normal with `noise`, one in twenty of them four times as wide.

Start at `draw`. Nothing in it is fitted to a result. Not here: who searches (`policy`).
"""

import random
from itertools import product
from string import ascii_lowercase
from typing import Annotated

from pydantic import Field

from benchmarks.study.space import Angle, Design, Knob, Space
from guard.domain.value import Value

TUNINGS = 2
"""Tuning knobs of a lane."""
Share = Annotated[float, Field(ge=0, le=1)]


class Parameters(Value):
    """What a landscape is drawn from."""

    lanes: Annotated[int, Field(ge=3)] = 8
    ideas: Annotated[int, Field(ge=2)] = 4
    """Per lane, the plain one included."""
    options: Annotated[int, Field(ge=2)] = 4
    """Of a tuning knob."""
    idea_gain: float = 0.25
    """Mean worth of an idea (log units)."""
    ruggedness: float = 0.4
    """What is lost at most by a bad tuning (log units)."""
    bonds: Share = 0.15
    """Share of the pairs of neighbouring ideas that interact."""
    bond_gain: float = 0.25
    """Deviation of what that brings or costs (log units)."""
    dead_ideas: Share = 0.15
    dead_tunings: Share = 0.1
    noise: float = 0.004
    """Deviation of a process pair's log-ratio."""


class Landscape:
    """One drawn landscape."""

    def __init__(self, parameters: Parameters, seed: int) -> None:
        self.parameters = parameters
        rng = random.Random(f"landscape {seed}")
        lanes, ideas = range(parameters.lanes), range(parameters.ideas)
        tunings = list(product(range(parameters.options), repeat=TUNINGS))
        self.space = space_of(parameters)
        self._bond: dict[tuple[int, int, int], float] = {}
        self._gain: dict[tuple[int, int, tuple[int, ...]], float | None] = {}
        self.best: dict[tuple[int, int], float] = {}
        for lane in lanes:
            for idea in ideas:
                self._draw_idea(rng, lane, idea, tunings)
            for one, other in product(ideas[1:], ideas[1:]):
                if rng.random() < parameters.bonds:
                    self._bond[lane, one, other] = rng.gauss(0, parameters.bond_gain)

    def gain(self, design: Design) -> float | None:
        """The log-speedup of a design over the plain one; None where it fails."""
        width, lanes = 1 + TUNINGS, self.parameters.lanes
        ideas = design[::width]
        total = 0.0
        for lane in range(lanes):
            at = lane * width
            own = self._gain[lane, ideas[lane], design[at + 1 : at + width]]
            if own is None:
                return None
            total += own + self._bond.get((lane, ideas[lane], ideas[(lane + 1) % lanes]), 0.0)
        return total

    def optimum(self) -> float:
        """The largest log-speedup there is."""
        return max(self._round(first) for first in self._alive(0))

    def _round(self, first: int) -> float:
        """The best sum around the ring that begins, and so ends, with this idea."""
        lanes = self.parameters.lanes
        reached = {first: self.best[0, first]}
        for lane in range(1, lanes):
            reached = {
                idea: self.best[lane, idea]
                + max(
                    before + self._bond.get((lane - 1, previous, idea), 0.0)
                    for previous, before in reached.items()
                )
                for idea in self._alive(lane)
            }
        closing = lanes - 1
        return max(
            total + self._bond.get((closing, last, first), 0.0) for last, total in reached.items()
        )

    def _alive(self, lane: int) -> list[int]:
        return [idea for idea in range(self.parameters.ideas) if (lane, idea) in self.best]

    def _draw_idea(
        self, rng: random.Random, lane: int, idea: int, tunings: list[tuple[int, ...]]
    ) -> None:
        p = self.parameters
        worth = rng.expovariate(1 / p.idea_gain) if idea else 0.0
        dead = idea > 0 and rng.random() < p.dead_ideas
        # The plain design is where everybody starts: it passes, and there its speedup is one.
        home = rng.choice(tunings) if idea else tunings[0]
        longest = TUNINGS * (p.options - 1)
        for tuning in tunings:
            away = sum(abs(a - b) for a, b in zip(tuning, home, strict=True)) / longest
            miss = (away + rng.random()) / 2 if tuning != home else 0.0
            fails = dead or (tuning != home and rng.random() < p.dead_tunings)
            self._gain[lane, idea, tuning] = None if fails else worth - p.ruggedness * miss
        if not dead:
            self.best[lane, idea] = worth


def space_of(parameters: Parameters) -> Space:
    """Knobs and strategies: one strategy per lane and idea, the plain ones excepted."""
    knobs, angles = [], []
    for number, lane in enumerate(ascii_lowercase[: parameters.lanes]):
        at = number * (1 + TUNINGS)
        # No digits: where notes are compared word by word, each setting must be words of its own.
        ideas = tuple(f"idea{letter}" for letter in ascii_lowercase[: parameters.ideas])
        values = tuple(ascii_lowercase[-parameters.options :])
        knobs.append(Knob(name=f"lane{lane}", lane=f"lane{lane}", options=ideas, idea=True))
        knobs += [
            Knob(name=f"{ascii_lowercase[t]}tuning{lane}", lane=f"lane{lane}", options=values)
            for t in range(TUNINGS)
        ]
        tunes = tuple(range(at + 1, at + 1 + TUNINGS))
        angles += [
            Angle(
                strategy=f"lane{lane}.{name}", lane=f"lane{lane}", core=((at, idea),), tunes=tunes
            )
            for idea, name in enumerate(ideas)
            if idea
        ]
    return Space(knobs=tuple(knobs), angles=tuple(angles))
