# Idea: one sweep finds maximum and sum together, every lane with its own; a second one writes. Rows may
# have any length.
# Predicted: the rate of a copy, where the second reading of a row is served by a cache.
import triton
import triton.language as tl


@triton.jit
def softmax_row(x, y, width, BLOCK: tl.constexpr):
    """One row of any length; every lane keeps a maximum and a sum of its own."""
    columns = tl.arange(0, BLOCK)
    start = tl.program_id(0).to(tl.int64) * width
    # Lower than any float32 but -inf, so that no difference of infinities is formed.
    top = tl.full([BLOCK], -3e38, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, width, BLOCK):
        inside = first + columns < width
        v = tl.load(x + start + first + columns, mask=inside, other=float("-inf"), eviction_policy="evict_last")
        higher = tl.maximum(top, v)
        total = total * tl.exp2((top - higher) * 1.44269504) + tl.exp2((v - higher) * 1.44269504)
        top = higher
    highest = tl.max(top, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp2((top - highest) * 1.44269504), axis=0)
    for first in range(0, width, BLOCK):
        inside = first + columns < width
        v = tl.load(x + start + first + columns, mask=inside, other=float("-inf"), eviction_policy="evict_first")
        power = tl.exp2((v - highest) * 1.44269504)
        tl.store(y + start + first + columns, power * inverse, mask=inside, cache_modifier=".cs")
