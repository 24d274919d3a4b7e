"""Variables and memory, and what loops find out in them.

A value that a loop takes over from its last round is what the loop *finds out*: a sum, a maximum, a
sum that is rescaled as it grows. What rests on it is one *level* higher. That, and not how it is
spelled, tells one idea from another: a second pass over a row needs what the first found.

Start at `Gathering.write`. Not here: expressions (`evaluating`), how loops are entered (`looping`).
"""

from __future__ import annotations

from dataclasses import replace

from coordinator.distance.notes import Kind, Loop, Note, Notes
from coordinator.distance.values import MAX_LEVEL, Cell, Holder, Known, Memory

LANES = "lanes"
"""The kind of a value that another thread of the warp holds."""
OUTSIDE = -1


class Gathering:
    """The part of a reading that remembers."""

    def __init__(self) -> None:
        self.notes = Notes()
        self.loops: list[Loop] = []
        self.branches: frozenset[int] = frozenset()
        self.guards: list[Known] = []
        """The conditions that the present statement stands under."""
        self.device = False
        """Whether a kernel of a GPU is read."""
        self.host = False
        """Whether this is Python that calls library operators."""
        self.made = 0
        self.kernel = 0
        """Which launch is read; 0: none."""

    @property
    def depth(self) -> int:
        """How many loops are around the present statement."""
        return len(self.loops)

    def note(
        self, kind: Kind, what: str = "", level: int = 0, memory: Memory | None = None
    ) -> None:
        """Note what is done here."""
        loop = self.loops[-1] if self.loops else None
        self.notes.add(Note(kind, what, level, memory, loop), self.branches)

    def mark(self, what: str) -> None:
        """Note that something is used, wherever."""
        self.notes.add(Note("mark", what), self.branches)

    def found(self, kind: str, level: int) -> None:
        """Note that something is found out that rests on so many results."""
        self.notes.add(Note("found", kind, level), self.branches)
        for loop in self.loops[-1:]:
            loop.level = max(loop.level, level)

    # --- variables ----------------------------------------------------------------------------

    def read(self, cell: Cell) -> Known:
        """The value of a variable."""
        value = cell.value
        self.use(cell)
        if self.depth > cell.home and value.memory is None:
            if cell.before is not None and any(cell in loop.changes for loop in self.loops):
                value = replace(value, level=cell.before)
            return replace(value, through={**value.through, cell: frozenset()})
        return value

    def use(self, holder: Holder) -> None:
        """What loops gathered is read outside them: they matter."""
        if holder.gathered_in and not set(holder.gathered_in) & set(self.loops):
            for loop in holder.gathered_in:
                loop.used = True
            holder.gathered_in = ()

    def write(self, cell: Cell, value: Known) -> None:
        """Give a variable a value: if it comes from the last round's, something is gathered."""
        guarded = any(cell in guard.through for guard in self.guards)
        taken = cell in value.through or (guarded and value.data)
        asked = [guard for guard in self.guards if guard.data]
        if self.depth > cell.home and asked and not value.data and self._here(cell, value):
            # The place of the largest is found with it.
            value = replace(value, data=True, level=max(guard.level for guard in asked))
            taken = guarded = True
        if self.depth > cell.home and taken and (value.data or cell.value.data):
            around = [loop for loop in self.loops[cell.home :] if loop.number not in cell.fresh]
            if around:
                self._gather(cell, value, around, guarded=guarded)
                return
        held = cell.value.memory
        if held is not None and self.host and held in value.through and self.depth > cell.home:
            self._gather(held, value, self.loops[cell.home :])
            return
        value = _forget(value, cell)
        if self.depth > cell.home and value.data:
            self._matters()
        if self.guards:
            # What it was set to last is the kind of result that it is.
            value = replace(value.joined(cell.value), found=value.found)
        cell.before = None
        if cell not in value.through and not self.guards:
            cell.fresh = frozenset(loop.number for loop in self.loops)
        cell.value = replace(value, number=value.number if not self.guards else None)

    def _here(self, cell: Cell, value: Known) -> bool:
        """Whether a value is the place that a loop around has come to."""
        around = {loop.number for loop in self.loops[cell.home :]}
        return bool(around & value.origins) and cell not in value.through

    def _gather(
        self, holder: Holder, value: Known, around: list[Loop], *, guarded: bool = False
    ) -> None:
        steps = value.through.get(holder, frozenset())
        kinds = {"max"} if guarded or any(s.startswith("max") for s in steps) else set()
        kinds |= {"sum"} if any(s.startswith("sum") for s in steps) else set()
        kinds |= {"scaled"} if any(s.startswith("scaled") for s in steps) else set()
        changed = any(step.startswith("function") for step in steps)
        if (
            changed
            or not kinds & {"max", "sum"}
            or (kinds >= {"sum", "scaled"} and _written_out(around))
        ):
            # Of a polynomial, the rounds find out nothing.
            holder.kinds |= kinds & {"scaled"}
            holder.value = _forget(value.joined(holder.value), holder)
            return
        holder.kinds |= kinds
        given = [step.split(":") for step in steps if step[:3] in ("sum", "max")]
        holder.pure = holder.pure and all(map(_alike, given)) and not guarded
        level = value.level if guarded else max(int(step.rpartition("@")[2]) for step in steps)
        holder.rests_on = max(holder.rests_on, level)
        holder.gathered_in = tuple(dict.fromkeys((*holder.gathered_in, *self.loops[holder.home :])))
        for loop in around:
            loop.gathers = True
        # What a sum of sums rests on is what those rest on.
        own = max(0, level - 1) if given and all(map(_alike, given)) else level
        self.loops[-1].level = max(self.loops[-1].level, own)
        if holder not in around[0].holders:
            around[0].holders.append(holder)
        level = max(value.level, holder.value.level)
        held = replace(_forget(value, holder), found=_kind(kinds), tile=False, raw=False, data=True)
        holder.value = replace(held, level=level, memory=holder.value.memory)

    def settle(self, loop: Loop) -> None:
        """At the end of a loop: what was gathered in it is known, and one level higher."""
        for holder in loop.holders:
            kinds = _kind(holder.kinds)
            if holder.kinds >= {"sum", "scaled"}:
                self.mark("rescaled sum")
            level = holder.rests_on
            if not holder.pure:
                for kind in sorted(kinds):
                    self.notes.add(Note("found", kind, level, loop=loop), self.branches)
                level = min(MAX_LEVEL, level + 1)
            before = holder.value.level
            holder.value = replace(holder.value, level=max(before, level), found=kinds)
            holder.before = before if holder.before is None else holder.before
            holder.kinds, holder.rests_on, holder.pure = set(), 0, True

    def _matters(self) -> None:
        for loop in self.loops:
            loop.used = True

    # --- memory -------------------------------------------------------------------------------

    def load(self, memory: Memory, where: Known) -> Known:
        """What is read from memory; `where` is the pointer."""
        if memory.place != "local":
            if memory.place in ("global", "workspace"):
                self.note("read", memory=memory)
            here = OUTSIDE - self.kernel
            open_loops = {loop.number for loop in self.loops} | {here}
            if memory.writers - open_loops or (here in memory.writers and self.loops):
                self.note("again", memory.place)
            for loop in self.loops[-1:]:
                self.notes.add(Note("leaf", loop=loop), self.branches)
        return self.read_memory(memory, where)

    def read_memory(self, memory: Memory, where: Known) -> Known:
        """What memory holds, without a note."""
        self.use(memory)
        held = memory.value
        around = self._around(memory, where)
        through: dict[Holder, frozenset[str]] = {memory: frozenset()} if around else {}
        raw = memory.place == "global" and not memory.writers
        side_by_side = any(loop.number in where.origins for loop in self.loops)
        return replace(
            held,
            tile=memory.place == "local" and memory.sums and side_by_side,
            data=True,
            raw=raw,
            through=through,
            origins=frozenset(),
            number=None,
            items=(),
        )

    def store(self, memory: Memory, where: Known, value: Known) -> None:
        """Write to memory; `where` is the pointer."""
        around = self._around(memory, where)
        # An element that is replaced where it is smaller holds the largest.
        guarded = value.data and any(memory in guard.through for guard in self.guards)
        gathered = bool(around) and (memory in value.through or guarded)
        if gathered:
            memory.sums = True
            self._gather(memory, value, around, guarded=guarded)
        else:
            memory.value = self._held_after(memory, value)
            memory.fresh = frozenset(loop.number for loop in self.loops)
        if value.memory is not None and value.memory is not memory:
            memory.value = replace(memory.value, memory=value.memory)
        memory.written = True
        if not (gathered and memory.place == "local"):
            self._matters()
        if value.tile and memory.place in ("global", "workspace"):
            self.mark("register tile")
        self._place_used(memory, where, value)
        if (value.data or value.origins) and memory not in value.through:
            memory.writers.add(self.loops[-1].number if self.loops else OUTSIDE - self.kernel)
        for loop in self.loops[-1:] if value.data and not gathered else ():
            loop.level = max(loop.level, value.level)

    def _place_used(self, memory: Memory, where: Known, value: Known) -> None:
        steady = not value.data and not value.origins
        if steady or memory.place in ("global", "local"):
            return
        by_loop = any(not loop.written_out and loop.number in where.origins for loop in self.loops)
        if value.raw:
            self.mark(f"{memory.place}: copied")
        elif memory.place == "shared" and not by_loop:
            self.mark("shared: exchanged")
        elif memory.place != "workspace":
            self.mark(f"{memory.place}: kept")

    def _around(self, memory: Memory, where: Known) -> list[Loop]:
        """The loops that come back to the same element."""
        places = where.origins | memory.fresh
        return [loop for loop in self.loops[memory.home :] if loop.number not in places]

    def _held_after(self, memory: Memory, value: Known) -> Known:
        """What an array holds once a value was written to it as well."""
        if memory.place == "shared" and value.found and memory not in value.through:
            # A board on which results are exchanged: those before were read already.
            return value.plain()
        return _forget(value.joined(memory.value), memory).plain()


def _written_out(loops: list[Loop]) -> bool:
    return all(loop.written_out for loop in loops)


def _alike(step: list[str]) -> bool:
    """Whether what is added is a result of the same kind: sums of sums, and of products."""
    known = step[1].split("+")
    return step[0] in known or LANES in known or (step[0] == "sum" and "product" in known)


def _kind(kinds: set[str]) -> frozenset[str]:
    return frozenset(("sum",)) if "sum" in kinds else frozenset(("max",))


def _forget(value: Known, holder: Holder) -> Known:
    if holder not in value.through:
        return value
    return replace(value, through={h: s for h, s in value.through.items() if h is not holder})
