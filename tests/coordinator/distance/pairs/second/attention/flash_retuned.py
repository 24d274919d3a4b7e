"""Attention, one program for each block of queries; larger blocks, base two, wider staging."""

import math

import torch
import triton
from triton import language as tl


@triton.jit
def _update(acc, m_i, l_i, qk, v):
    m_ij = tl.max(qk, 1)
    m_new = tl.where(m_ij > m_i, m_ij, m_i)
    alpha = tl.math.exp2(m_i - m_new)
    p = tl.math.exp2(qk - m_new[:, None])
    acc = acc * alpha[:, None]
    acc = tl.dot(p.to(v.dtype), v, acc)
    l_i = l_i * alpha + tl.sum(p, 1)
    return acc, m_new, l_i


@triton.jit
def _fwd_kernel(
    O, Q, K, V, sm_scale, N_CTX,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD_DIM: tl.constexpr,
):
    off_h = tl.program_id(0)
    start_m = tl.program_id(1)
    base = off_h.to(tl.int64) * N_CTX * HEAD_DIM
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q_mask = (offs_m < N_CTX)[:, None]
    q = tl.load(Q + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :], mask=q_mask, other=0)
    # Keys are addressed as columns, so that no transposition is written.
    k_ptrs = K + base + offs_n[None, :] * HEAD_DIM + offs_d[:, None]
    v_ptrs = V + base + offs_n[:, None] * HEAD_DIM + offs_d[None, :]

    m_i = tl.zeros([BLOCK_M], tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    lo = 0
    while lo < N_CTX:
        left = N_CTX - lo
        k = tl.load(k_ptrs, mask=(offs_n < left)[None, :], other=0)
        qk = tl.dot(q, k) * sm_scale
        qk = tl.where((offs_n < left)[None, :], qk, float("-inf"))
        v = tl.load(v_ptrs, mask=(offs_n < left)[:, None], other=0, eviction_policy="evict_last")
        acc, m_i, l_i = _update(acc, m_i, l_i, qk, v)
        k_ptrs += BLOCK_N * HEAD_DIM
        v_ptrs += BLOCK_N * HEAD_DIM
        lo += BLOCK_N

    acc *= (1.0 / l_i)[:, None]
    o_ptrs = O + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :]
    tl.store(o_ptrs, acc.to(O.type.element_ty), mask=q_mask)


def run(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor) -> None:
    n_heads, n_ctx, head_dim = query.shape
    sm_scale = 1.4426950408889634 / math.sqrt(head_dim)
    block_m = 128
    _fwd_kernel[(n_heads, triton.cdiv(n_ctx, block_m))](
        out, query, key, value, sm_scale, n_ctx,
        BLOCK_M=block_m, BLOCK_N=64, HEAD_DIM=head_dim, num_warps=8, num_stages=3,
    )
