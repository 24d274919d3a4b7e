"""Work-distribution redesign: programs are long-lived agents with their own tile iterator."""
import functools

import torch
import triton
import triton.language as tl


@triton.jit
def locate(ticket, across, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    line = ticket // across
    place = ticket - line * across
    return line * HEIGHT + tl.arange(0, HEIGHT), place * WIDTH + tl.arange(0, WIDTH)


@triton.jit
def dot_line(x, w, rows, columns, height, width, depth,
             HEIGHT: tl.constexpr, WIDTH: tl.constexpr, DEPTH: tl.constexpr):
    total = tl.zeros([HEIGHT, WIDTH], tl.float32)
    for step in range(tl.cdiv(depth, DEPTH)):
        inner = step * DEPTH + tl.arange(0, DEPTH)
        left = tl.load(x + rows[:, None] * depth + inner[None, :],
                       mask=(rows < height)[:, None] & (inner < depth)[None, :], other=0.0)
        right = tl.load(w + inner[:, None] * width + columns[None, :],
                        mask=(inner < depth)[:, None] & (columns < width)[None, :], other=0.0)
        total = tl.dot(left, right, total)
    return total


@triton.jit
def agent(x, w, y, height, width, depth, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, DEPTH: tl.constexpr):
    across = tl.cdiv(width, WIDTH)
    tickets = tl.cdiv(height, HEIGHT) * across
    ticket = tl.program_id(0)
    while ticket < tickets:
        rows, columns = locate(ticket, across, HEIGHT, WIDTH)
        total = dot_line(x, w, rows, columns, height, width, depth, HEIGHT, WIDTH, DEPTH)
        keep = (rows < height)[:, None] & (columns < width)[None, :]
        tl.store(y + rows[:, None] * width + columns[None, :], total.to(y.dtype.element_ty), mask=keep)
        ticket += tl.num_programs(0)


@functools.lru_cache(maxsize=None)
def agents(index):
    return 2 * torch.cuda.get_device_properties(index).multi_processor_count


def run(A, B, C):
    height, depth = A.shape
    width = B.shape[1]
    agent[(agents(A.device.index or 0),)](A, B, C, height, width, depth,
                                          HEIGHT=64, WIDTH=128, DEPTH=64, num_warps=4, num_stages=4)
