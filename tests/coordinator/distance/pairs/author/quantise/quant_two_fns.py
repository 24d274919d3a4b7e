import torch
import triton
import triton.language as tl


@triton.jit
def _maximum(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def find(X, S, width, pitch, PAD: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, PAD)
    vals = tl.load(X + pid * pitch + offs, offs < width, 0).to(tl.float32)
    largest = tl.reduce(tl.abs(vals), 0, _maximum)
    tl.store(S + pid, _maximum(largest, 1e-8) * (1.0 / 127.0))


@triton.jit
def apply(X, Q, S, count, width, SIZE: tl.constexpr):
    offs = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    live = offs < count
    scaled = tl.load(X + offs, live).to(tl.float32) / tl.load(S + offs // width, live, 1.0)
    rounded = tl.extra.cuda.libdevice.round(scaled)
    tl.store(Q + offs, tl.clamp(rounded, -127.0, 127.0).to(tl.int8), live)


def run(x, q, scale):
    rows, width = x.size()
    count = x.numel()
    find[rows,](x, scale, width, x.stride(0), triton.next_power_of_2(width))
    apply[lambda m: (triton.cdiv(count, m["SIZE"]),)](x, q, scale, count, width, SIZE=4096, num_warps=8)
