"""What an agent of the study does: one policy, the same in every cell, blind but for what it reads.

It knows which knobs and options there are, what its strategy means, and nothing of what they bring.
It remembers where it stands in its present claim and its last `CONTEXT` candidates; everything else
it knows from the board: the champion, and those conclusions that the campaign's retention shows.

1. A new claim begins at the best design that it can see, with the strategy's core setting; one on
   a combination with both cores, and with what the two parents were tuned to.
2. It moves on from its claim's best candidate. When the champion is faster, it carries what it has
   found over to the champion (`MERGES`), and goes on from there.
3. A step adopts the settings of a win that it reads and lacks (`ADOPTS`, by gain), or else turns
   one knob, sometimes two: seldom one that a trap names, more often one that a win names.
4. Nudged, it prefers what nobody has told of. In drafting it changes ideas instead of tuning them,
   one more of them after each refusal.
5. It hands in no design twice that it knows of, posts a win for 1 % over where it stood and a trap
   for what failed or lost as much. It gives a claim up when it finds nothing new to try under it,
   or after `PATIENCE` candidates in vain.

Start at `Agent.propose`, then `Agent.learn`. Not here: who is on which strategy, what is shown, and
what becomes of a candidate: that is the coordinator's code (`road`).
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.study.space import Angle, Design, Setting, Space, changes, turned
from coordinator.plateau import Stage
from memory.conclusion import Conclusion, ConclusionKind

CONTEXT = 4
PATIENCE = 12
ADOPTS = 0.3
MERGES = 0.3
TWICE = 0.2
"""How often two knobs are turned at once."""
TRAPPED, PROVEN = 0.1, 2.0
"""Weight of a setting that a trap names, and that a win names; of any other: one."""
LEAST_GAIN = 0.01
TRIES = 20
"""Proposals before one is handed in although it is known."""


class Sight(NamedTuple):
    """What an agent reads on the board."""

    champion: Design | None
    """None where it is not shown."""
    champion_gain: float
    conclusions: Sequence[Conclusion]
    cited: Mapping[int, Design]
    """What the submissions were that conclusions cite."""


class Answer(NamedTuple):
    """What became of a candidate."""

    submission_id: int
    """0: refused before it was one."""
    gain: float | None
    """Measured log-speedup over the baseline; none where it is not believed, or nothing was."""
    stage: Stage = Stage.GOING_ON
    similar: bool = False
    """Drafting refused it."""
    open: bool = True
    """Whether the claim goes on."""


class Lesson(NamedTuple):
    """A conclusion that an agent posts."""

    kind: ConclusionKind
    note: str
    reflection: str


class Agent:
    """One agent."""

    def __init__(self, name: str, space: Space, rng: random.Random) -> None:
        self.name = name
        self.adopted: Conclusion | None = None
        """The win whose settings the present proposal adopts."""
        self.grew_from: tuple[Design, ...] = ()
        """What the present proposal was made of."""
        self._space = space
        self._rng = rng
        self._context: list[Design] = []
        self.begin(None)

    def begin(self, angle: Angle | None) -> None:
        """Take up a new claim; none: its strategy binds to nothing."""
        self._angle = angle
        self._at: Design | None = None
        self._gain = -math.inf
        self._origin: tuple[Design, float] = (self._space.start, 0.0)
        self.stage = Stage.GOING_ON
        self._refused = self._vain = self._handed_in = 0

    @property
    def gives_up(self) -> bool:
        """Whether it leaves its claim on its own accord."""
        return self._vain >= PATIENCE

    def propose(self, sight: Sight) -> Design | None:
        """The next design to hand in; none: under this claim it finds nothing that is new to it."""
        known = {*self._context, *sight.cited.values()}
        if sight.champion is not None:
            known.add(sight.champion)
        design = self._step(sight)
        for _ in range(TRIES):
            if design not in known:
                break
            design = self._step(sight)
        return design if design not in known or not self._handed_in else None

    def learn(self, design: Design, answer: Answer) -> Lesson | None:
        """Take an answer in; what there is to post, if anything."""
        self._context = [*self._context, design][-CONTEXT:]
        self._handed_in += 1
        self.stage = answer.stage
        self._refused = self._refused + 1 if answer.similar else 0
        if answer.similar:
            return None
        before, stood = self._origin if self._at is None else (self._at, self._gain)
        self._vain += 1
        if answer.gain is not None and answer.gain > self._gain:
            if answer.gain > stood + LEAST_GAIN:
                self._vain = 0
            self._at, self._gain = design, answer.gain
        gained = answer.gain - stood if answer.gain is not None else -math.inf
        if abs(gained) < LEAST_GAIN:
            return None
        note = self._space.told(changes(before, design))
        return Lesson("win" if gained > 0 else "trap", note, f"{gained:+.4f}")

    def _step(self, sight: Sight) -> Design:
        self.adopted = None
        base = self._base(sight)
        if self.stage is Stage.DRAFTING:
            return self._drafted(base, sight)
        if base != self._at:
            return base
        if self.stage is not Stage.NUDGE and self._rng.random() < ADOPTS:
            adopted = self._adopt(base, sight)
            if adopted is not None:
                return adopted
        scope = self._angle.tunes if self._angle else range(len(self._space.knobs))
        count = 2 if self._rng.random() < TWICE else 1
        return self._turn(base, self._space.settings(scope), count, sight)

    def _base(self, sight: Sight) -> Design:
        """Where the next step begins: a new place is handed in as it is, before it is changed."""
        if self._at is None:
            self._origin = self._best_seen(sight)
            carried = self._angle.carried if self._angle else ()
            place = self._on_strategy(turned(self._origin[0], carried))
            if place == self._origin[0]:
                self._at, self._gain = self._origin
            self.grew_from = (self._origin[0],)
            # What failed at once is not handed in again: it is changed instead.
            return place if place not in self._context else self._shaken(place, sight)
        faster = sight.champion is not None and sight.champion_gain > self._gain + LEAST_GAIN
        if not faster or sight.champion is None or self._rng.random() >= MERGES:
            self.grew_from = (self._at,)
            return self._at
        self.grew_from = (sight.champion,)
        mine = [(knob, self._at[knob]) for knob in (self._angle.tunes if self._angle else ())]
        place = self._on_strategy(turned(sight.champion, mine))
        if place == sight.champion:
            self._at, self._gain = place, sight.champion_gain
        return place

    def _shaken(self, place: Design, sight: Sight) -> Design:
        scope = self._angle.tunes if self._angle else range(len(self._space.knobs))
        return self._turn(place, self._space.settings(scope), 1, sight)

    def _best_seen(self, sight: Sight) -> tuple[Design, float]:
        best = (self._space.start, 0.0)
        if sight.champion is not None and sight.champion_gain > best[1]:
            best = (sight.champion, sight.champion_gain)
        for win in sight.conclusions:
            if win.kind == "win" and win.speedup and math.log(win.speedup) > best[1]:
                best = (sight.cited[win.submission_ids[0]], math.log(win.speedup))
        return best

    def _on_strategy(self, design: Design) -> Design:
        return turned(design, self._angle.core) if self._angle else design

    def _adopt(self, base: Design, sight: Sight) -> Design | None:
        """The base with the settings of a win that it lacks, drawn by what the win brought."""
        core = {knob for knob, _ in self._angle.core} if self._angle else set()
        offers, weights = [], []
        for win in sight.conclusions:
            if win.kind != "win":
                continue
            lacked = [s for s in self._space.heard(win.note) if base[s[0]] != s[1]]
            if lacked and not core & {knob for knob, _ in lacked}:
                offers.append((win, lacked))
                weights.append(float(win.reflection))
        if not offers:
            return None
        self.adopted, settings = self._rng.choices(offers, weights)[0]
        self.grew_from = (base, sight.cited[self.adopted.submission_ids[0]])
        return turned(base, settings)

    def _drafted(self, base: Design, sight: Sight) -> Design:
        core = {knob for knob, _ in self._angle.core} if self._angle else set()
        ideas = [k for k, knob in enumerate(self._space.knobs) if knob.idea and k not in core]
        return self._turn(base, self._space.settings(ideas), 1 + self._refused, sight)

    def _turn(self, base: Design, scope: list[Setting], count: int, sight: Sight) -> Design:
        """The base with some settings of the scope, each of another knob."""
        named = self._named(sight)
        for _ in range(count):
            options = [s for s in scope if base[s[0]] != s[1]]
            if not options:
                break
            (chosen,) = self._rng.choices(options, [named.get(s, 1.0) for s in options])
            base = turned(base, [chosen])
            scope = [s for s in scope if s[0] != chosen[0]]
        return base

    def _named(self, sight: Sight) -> dict[Setting, float]:
        """The weight of each setting that a conclusion names."""
        proven = PROVEN if self.stage is Stage.GOING_ON else TRAPPED
        weights: dict[Setting, float] = {}
        for one in sight.conclusions:
            for setting in self._space.heard(one.note):
                weight = proven if one.kind == "win" else TRAPPED
                weights[setting] = max(weight, weights.get(setting, 0.0))
        return weights
