import triton
import triton.language as tl
@triton.jit
def gemv(a, x, y, m, n, BN: tl.constexpr):
    r = tl.program_id(0)
    acc = tl.zeros([BN], dtype=tl.float32)
    for s in range(0, n, BN):
        o = s + tl.arange(0, BN)
        acc += tl.load(a + r * n + o, mask=o < n, other=0.).to(tl.float32) * tl.load(x + o, mask=o < n, other=0.)
    tl.store(y + r, tl.sum(acc, 0))
def run(a, x, y):
    gemv[(a.shape[0],)](a, x, y, a.shape[0], a.shape[1], BN=1024)
