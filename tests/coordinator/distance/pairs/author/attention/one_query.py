import torch, triton
import triton.language as tl
@triton.jit
def k(q, kk, v, o, n, scale, D: tl.constexpr, B: tl.constexpr):
    i, h = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)
    base = h * n * D
    a = tl.load(q + base + i * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for s in range(0, n, B):
        j = s + tl.arange(0, B)
        kt = tl.load(kk + base + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        z = tl.sum(kt * a[None, :], 1)
        z = tl.where(j < n, z, -float("inf"))
        t = tl.maximum(m, tl.max(z, 0))
        p = tl.exp(z - t)
        c = tl.exp(m - t)
        l = l * c + tl.sum(p, 0)
        vt = tl.load(v + base + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = acc * c + tl.sum(p[:, None] * vt, 0)
        m = t
    tl.store(o + base + i * D + d, acc / l)
def run(q, kk, v, o):
    h, n, d = q.shape
    k[(n, h)](q, kk, v, o, n, d ** -0.5, D=d, B=64)
