import torch
import triton
import triton.language as tl
@triton.jit
def _tile(ptr, rows, count, WIDTH: tl.constexpr):
    return tl.load(ptr + rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :], mask=(rows < count)[:, None], other=0.0).to(tl.float32)
@triton.jit
def decode(OUT, K, V, Q, count, base2: tl.constexpr, WIDTH: tl.constexpr, CH: tl.constexpr):
    head = tl.program_id(0)
    token = tl.program_id(1)
    Q += (head * count + token) * WIDTH
    K += head * count * WIDTH
    V += head * count * WIDTH
    query = tl.load(Q + tl.arange(0, WIDTH)).to(tl.float32) * base2
    top, mass = float("-inf"), 0.0
    out = tl.zeros((WIDTH,), dtype=tl.float32)
    start = 0
    while start < count:
        rows = start + tl.arange(0, CH)
        logits = tl.sum(_tile(K, rows, count, WIDTH) * query[None, :], axis=1)
        logits = tl.where(rows < count, logits, float("-inf"))
        higher = tl.maximum(tl.max(logits, axis=0), top)
        weights = tl.exp2(logits - higher)
        shrink = tl.exp2(top - higher)
        out = out * shrink + tl.sum(weights[:, None] * _tile(V, rows, count, WIDTH), axis=0)
        mass = tl.sum(weights, axis=0) + mass * shrink
        top = higher
        start += CH
    tl.store(OUT + (head * count + token) * WIDTH + tl.arange(0, WIDTH), out * (1.0 / mass))
def run(query, key, value, out):
    heads, count, width = query.shape
    decode[(heads, count)](out, key, value, query, count, base2=1.4427 * width ** -0.5, WIDTH=width, CH=128, num_warps=8)
