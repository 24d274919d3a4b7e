import triton
import triton.language as tl


@triton.jit
def multiply_part(
    a, b, partial, M, N, K: tl.constexpr, PARTS: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    depth = tl.program_id(2) * (K // PARTS) + tl.arange(0, BK)
    a_at = a + (rows % M)[:, None] * K + depth[None, :]
    b_at = b + (columns % N)[:, None] * K + depth[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K // PARTS, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at).T, total)
        a_at += BK
        b_at += BK
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.atomic_add(partial + rows[:, None] * N + columns[None, :], total, mask=inside)


@triton.jit
def rounded(partial, c, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(partial + at, mask=at < count)
    tl.store(c + at, value.to(c.dtype.element_ty), mask=at < count)


def run(a, b_weight, c):
    m, k = a.shape
    n = b_weight.shape[0]
    partial = a.new_zeros((m, n), dtype=tl.float32)
    grid = (triton.cdiv(n, 64), triton.cdiv(m, 64), 4)
    multiply_part[grid](a, b_weight, partial, m, n, k, PARTS=4, BM=64, BN=64, BK=64, num_warps=4)
    rounded[(triton.cdiv(m * n, 1024),)](partial, c, m * n, BLOCK=1024)
