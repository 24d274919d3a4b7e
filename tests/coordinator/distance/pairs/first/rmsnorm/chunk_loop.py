# Idea: two passes over the row in chunks of 1024: first the sum, then the scaling, reading the
# inputs again instead of keeping the row, so that few registers are needed.
# Predicted: the second reading comes from L1, so the time is that of one pass.
import triton
import triton.language as tl


@triton.jit
def rms_norm_chunks(
    x, residual, weight, y, residual_out, eps, H: tl.constexpr, BLOCK: tl.constexpr
):
    """Two passes over one row, chunk by chunk."""
    start = tl.program_id(0).to(tl.int64) * H
    total = tl.zeros([BLOCK], tl.float32)
    for chunk in range(0, H, BLOCK):
        columns = chunk + tl.arange(0, BLOCK)
        inside = columns < H
        added = tl.load(x + start + columns, mask=inside, other=0.0).to(tl.float32)
        added += tl.load(residual + start + columns, mask=inside, other=0.0).to(tl.float32)
        rounded = added.to(residual_out.dtype.element_ty).to(tl.float32)
        total += rounded * rounded
    squares = tl.sum(total, axis=0)
    root = tl.rsqrt(squares / H + eps)
    for chunk in range(0, H, BLOCK):
        columns = chunk + tl.arange(0, BLOCK)
        inside = columns < H
        added = tl.load(x + start + columns, mask=inside, other=0.0).to(tl.float32)
        added += tl.load(residual + start + columns, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
        rounded = added.to(residual_out.dtype.element_ty)
        tl.store(residual_out + start + columns, rounded, mask=inside)
        row = rounded.to(tl.float32)
        tl.store(y + start + columns, (row * root * scale).to(y.dtype.element_ty), mask=inside)


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    rms_norm_chunks[(rows,)](
        x, residual, weight, y, residual_out, eps, width, BLOCK=1024, num_warps=4
    )
