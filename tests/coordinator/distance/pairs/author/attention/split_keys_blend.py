"""Map-reduce attention: shards compute independently, a merger blends them."""
from typing import NamedTuple

import torch
import triton
import triton.language as tl


@triton.jit
def _rows(base, first, limit, stride, N: tl.constexpr, W: tl.constexpr):
    r = first + tl.arange(0, N)
    return tl.load(base + r[:, None] * stride + tl.arange(0, W)[None, :], mask=(r < limit)[:, None], other=0.0)


@triton.jit
def shard(Q, K, V, PO, PS, T, SPAN, factor, HEADS, QN: tl.constexpr, KN: tl.constexpr, W: tl.constexpr):
    qb, h, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    Q += h * T * W
    K += h * T * W
    V += h * T * W
    q = _rows(Q, qb * QN, T, W, QN, W)
    peak = tl.zeros([QN], tl.float32) - 1e30
    mass = tl.zeros([QN], tl.float32)
    out = tl.zeros([QN, W], tl.float32)
    at = part * SPAN
    stop = min(at + SPAN, T)
    while at < stop:
        logits = tl.dot(q, tl.permute(_rows(K, at, stop, W, KN, W), (1, 0))) * (factor * 1.44269504)
        logits += tl.where((at + tl.arange(0, KN) < stop)[None, :], 0.0, -1e30)
        fresh = tl.maximum(peak, tl.max(logits, 1))
        probs = tl.exp2(logits - fresh[:, None])
        decay = tl.exp2(peak - fresh)
        mass = tl.fma(mass, decay, tl.sum(probs, 1))
        values = _rows(V, at, stop, W, KN, W)
        out = tl.dot(probs.to(values.dtype), values, out * decay[:, None])
        peak = fresh
        at += KN
    row = (part * HEADS + h) * T + qb * QN + tl.arange(0, QN)
    live = qb * QN + tl.arange(0, QN) < T
    tl.store(PS + row * 2, peak, mask=live)
    tl.store(PS + row * 2 + 1, mass, mask=live)
    tl.store(PO + row[:, None] * W + tl.arange(0, W)[None, :], out, mask=live[:, None])


@triton.jit
def blend(PO, PS, O, rows, PARTS: tl.constexpr, W: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * N + tl.arange(0, N)
    live = row < rows
    best = tl.full([N], -1e30, tl.float32)
    for p in tl.static_range(PARTS):
        best = tl.maximum(best, tl.load(PS + (p * rows + row) * 2, mask=live, other=-1e30))
    total = tl.zeros([N], tl.float32)
    mixed = tl.zeros([N, W], tl.float32)
    for p in tl.static_range(PARTS):
        weight = tl.exp2(tl.load(PS + (p * rows + row) * 2, mask=live, other=-1e30) - best)
        total += weight * tl.load(PS + (p * rows + row) * 2 + 1, mask=live, other=0.0)
        mixed += weight[:, None] * tl.load(PO + (p * rows + row)[:, None] * W + tl.arange(0, W)[None, :], mask=live[:, None], other=0.0)
    tl.store(O + row[:, None] * W + tl.arange(0, W)[None, :], (mixed / total[:, None]).to(O.dtype.element_ty), mask=live[:, None])


class Scratch(NamedTuple):
    partial: torch.Tensor
    state: torch.Tensor


def run(q, k, v, o):
    batch, heads, tokens, width = q.shape
    parts, rows = 8, batch * heads * tokens
    scratch = Scratch(q.new_empty(parts, rows, width, dtype=torch.float32), q.new_empty(parts, rows, 2, dtype=torch.float32))
    span = triton.cdiv(tokens, parts)
    shard[(triton.cdiv(tokens, 32), batch * heads, parts)](q, k, v, *scratch, tokens, span, width ** -0.5, batch * heads, QN=32, KN=64, W=width)
    blend[(triton.cdiv(rows, 16),)](*scratch, o, rows, PARTS=parts, W=width, N=16)
