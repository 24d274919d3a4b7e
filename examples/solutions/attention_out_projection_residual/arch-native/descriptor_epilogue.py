# Idea: operands, residual and result move by Hopper's tensor copy engine; the residual tile is
# asked for after the loop and added in float32.
# Predicted: 5 % over the same tile with pointers at large batch × seq.
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def multiply_tiles(
    a, b, d, c, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """One tile of c = a bᵀ + d; what lies outside reads as zero and is not stored."""
    tall, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile = tl.program_id(0)
    first = tile // (8 * wide) * 8
    height = min(tall - first, 8)
    row = (first + tile % (8 * wide) % height) * BM
    column = tile % (8 * wide) // height * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
    total += d.load([row, column]).to(tl.float32)
    c.store([row, column], total.to(c.dtype))


def run(attn_output, residual, o_proj_weight, out):
    """Write `out`."""
    k = attn_output.shape[-1]
    n = o_proj_weight.shape[0]
    a, d, c = (t.view(-1, t.shape[-1]) for t in (attn_output, residual, out))
    m = a.shape[0]
    multiply_tiles[(triton.cdiv(m, 128) * triton.cdiv(n, 128),)](
        TensorDescriptor.from_tensor(a, [128, 64]),
        TensorDescriptor.from_tensor(o_proj_weight, [128, 64]),
        TensorDescriptor.from_tensor(d, [128, 128]),
        TensorDescriptor.from_tensor(c, [128, 128]),
        m, n, k, BM=128, BN=128, BK=64, num_warps=4, num_stages=3,
    )  # fmt: skip
