import torch
import triton
import triton.language as tl


@triton.jit
def gemm_tiles(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = tl.cdiv(n, BN)
    tiles = tl.cdiv(m, BM) * across
    inner = tl.arange(0, BK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile // across * BM + tl.arange(0, BM)
        columns = tile % across * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, k, BK):
            ks = start + inner
            left = tl.load(
                a + rows[:, None] * k + ks[None, :],
                mask=(rows[:, None] < m) & (ks[None, :] < k),
                other=0.0,
            )
            right = tl.load(
                b + ks[:, None] * n + columns[None, :],
                mask=(ks[:, None] < k) & (columns[None, :] < n),
                other=0.0,
            )
            total += tl.dot(left, right)
        inside = (rows[:, None] < m) & (columns[None, :] < n)
        tl.store(
            c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty), mask=inside
        )


def run(a, b, c):
    m, k = a.shape
    n = b.shape[1]
    programs = torch.cuda.get_device_properties(a.device).multi_processor_count
    gemm_tiles[(programs,)](a, b, c, m, n, k, BM=64, BN=64, BK=32, num_warps=4)
