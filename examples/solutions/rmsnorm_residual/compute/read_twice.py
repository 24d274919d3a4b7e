# Idea: small programs of four warps that keep nothing: the row is read once for its sum and again
# for the scaling, as one block each time, so that twice as many programs fit.
# Predicted: the second reading is served by L1; more rows in flight outweigh it.
import triton
import triton.language as tl


@triton.jit
def rms_norm_row(x, residual, weight, y, residual_out, eps, H: tl.constexpr, BLOCK: tl.constexpr):
    """Sum one row, then read it again to scale it."""
    columns = tl.arange(0, BLOCK)
    inside = columns < H
    at = tl.program_id(0).to(tl.int64) * H + columns
    added = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    added += tl.load(residual + at, mask=inside, other=0.0).to(tl.float32)
    rounded = added.to(residual_out.dtype.element_ty)
    tl.store(residual_out + at, rounded, mask=inside)
    wide = rounded.to(tl.float32)
    root = tl.rsqrt(tl.sum(wide * wide, axis=0) / H + eps)
    tl.debug_barrier()
    again = tl.load(residual_out + at, mask=inside, other=0.0, volatile=True).to(tl.float32)
    scale = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + at, (again * root * scale).to(y.dtype.element_ty), mask=inside)


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    rms_norm_row[(rows,)](
        x, residual, weight, y, residual_out, eps, width,
        BLOCK=triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
