import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, WORKERS: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * tiles_n
    rk = tl.arange(0, BK)
    for tile in range(tl.program_id(0), tiles, WORKERS):
        rm = (tile // tiles_n) * BM + tl.arange(0, BM)
        rn = (tile % tiles_n) * BN + tl.arange(0, BN)
        a = a_ptr + rm[:, None] * K + rk[None, :]
        b = b_ptr + rk[:, None] * N + rn[None, :]
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            at = tl.load(a, mask=(rm[:, None] < M) & (rk[None, :] + k < K), other=0.0)
            bt = tl.load(b, mask=(rk[:, None] + k < K) & (rn[None, :] < N), other=0.0)
            acc += tl.dot(at, bt)
            a += BK
            b += BK * N
        tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(c_ptr.dtype.element_ty),
                 mask=(rm[:, None] < M) & (rn[None, :] < N))


def run(A, B, C):
    M, K = A.shape
    N = B.shape[1]
    workers = torch.cuda.get_device_properties(A.device).multi_processor_count
    matmul_kernel[(workers,)](A, B, C, M, N, K, WORKERS=workers, BM=128, BN=128, BK=32,
                              num_warps=8, num_stages=3)
