import torch, triton
import triton.language as tl
@triton.jit
def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    nm, nn = tl.cdiv(M, BM), tl.cdiv(N, BN)
    per = G * nn
    g = pid // per
    size = min(nm - g * G, G)
    pm = g * G + pid % per % size
    pn = pid % per // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    A = a + rm[:, None] * K + rk[None, :]
    B = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(A, mask=rk[None, :] < K - k0 * BK, other=0.0), tl.load(B, mask=rk[:, None] < K - k0 * BK, other=0.0), acc)
        A += BK
        B += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))
def run(a, b, c):
    M, K = a.shape
    N = b.shape[1]
    k[(triton.cdiv(M, 128) * triton.cdiv(N, 128),)](a, b, c, M, N, K, BM=128, BN=128, BK=32, G=8)
