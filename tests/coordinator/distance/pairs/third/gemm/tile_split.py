import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, part_ptr, M, N, K, SLICE, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    first = tl.program_id(2) * SLICE
    last = tl.minimum(first + SLICE, K)
    rk = first + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(first, last, BK):
        at = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < last), other=0.0)
        bt = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < last) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(at, bt)
        rk += BK
    part_ptr += tl.program_id(2) * M * N
    tl.store(part_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def add_parts(part_ptr, c_ptr, size, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in range(SPLITS):
        total += tl.load(part_ptr + s * size + at, mask=at < size, other=0.0)
    tl.store(c_ptr + at, total.to(c_ptr.dtype.element_ty), mask=at < size)


def run(A, B, C):
    M, K = A.shape
    N = B.shape[1]
    splits = 8
    step = triton.cdiv(triton.cdiv(K, splits), 32) * 32
    parts = torch.empty((splits, M, N), dtype=torch.float32, device=A.device)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), splits)
    matmul_kernel[grid](A, B, parts, M, N, K, step, BM=64, BN=64, BK=32, num_warps=4, num_stages=3)
    add_parts[(triton.cdiv(M * N, 1024),)](parts, C, M * N, SPLITS=splits, BLOCK=1024)
