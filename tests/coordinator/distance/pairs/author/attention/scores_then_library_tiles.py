import math
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
@triton.jit
def _rows(ptr, at, width, keep):
    return tl.load(ptr + at[:, None] * width + tl.arange(0, width)[None, :], mask=keep[:, None], other=0.0)
@triton.jit
def logits(OUT, Q, K, length, factor, WIDTH: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    tile, head = tl.program_id(axis=0), tl.program_id(axis=1)
    across = tl.cdiv(length, TN)
    m = (tile // across) * TM + tl.arange(0, TM)
    n = (tile % across) * TN + tl.arange(0, TN)
    Q += head * length * WIDTH
    K += head * length * WIDTH
    OUT += head * length * length
    product = tl.dot(_rows(Q, m, WIDTH, m < length), tl.permute(_rows(K, n, WIDTH, n < length), 1, 0))
    tl.store(OUT + m[:, None] * length + n[None, :], factor * product, mask=(m < length)[:, None] & (n < length)[None, :])
@torch.inference_mode()
def run(query, key, value, out):
    heads, length, width = query.shape
    table = query.new_empty((heads, length, length), dtype=torch.float32)
    tiles = triton.cdiv(length, 128) * triton.cdiv(length, 64)
    logits[(tiles, heads)](table, query, key, length, 1 / math.sqrt(width), WIDTH=width, TM=128, TN=64, num_warps=8)
    torch.matmul(F.softmax(table, dim=2), value, out=out)
