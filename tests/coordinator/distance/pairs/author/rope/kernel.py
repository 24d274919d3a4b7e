import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, y_ptr, H, D, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1)
    half = D // 2
    d = tl.arange(0, BLOCK)
    mask = d < half
    inv = tl.exp(-9.210340371976184 * 2.0 * d.to(tl.float32) / D)
    angle = token.to(tl.float32) * inv
    cos = tl.cos(angle)
    sin = tl.sin(angle)
    base = (token * H + head) * D
    a = tl.load(x_ptr + base + d, mask=mask, other=0.0)
    b = tl.load(x_ptr + base + half + d, mask=mask, other=0.0)
    tl.store(y_ptr + base + d, a * cos - b * sin, mask=mask)
    tl.store(y_ptr + base + half + d, b * cos + a * sin, mask=mask)


def run(x, y):
    """x: [T, H, D]; rotary embedding of the halves."""
    T, H, D = x.shape
    rope_kernel[(T, H)](x, y, H, D, BLOCK=triton.next_power_of_2(D // 2), num_warps=1)
