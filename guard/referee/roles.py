"""What an input's name and description say about sensible values for it.

The rules are SOL-ExecBench's: a problem's tolerances were calibrated on inputs drawn this way, so
another draw makes them wrong. Names only; nothing here touches a tensor.

    name × description × shape  ->  Role

Start at `role`. Not here: the drawing itself (`inputs`).
"""

import re
from enum import StrEnum
from functools import lru_cache


class Role(StrEnum):
    """What an input of a 16-bit or wider floating type stands for."""

    PLAIN = "plain"
    """Standard normal."""
    WEIGHT = "weight"
    """Normal, divided by the root of the last dimension."""
    NORM_WEIGHT = "norm weight"
    """Ones."""
    NORM_BIAS = "norm bias"
    """Zeros."""
    CAUSAL_MASK = "causal mask"
    """The lowest finite value above the diagonal, else zero."""
    BINARY_MASK = "binary mask"
    """Zeros and ones."""
    COSINE = "cosine"
    SINE = "sine"
    POSITIVE = "positive"
    """At least 0.1."""
    DECAY_SUM = "cumulative decay"
    """Falling along the last dimension, from zero."""
    DECAY_LOG = "logarithm of a decay"
    DECAY = "decay"
    DECAY_GATE = "decay gate"
    PROBABILITIES = "probabilities"
    """Rows that sum to one."""


_NAMED: dict[str, Role] = {
    **dict.fromkeys(("cos", "cos_cached", "rope_cos"), Role.COSINE),
    **dict.fromkeys(("sin", "sin_cached", "rope_sin"), Role.SINE),
    **dict.fromkeys(("attn_weights", "attention_weights", "routing_weights"), Role.PROBABILITIES),
    "A": Role.DECAY,
    "A_log": Role.DECAY_LOG,
    "A_cumsum": Role.DECAY_SUM,
    "g": Role.DECAY_GATE,
}
_NORM = re.compile(r"(?:norm|.*(?:_norm|layernorm|norm\d+))_(weight|bias)")
_POSITIVE = re.compile(r"(?:.*_)?(?:rstd|std|var)\d*|(?:.*_)?variance|variance\d+")
_WEIGHT = re.compile(r"weight\d*|.*_(?:weights?|projs?|weight_matrix)\d*")
_MASKS = {"x_mask", "text_mask", "aspect_ratio_mask", "drop_mask", "attention_mask"}
_BINARY_WORDS = ("binary", "{0, 1}", "0 or 1", "1.0 for valid", "0.0 for masked")


@lru_cache(maxsize=1024)
def role(name: str, description: str | None, shape: tuple[int, ...]) -> Role:
    """The first rule that fits, in SOL-ExecBench's order."""
    words = (description or "").lower()
    norm = _NORM.fullmatch(name)
    if norm:
        return Role.NORM_WEIGHT if norm[1] == "weight" else Role.NORM_BIAS
    if _is_causal_mask(name, words, shape):
        return Role.CAUSAL_MASK
    if name in _MASKS or (name.endswith("_mask") and any(w in words for w in _BINARY_WORDS)):
        return Role.BINARY_MASK
    if _POSITIVE.fullmatch(name):
        return Role.POSITIVE
    if name in _NAMED:
        return _NAMED[name]
    if "softmax" in words and "output" in words:
        return Role.PROBABILITIES
    if len(shape) > 1 and _WEIGHT.fullmatch(name):
        return Role.WEIGHT
    return Role.PLAIN


def _is_causal_mask(name: str, words: str, shape: tuple[int, ...]) -> bool:
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return False
    named = name in ("attention_mask", "causal_mask")
    return named or ("attention mask" in words and "causal" in words)
