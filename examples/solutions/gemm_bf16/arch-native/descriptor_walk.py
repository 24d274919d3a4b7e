# Idea: the tensor copy engine and one program per multiprocessor together: the loop over tiles is
# flattened, and the result leaves in two halves, so that its shared memory stays small.
# Predicted: 95 % of the library's rate at M = 4096, the best of the Triton versions.
import functools

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def multiply_walk(
    a, b, c, M, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """Walk over the tiles of c = a bᵀ."""
    tall, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tall * wide, tl.num_programs(0), flatten=True):
        first = tile // (8 * wide) * 8
        height = min(tall - first, 8)
        row = (first + tile % (8 * wide) % height) * BM
        column = tile % (8 * wide) // height * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
        halves = tl.permute(tl.reshape(total, (BM, 2, BN // 2)), (0, 2, 1))
        left, right = tl.split(halves)
        c.store([row, column], left.to(c.dtype))
        c.store([row, column + BN // 2], right.to(c.dtype))


@functools.cache
def multiprocessors(device):
    """How many multiprocessors the device has; 4 where there is none to ask."""
    if device.type != "cuda":
        return 4
    return torch.cuda.get_device_properties(device).multi_processor_count


def run(a, b_weight, c):
    """Write `c`."""
    m, k = a.shape
    n = b_weight.shape[0]
    tiles = triton.cdiv(m, 128) * triton.cdiv(n, 256)
    multiply_walk[(min(tiles, multiprocessors(a.device)),)](
        TensorDescriptor.from_tensor(a, [128, 64]),
        TensorDescriptor.from_tensor(b_weight, [256, 64]),
        TensorDescriptor.from_tensor(c, [128, 128]),
        m, n, k, BM=128, BN=256, BK=64, num_warps=8, num_stages=3,
    )  # fmt: skip
