import torch, triton
import triton.language as tl
@triton.jit
def k(x, y, s, n, B: tl.constexpr):
    r = tl.program_id(0)
    o = tl.arange(0, B)
    m = o < n
    v = tl.load(x + r * n + o, mask=m, other=0.0)
    a = tl.max(tl.abs(v), 0) / 127.0
    q = tl.extra.cuda.libdevice.rint(v / a)
    tl.store(y + r * n + o, q.to(tl.int8), mask=m)
    tl.store(s + r, a)
def run(x, y, s):
    k[(x.shape[0],)](x, y, s, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
