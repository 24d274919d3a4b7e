# Idea: two rows per program as one two-dimensional tile, reduced along its second axis, so that the
# two reductions share their barriers and the weight is loaded once.
# Predicted: 2 % over one row per program where there are many tokens.
import triton
import triton.language as tl


@triton.jit
def rms_norm_tile(
    x, residual, weight, y, residual_out, eps, T, H: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Add, normalise and scale ROWS rows."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    inside = (rows < T)[:, None] & (columns < H)[None, :]
    at = rows.to(tl.int64)[:, None] * H + columns[None, :]
    scale = tl.load(weight + columns, mask=columns < H, other=0.0).to(tl.float32)
    first = tl.load(x + at, mask=inside, other=0.0, eviction_policy="evict_first")
    second = tl.load(residual + at, mask=inside, other=0.0, eviction_policy="evict_first")
    rounded = (first.to(tl.float32) + second.to(tl.float32)).to(residual_out.dtype.element_ty)
    tl.store(residual_out + at, rounded, mask=inside, cache_modifier=".cs")
    tile = rounded.to(tl.float32)
    root = tl.rsqrt(tl.sum(tile * tile, axis=1) / H + eps)
    scaled = (tile * root[:, None] * scale[None, :]).to(y.dtype.element_ty)
    tl.store(y + at, scaled, mask=inside, cache_modifier=".cs")


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    rms_norm_tile[(triton.cdiv(rows, 2),)](
        x, residual, weight, y, residual_out, eps, rows, width,
        ROWS=2, BLOCK=block, num_warps=min(16, max(4, block // 512)),
    )  # fmt: skip
