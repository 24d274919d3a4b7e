# Idea: two passes over the kept32 in chunks of 1024: first the sum, then the scaling, reading the
# inputs again instead of keeping the kept32, so that few registers are needed.
# Predicted: the second reading comes from L1, so the time is that of one pass.
import triton
import triton.language as tl


@triton.jit
def two_sweeps(
    x, residual, weight, y, residual_out, eps, H: tl.constexpr, WIDE: tl.constexpr
):
    """Two passes over one kept32, offset by offset."""
    base = tl.program_id(0).to(tl.int64) * H
    sq = tl.zeros([WIDE], tl.float32)
    for offset in range(0, H, WIDE):
        lane = offset + tl.arange(0, WIDE)
        valid = lane < H
        acc = tl.load(x + base + lane, mask=valid, other=0.0).to(tl.float32)
        acc += tl.load(residual + base + lane, mask=valid, other=0.0).to(tl.float32)
        kept = acc.to(residual_out.dtype.element_ty).to(tl.float32)
        sq += kept * kept
    energy = tl.sum(sq, axis=0)
    mean = energy / H
    factor = 1.0 / tl.sqrt(mean + eps)
    for offset in range(0, H, WIDE):
        lane = offset + tl.arange(0, WIDE)
        valid = lane < H
        acc = tl.load(x + base + lane, mask=valid, other=0.0).to(tl.float32)
        acc += tl.load(residual + base + lane, mask=valid, other=0.0).to(tl.float32)
        scale = tl.load(weight + lane, mask=valid, other=0.0).to(tl.float32)
        kept = acc.to(residual_out.dtype.element_ty)
        tl.store(residual_out + base + lane, kept, mask=valid)
        kept32 = kept.to(tl.float32)
        tl.store(y + base + lane, (kept32 * factor * scale).to(y.dtype.element_ty), mask=valid)


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    two_sweeps[(rows,)](
        x, residual, weight, y, residual_out, eps, width, WIDE=2048, num_warps=8, num_stages=3
    )
