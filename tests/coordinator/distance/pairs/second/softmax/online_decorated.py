"""Softmax with a running maximum and sum; also a kernel for short rows that was slower and is unused."""

import triton
import triton.language as tl

CHUNK = 4096


@triton.jit
def _short_rows(src, dst, n, WIDTH: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, WIDTH)
    v = tl.load(src + pid * n + offs, mask=offs < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(dst + pid * n + offs, e / tl.sum(e, 0), mask=offs < n)


@triton.jit
def _rescaled(m_old, m_new, s):
    return s * tl.exp2(m_old - m_new)


@triton.jit
def _long_rows(dst, src, n, CHUNK: tl.constexpr, LOG2E: tl.constexpr):
    pid = tl.program_id(axis=0)
    src += pid * n
    dst += pid * n
    lanes = tl.arange(0, CHUNK)
    s = tl.full((CHUNK,), 0.0, tl.float32)
    m = tl.full((CHUNK,), -1.0e30, tl.float32)
    for i in tl.range(0, tl.cdiv(n, CHUNK)):
        offs = i * CHUNK + lanes
        v = tl.load(src + offs, mask=offs < n, other=float("-inf")) * LOG2E
        m_new = tl.where(v > m, v, m)
        s = tl.exp2(v - m_new) + _rescaled(m, m_new, s)
        m = m_new
    m_row = tl.max(m)
    inverse = 1.0 / tl.sum(_rescaled(m, m_row, s))
    for i in tl.range(0, tl.cdiv(n, CHUNK)):
        offs = i * CHUNK + lanes
        v = tl.load(src + offs, mask=offs < n, other=0.0, eviction_policy="evict_first")
        tl.store(dst + offs, tl.exp2(v * LOG2E - m_row) * inverse, mask=offs < n)


def run(logits, probabilities):
    n = logits.shape[-1]
    _long_rows[(logits.numel() // n,)](
        probabilities, logits, n, CHUNK=CHUNK, LOG2E=1.4426950408889634, num_warps=16
    )
