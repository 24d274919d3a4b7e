import functools

import torch
import triton
import triton.language as tl


@triton.jit
def standardise(v, inside, width, eps):
    mu = tl.sum(v, 0) * (1.0 / width)
    d = tl.where(inside, v - mu, 0.0)
    return d * tl.rsqrt(tl.sum(d * d, 0) * (1.0 / width) + eps)


@triton.jit
def resident(SRC, DST, GAIN, BIAS, rows, width, stride, eps, SPAN: tl.constexpr):
    lane = tl.arange(0, SPAN)
    inside = lane < width
    gain = tl.load(GAIN + lane, inside, 1.0)
    bias = tl.load(BIAS + lane, inside, 0.0)
    step = tl.num_programs(0)
    row = tl.program_id(0)
    while row < rows:
        here = row.to(tl.int64) * stride + lane
        v = tl.load(SRC + here, inside, 0.0, eviction_policy="evict_first").to(tl.float32)
        tl.store(DST + here, tl.fma(standardise(v, inside, width, eps), gain.to(tl.float32), bias.to(tl.float32)), inside)
        row += step


@functools.lru_cache
def programs(index):
    return 2 * torch.cuda.get_device_properties(index).multi_processor_count


def run(x, weight, bias, y):
    rows, width = x.size()
    resident[(programs(x.device.index),)](x, y, weight, bias, rows, width, x.stride(0), 1e-5, triton.next_power_of_2(width), num_warps=16)
