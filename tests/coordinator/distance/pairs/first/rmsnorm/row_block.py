# Idea: one program per row, the whole row as one block, so that each element is read and written
# exactly once and the row waits in registers between the sum and the scaling.
# Predicted: near the copy rate, 1.1 times the compiled baseline or better on the large workloads.
import triton
import triton.language as tl


@triton.jit
def rms_norm_row(x, residual, weight, y, residual_out, eps, H: tl.constexpr, BLOCK: tl.constexpr):
    """Add, normalise and scale one row."""
    columns = tl.arange(0, BLOCK)
    inside = columns < H
    at = tl.program_id(0).to(tl.int64) * H + columns
    added = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    added += tl.load(residual + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    rounded = added.to(residual_out.dtype.element_ty)
    tl.store(residual_out + at, rounded, mask=inside)
    row = rounded.to(tl.float32)
    root = tl.rsqrt(tl.sum(row * row, axis=0) / H + eps)
    tl.store(y + at, (row * root * scale).to(y.dtype.element_ty), mask=inside)


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    warps = min(16, max(4, block // 512))
    rms_norm_row[(rows,)](
        x, residual, weight, y, residual_out, eps, width, BLOCK=block, num_warps=warps
    )
