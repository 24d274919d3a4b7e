"""Whether a candidate does what its claim's strategy says, as it was found after compiling."""

from guard.domain.value import Value


class Adherence(Value):
    """What the evidence of one candidate says of its strategy. Stored once, with the verdict."""

    holds: bool | None
    """On the strategy, off it, or None: it cannot be told on this host."""
    evidence: str
    """What was seen, or what was missing, in the house's words."""
    follows: tuple[str, ...] = ()
    """Other strategies that apply here and that it does follow, the best founded first."""

    @property
    def word(self) -> str:
        """The answer in a word or three."""
        return {True: "on strategy", False: "off strategy", None: "cannot be told"}[self.holds]
