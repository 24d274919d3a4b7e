# Idea: tiles of 128 x 256, walked in groups of eight pid offs_m, so that neighbouring programs share
# their operands in L2; four stages of 48 KB fill shared memory.
# Predicted: fewer bytes from memory per product; 85 to 90 % of the library's rate at large M.
import triton
import triton.language as tl


@triton.jit
def product(
    a, b, c, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    SWIZZLE: tl.constexpr,
):  # fmt: skip
    """One pid of c = a bᵀ."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    start = pid // (SWIZZLE * tiles_n) * SWIZZLE
    span = min(tiles_m - start, SWIZZLE)
    pm = start + pid % (SWIZZLE * tiles_n) % span
    pn = pid % (SWIZZLE * tiles_n) // span
    offs_m = pm * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pn * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    # Rows past the end wrap around to valid ones and are not stored.
    pa = a + (offs_m % M).to(tl.int64)[:, None] * K + offs_k[None, :]
    pb = b + (offs_n % N).to(tl.int64)[:, None] * K + offs_k[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        # K is a multiple of BLOCK_K, so nothing is masked here.
        left = tl.load(pa)
        right = tl.load(pb)
        acc += tl.dot(left, tl.trans(right))
        pa += BLOCK_K
        pb += BLOCK_K
    mask = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    pc = c + offs_m.to(tl.int64)[:, None] * N + offs_n[None, :]
    tl.store(pc, acc.to(c.dtype.element_ty), mask=mask)


def run(a, b_weight, c):
    """Write `c`."""
    m, k = a.shape
    n = b_weight.shape[0]
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 128),)
    product[grid](
        a, b_weight, c, m, n, k, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, SWIZZLE=4, num_warps=4, num_stages=5
    )
