# Idea: tiles of 64 x 64 with four warps: little shared memory, so many programs run at once.
# Predicted: enough parallelism for small M; too little reuse for large M, half the library's rate.
import triton
import triton.language as tl


@triton.jit
def multiply_tiles(
    a, b, c, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """One tile of c = a bᵀ."""
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    # Rows past the end wrap around to valid ones and are not stored.
    a_at = a + (rows % M).to(tl.int64)[:, None] * K + depth[None, :]
    b_at = b + (columns % N).to(tl.int64)[:, None] * K + depth[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        # K is a multiple of BK, so nothing is masked here.
        total = tl.dot(tl.load(a_at), tl.load(b_at).T, total)
        a_at += BK
        b_at += BK
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    c_at = c + rows.to(tl.int64)[:, None] * N + columns[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


def run(a, b_weight, c):
    """Write `c`."""
    m, k = a.shape
    n = b_weight.shape[0]
    grid = (triton.cdiv(n, 64), triton.cdiv(m, 64))
    multiply_tiles[grid](a, b_weight, c, m, n, k, BM=64, BN=64, BK=64, num_warps=4, num_stages=3)
