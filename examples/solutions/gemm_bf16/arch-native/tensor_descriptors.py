# Idea: operands and result move by Hopper's tensor copy engine, by descriptors made on the host,
# in grouped tiles of 128 x 256; no address arithmetic and no masks in the loop.
# Predicted: the warps only feed the matrix units; 5 % over the grouped tiles with pointers.
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def multiply_tiles(
    a, b, c, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """One tile of c = a bᵀ; what lies outside reads as zero and is not stored."""
    tall, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile = tl.program_id(0)
    first = tile // (8 * wide) * 8
    height = min(tall - first, 8)
    row = (first + tile % (8 * wide) % height) * BM
    column = tile % (8 * wide) // height * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
    c.store([row, column], total.to(c.dtype))


def run(a, b_weight, c):
    """Write `c`."""
    m, k = a.shape
    n = b_weight.shape[0]
    multiply_tiles[(triton.cdiv(m, 128) * triton.cdiv(n, 256),)](
        TensorDescriptor.from_tensor(a, [128, 64]),
        TensorDescriptor.from_tensor(b_weight, [256, 64]),
        TensorDescriptor.from_tensor(c, [128, 256]),
        m, n, k, BM=128, BN=256, BK=64, num_warps=8, num_stages=3,
    )  # fmt: skip
