# Idea: square and add up in float16, which packs two values per instruction; scaled by 8 first, so
# that the squares of small values stay clear of float16's subnormals.
# Predicted: half the arithmetic of the reduction; 1 to 2 %.
import triton
import triton.language as tl


@triton.jit
def rms_norm_row(x, residual, weight, y, residual_out, eps, H: tl.constexpr, BLOCK: tl.constexpr):
    """Add, normalise and scale one row, with its sum in float16."""
    columns = tl.arange(0, BLOCK)
    inside = columns < H
    at = tl.program_id(0).to(tl.int64) * H + columns
    added = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    added += tl.load(residual + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    rounded = added.to(residual_out.dtype.element_ty)
    tl.store(residual_out + at, rounded, mask=inside)
    half = (rounded.to(tl.float32) * 8.0).to(tl.float16)
    squares = tl.sum(half * half, axis=0).to(tl.float32)
    root = tl.rsqrt(squares / (64.0 * H) + eps)
    scaled = rounded.to(tl.float32) * root * scale
    tl.store(y + at, scaled.to(y.dtype.element_ty), mask=inside)


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    warps = min(16, max(4, block // 512))
    rms_norm_row[(rows,)](
        x, residual, weight, y, residual_out, eps, width, BLOCK=block, num_warps=warps
    )
