import triton
import triton.language as tl

LOG2E = 1.4426950408889634


@triton.jit
def _fwd(Q, K, V, O, N_CTX, sm_scale, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    base = tl.program_id(1) * N_CTX * HEAD
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    m_i = tl.zeros([BLOCK_M], tl.float32) - float("inf")
    o = tl.zeros([BLOCK_M, HEAD], tl.float32)
    live = offs_m[:, None] < N_CTX
    qs = tl.load(Q + base + offs_m[:, None] * HEAD + offs_d[None, :], mask=live, other=0.0)
    # In powers of two.
    qk_scale = sm_scale * 1.4426950408889634
    for n in tl.range(0, N_CTX, BLOCK_N, num_stages=3):
        offs_n = n + tl.arange(0, BLOCK_N)
        inside = offs_n < N_CTX
        ks = tl.load(K + base + offs_n[None, :] * HEAD + offs_d[:, None], mask=inside[None, :], other=0.0)
        qk = tl.dot(qs, ks) * qk_scale
        qk = tl.where(inside[None, :], qk, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp2(qk - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        o = o * alpha[:, None]
        vs = tl.load(V + base + offs_n[:, None] * HEAD + offs_d[None, :], mask=inside[:, None], other=0.0)
        o = tl.dot(p.to(vs.dtype), vs, o)
        m_i = m_new
    o = o / l_i[:, None]
    tl.store(O + base + offs_m[:, None] * HEAD + offs_d[None, :], o.to(O.dtype.element_ty), mask=live)


def run(q, k, v, out):
    h, n, d = q.shape
    _fwd[(triton.cdiv(n, 128), h)](q, k, v, out, n, d**-0.5, HEAD=d, BLOCK_M=128, BLOCK_N=32, num_warps=8)
