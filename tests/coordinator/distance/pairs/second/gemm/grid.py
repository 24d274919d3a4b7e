import triton
import triton.language as tl


@triton.jit
def gemm_tile(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    across = tl.cdiv(n, BN)
    rows = tile // across * BM + tl.arange(0, BM)
    columns = tile % across * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
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
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty), mask=inside)


def run(a, b, c):
    m, k = a.shape
    n = b.shape[1]
    grid = (triton.cdiv(m, 64) * triton.cdiv(n, 64),)
    gemm_tile[grid](a, b, c, m, n, k, BM=64, BN=64, BK=32, num_warps=4)
