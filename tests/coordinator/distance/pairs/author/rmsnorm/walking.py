import torch, triton
import triton.language as tl
@triton.jit
def rms(x, w, y, rows, n, eps, P, B: tl.constexpr):
    o = tl.arange(0, B)
    k = o < n
    g = tl.load(w + o, mask=k, other=0.)
    for r in range(tl.program_id(0), rows, P):
        v = tl.load(x + r * n + o, mask=k, other=0.).to(tl.float32)
        tl.store(y + r * n + o, v * tl.rsqrt(tl.sum(v * v, 0) / n + eps) * g, mask=k)
def run(x, w, y):
    p = 2 * torch.cuda.get_device_properties(x.device).multi_processor_count
    rms[(p,)](x, w, y, x.shape[0], x.shape[1], 1e-6, p, B=triton.next_power_of_2(x.shape[1]))
