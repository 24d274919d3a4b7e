# Idea: tiles of 128 x 256, walked in groups of eight tile rows, so that neighbouring programs share
# their operands in L2; four stages of 48 KB fill shared memory.
# Predicted: fewer bytes from memory per product; 85 to 90 % of the library's rate at large M.
import triton
import triton.language as tl


@triton.jit
def multiply_tiles(
    a, b, c, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr,
):  # fmt: skip
    """One tile of c = a bᵀ."""
    tall, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile = tl.program_id(0)
    first = tile // (GROUP * wide) * GROUP
    height = min(tall - first, GROUP)
    tile_m = first + tile % (GROUP * wide) % height
    tile_n = tile % (GROUP * wide) // height
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
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
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 256),)
    multiply_tiles[grid](
        a, b_weight, c, m, n, k, BM=128, BN=256, BK=64, GROUP=8, num_warps=8, num_stages=4
    )
