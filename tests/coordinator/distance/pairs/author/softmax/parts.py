import torch
import triton
import triton.language as tl


@triton.jit
def part(x, ms, ss, n, parts, BLOCK: tl.constexpr):
    row, p = tl.program_id(0), tl.program_id(1)
    c = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(ms + row * parts + p, m)
    tl.store(ss + row * parts + p, tl.sum(tl.exp(v - m), 0))


@triton.jit
def whole(x, ms, ss, y, n, parts, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    row, p = tl.program_id(0), tl.program_id(1)
    k = tl.arange(0, PARTS)
    m = tl.load(ms + row * parts + k, mask=k < parts, other=-float("inf"))
    top = tl.max(m, 0)
    total = tl.sum(tl.load(ss + row * parts + k, mask=k < parts, other=0.0) * tl.exp(m - top), 0)
    c = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    tl.store(y + row * n + c, tl.exp(v - top) / total, mask=c < n)


def run(x, y):
    rows, n = x.shape
    parts = triton.cdiv(n, 2048)
    ms, ss = torch.empty(2, rows, parts, device=x.device).unbind(0)
    part[(rows, parts)](x, ms, ss, n, parts, BLOCK=2048)
    whole[(rows, parts)](x, ms, ss, y, n, parts, BLOCK=2048, PARTS=triton.next_power_of_2(parts))
