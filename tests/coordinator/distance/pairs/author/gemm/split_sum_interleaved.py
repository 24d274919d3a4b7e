import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"R": r, "C": c, "D": 32}, num_warps=w, num_stages=4) for r in (64, 128) for c in (64, 128) for w in (4, 8)], key=["rows", "cols", "depth"], reset_to_zero=["OUT"])
@triton.jit
def reduce_slices(X, W, OUT, rows, cols, depth, SLICES: tl.constexpr, R: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    d = tl.program_id(2) * D + tl.arange(0, D)
    px = X + r[:, None] * depth + d
    pw = W + d[:, None] * cols + c
    acc = tl.zeros([R, C], tl.float32)
    for turn in range(tl.cdiv(depth, D * SLICES)):
        left = depth - turn * D * SLICES
        acc = tl.dot(tl.load(px, mask=(r < rows)[:, None] & (d < left)[None], other=0), tl.load(pw, mask=(d < left)[:, None] & (c < cols), other=0), acc)
        px += D * SLICES
        pw += D * SLICES * cols
    tl.atomic_add(OUT + r[:, None] * cols + c, acc, (r < rows)[:, None] & (c < cols))


def run(a, b, c):
    whole = torch.zeros_like(c, dtype=torch.float)
    (rows, depth), cols = a.size(), b.size(-1)
    grid = lambda p: (triton.cdiv(rows, p["R"]), triton.cdiv(cols, p["C"]), 8)
    reduce_slices[grid](a, b, whole, rows, cols, depth, SLICES=8)
    c[:] = whole
