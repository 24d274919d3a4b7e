import torch
import triton
import triton.language as tl


@triton.jit
def silu_mul_kernel(gate_ptr, up_ptr, y_ptr, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < size
    g = tl.load(gate_ptr + at, mask=mask, other=0.0)
    u = tl.load(up_ptr + at, mask=mask, other=0.0)
    y = g / (1.0 + tl.exp(-g)) * u
    tl.store(y_ptr + at, y, mask=mask)


def run(gate, up, y):
    size = gate.numel()
    BLOCK = 1024
    silu_mul_kernel[(triton.cdiv(size, BLOCK),)](gate, up, y, size, BLOCK=BLOCK, num_warps=4)
