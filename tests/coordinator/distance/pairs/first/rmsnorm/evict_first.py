# Idea: the row block again, with cache hints: inputs and outputs pass through once and leave the
# cache first, the weight is read by every row and stays.
# Predicted: the weight no longer competes with the stream; up to 3 % over the plain row block.
import triton
import triton.language as tl


@triton.jit
def rms_norm_row(x, residual, weight, y, residual_out, eps, H: tl.constexpr, BLOCK: tl.constexpr):
    """Add, normalise and scale one row, streaming past the cache."""
    columns = tl.arange(0, BLOCK)
    inside = columns < H
    at = tl.program_id(0).to(tl.int64) * H + columns
    first = tl.load(x + at, mask=inside, other=0.0, eviction_policy="evict_first")
    second = tl.load(residual + at, mask=inside, other=0.0, eviction_policy="evict_first")
    scale = tl.load(weight + columns, mask=inside, other=0.0, eviction_policy="evict_last")
    rounded = (first.to(tl.float32) + second.to(tl.float32)).to(residual_out.dtype.element_ty)
    tl.store(residual_out + at, rounded, mask=inside, cache_modifier=".cs")
    row = rounded.to(tl.float32)
    root = tl.rsqrt(tl.sum(row * row, axis=0) / H + eps)
    scaled = (row * root * scale.to(tl.float32)).to(y.dtype.element_ty)
    tl.store(y + at, scaled, mask=inside, cache_modifier=".cs")


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    warps = min(16, max(4, block // 512))
    rms_norm_row[(rows,)](
        x, residual, weight, y, residual_out, eps, width, BLOCK=block, num_warps=warps
    )
