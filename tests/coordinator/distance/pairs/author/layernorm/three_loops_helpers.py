import torch
import triton
import triton.language as tl
@triton.jit
def _mean(ptr, n, lanes, CH: tl.constexpr):
    acc = tl.zeros([CH], dtype=tl.float32)
    for i in range(tl.cdiv(n, CH)):
        at = i * CH + lanes
        acc += tl.load(ptr + at, at < n, 0.0).to(tl.float32)
    return tl.sum(acc) / n
@triton.jit
def _variance(ptr, n, mean, lanes, CH: tl.constexpr):
    acc = tl.zeros([CH], dtype=tl.float32)
    i = 0
    while i < n:
        at = i + lanes
        centred = (tl.load(ptr + at, at < n, 0.0).to(tl.float32) - mean) * (at < n)
        acc = tl.fma(centred, centred, acc)
        i += CH
    return tl.sum(acc) / n
@triton.jit
def norm(dst, src, gamma, beta, stride, n, CH: tl.constexpr, EPS: tl.constexpr):
    pid = tl.program_id(0)
    src += pid * stride
    dst += pid * stride
    lanes = tl.arange(0, CH)
    mean = _mean(src, n, lanes, CH)
    scale = tl.rsqrt(_variance(src, n, mean, lanes, CH) + EPS)
    for i in tl.range(0, n, CH, num_stages=2):
        at = i + lanes
        g = tl.load(gamma + at, at < n)
        tl.store(dst + at, tl.fma((tl.load(src + at, at < n) - mean) * scale, g, tl.load(beta + at, at < n)), at < n)
def run(x, gamma, beta, out):
    norm[(x.numel() // x.shape[-1],)](out, x, gamma, beta, x.stride(-2), x.shape[-1], CH=4096, EPS=1e-5, num_warps=16)
