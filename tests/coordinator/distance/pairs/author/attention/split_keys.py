import math
import torch
import triton
import triton.language as tl


@triton.jit
def attention_part(q_ptr, k_ptr, v_ptr, acc_ptr, m_ptr, l_ptr, T, CHUNK, scale,
                   BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    heads = tl.num_programs(1)
    head = tl.program_id(1) * T * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + head + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    first = tl.program_id(2) * CHUNK
    for start in range(first, tl.minimum(first + CHUNK, T), BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + rn[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0)
        v = tl.load(v_ptr + head + rn[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where(rn[None, :] < T, s, float("-inf"))
        top = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - top[:, None])
        alpha = tl.exp(m - top)
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = top
    row = (tl.program_id(2) * heads + tl.program_id(1)) * T + rm
    tl.store(m_ptr + row, m, mask=rm < T)
    tl.store(l_ptr + row, l, mask=rm < T)
    tl.store(acc_ptr + row[:, None] * D + rd[None, :], acc, mask=rm[:, None] < T)


@triton.jit
def combine(acc_ptr, m_ptr, l_ptr, o_ptr, rows, SPLITS: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    part = tl.arange(0, SPLITS)
    rd = tl.arange(0, D)
    m = tl.load(m_ptr + part * rows + row)
    l = tl.load(l_ptr + part * rows + row)
    w = tl.exp(m - tl.max(m, axis=0))
    acc = tl.load(acc_ptr + (part[:, None] * rows + row) * D + rd[None, :])
    out = tl.sum(acc * w[:, None], axis=0) / tl.sum(l * w, axis=0)
    tl.store(o_ptr + row * D + rd, out.to(o_ptr.dtype.element_ty))


def run(q, k, v, o):
    B, H, T, D = q.shape
    splits = 4
    chunk = triton.cdiv(triton.cdiv(T, splits), 64) * 64
    rows = B * H * T
    acc = torch.empty((splits, rows, D), dtype=torch.float32, device=q.device)
    m = torch.empty((splits, rows), dtype=torch.float32, device=q.device)
    l = torch.empty_like(m)
    attention_part[(triton.cdiv(T, 64), B * H, splits)](q, k, v, acc, m, l, T, chunk, 1.0 / math.sqrt(D),
                                                        BM=64, BN=64, D=D, num_warps=4, num_stages=2)
    combine[(rows,)](acc, m, l, o, rows, SPLITS=splits, D=D)
