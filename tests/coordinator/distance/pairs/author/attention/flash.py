import math
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, T, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * T * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + head + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
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
    acc = acc / l[:, None]
    tl.store(o_ptr + head + rm[:, None] * D + rd[None, :], acc.to(o_ptr.dtype.element_ty), mask=rm[:, None] < T)


def run(q, k, v, o):
    B, H, T, D = q.shape
    attention_kernel[(triton.cdiv(T, 64), B * H)](q, k, v, o, T, 1.0 / math.sqrt(D), BM=64, BN=64, D=D,
                                                  num_warps=4, num_stages=2)
