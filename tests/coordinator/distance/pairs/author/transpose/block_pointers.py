import torch
import triton
import triton.language as tl
@triton.jit
def kern(OUT, IN, H, W, s0, s1, BH: tl.constexpr, BW: tl.constexpr):
    pid = tl.program_id(0)
    n = tl.cdiv(W, BW)
    i, j = pid // n, pid % n
    src = tl.make_block_ptr(IN, shape=(H, W), strides=(W, 1), offsets=(i * BH, j * BW), block_shape=(BH, BW), order=(1, 0))
    dst = tl.make_block_ptr(OUT, shape=(W, H), strides=(H, 1), offsets=(j * BW, i * BH), block_shape=(BW, BH), order=(1, 0))
    tl.store(dst, tl.permute(tl.load(src, boundary_check=(0, 1)), (1, 0)), boundary_check=(0, 1))
def run(a, b):
    H, W = a.shape
    kern[(triton.cdiv(H, 64) * triton.cdiv(W, 64),)](b, a, H, W, W, 1, BH=64, BW=64, num_warps=8)
