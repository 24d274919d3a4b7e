"""Brand new kernel: autotuned, with modular loaders and an epilogue function."""
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"TILE_ROWS": 64, "TILE_COLS": 256, "TILE_DEPTH": 64}, num_warps=4, num_stages=4),
    triton.Config({"TILE_ROWS": 128, "TILE_COLS": 256, "TILE_DEPTH": 64}, num_warps=8, num_stages=3),
    triton.Config({"TILE_ROWS": 64, "TILE_COLS": 64, "TILE_DEPTH": 128}, num_warps=4, num_stages=5),
]


@triton.jit
def fetch(base, rows, columns, height, width):
    inside = (rows < height)[:, None] & (columns < width)[None, :]
    return tl.load(base + rows[:, None] * width + columns[None, :], mask=inside, other=0.0)


@triton.jit
def write_back(base, rows, columns, height, width, value):
    inside = (rows < height)[:, None] & (columns < width)[None, :]
    tl.store(base + rows[:, None] * width + columns[None, :], value.to(base.dtype.element_ty), mask=inside)


@triton.autotune(configs=CONFIGS, key=["height", "width", "depth"])
@triton.jit
def product(left, right, out, height, width, depth,
            TILE_ROWS: tl.constexpr, TILE_COLS: tl.constexpr, TILE_DEPTH: tl.constexpr):
    across = tl.cdiv(width, TILE_COLS)
    tile = tl.program_id(axis=0)
    rows = (tile // across) * TILE_ROWS + tl.arange(0, TILE_ROWS)
    columns = (tile % across) * TILE_COLS + tl.arange(0, TILE_COLS)
    accumulator = tl.full((TILE_ROWS, TILE_COLS), 0.0, tl.float32)
    step = 0
    steps = tl.cdiv(depth, TILE_DEPTH)
    while step < steps:
        inner = step * TILE_DEPTH + tl.arange(0, TILE_DEPTH)
        x = fetch(left, rows, inner, height, depth)
        w = fetch(right, inner, columns, depth, width)
        accumulator = tl.dot(x, w, acc=accumulator)
        step += 1
    write_back(out, rows, columns, height, width, accumulator)


def run(A, B, C):
    height, depth = A.size()
    width = B.size(-1)

    def grid(meta):
        return (triton.cdiv(height, meta["TILE_ROWS"]) * triton.cdiv(width, meta["TILE_COLS"]),)

    product[grid](A, B, C, height, width, depth)
