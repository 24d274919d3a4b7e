import torch
import triton
import triton.language as tl
def _configs():
    for m, n, k, w, s in ((128, 256, 64, 8, 3), (64, 128, 32, 4, 4)):
        yield triton.Config({"TM": m, "TN": n, "TK": k, "GROUP": 4}, num_warps=w, num_stages=s)
@triton.jit
def _place(pid, tiles_m, tiles_n, GROUP: tl.constexpr):
    return tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP)
@triton.autotune(list(_configs()), key=["m", "n", "k"])
@triton.jit
def _product(out, lhs, rhs, m, n, k, sl, sr, so, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, GROUP: tl.constexpr):
    i, j = _place(tl.program_id(0), tl.cdiv(m, TM), tl.cdiv(n, TN), GROUP)
    rows = (i * TM + tl.arange(0, TM)) % m
    cols = (j * TN + tl.arange(0, TN)) % n
    total = tl.full((TM, TN), 0, tl.float32)
    for start in tl.range(0, k, TK, num_stages=3):
        depth = start + tl.arange(0, TK)
        x = tl.load(lhs + rows[:, None] * sl + depth[None, :], mask=depth[None, :] < k, other=0)
        y = tl.load(rhs + depth[:, None] * sr + cols[None, :], mask=depth[:, None] < k, other=0)
        total += tl.dot(x, y, out_dtype=tl.float32)
    r, c = i * TM + tl.arange(0, TM), j * TN + tl.arange(0, TN)
    tl.store(out + r[:, None] * so + c[None, :], total.to(out.dtype.element_ty), mask=(r < m)[:, None] & (c < n)[None, :])
def run(lhs, rhs, out):
    m, n, k = out.shape[0], out.shape[1], lhs.shape[1]
    _product[lambda cfg: (triton.cdiv(m, cfg["TM"]) * triton.cdiv(n, cfg["TN"]),)](out, lhs, rhs, m, n, k, lhs.stride(0), rhs.stride(0), out.stride(0))
