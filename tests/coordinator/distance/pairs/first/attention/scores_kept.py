import torch
import triton
import triton.language as tl


@triton.jit
def scores_of(q, k, s, S, scale, D: tl.constexpr, B: tl.constexpr):
    head = tl.program_id(2)
    rows = tl.program_id(0) * B + tl.arange(0, B)
    keys = tl.program_id(1) * B + tl.arange(0, B)
    width = tl.arange(0, D)
    left = tl.load(q + head * S * D + rows[:, None] * D + width[None, :], mask=rows[:, None] < S, other=0.0)
    right = tl.load(k + head * S * D + keys[:, None] * D + width[None, :], mask=keys[:, None] < S, other=0.0)
    inside = (rows[:, None] < S) & (keys[None, :] < S)
    tl.store(s + head * S * S + rows[:, None] * S + keys[None, :], tl.dot(left, right.T) * scale, mask=inside)


@triton.jit
def normalise(s, S, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = s + tl.program_id(0) * S
    value = tl.load(row + at, mask=at < S, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(row + at, power / tl.sum(power, axis=0), mask=at < S)


@triton.jit
def weigh(s, v, out, S, D: tl.constexpr, B: tl.constexpr):
    head = tl.program_id(1)
    rows = tl.program_id(0) * B + tl.arange(0, B)
    width = tl.arange(0, D)
    acc = tl.zeros([B, D], tl.float32)
    for start in range(0, S, B):
        keys = start + tl.arange(0, B)
        share = tl.load(s + head * S * S + rows[:, None] * S + keys[None, :], mask=keys[None, :] < S, other=0.0)
        value = tl.load(v + head * S * D + keys[:, None] * D + width[None, :], mask=keys[:, None] < S, other=0.0)
        acc = tl.dot(share.to(value.dtype), value, acc)
    tl.store(out + head * S * D + rows[:, None] * D + width[None, :], acc, mask=rows[:, None] < S)


def run(q, k, v, out):
    h, n, d = q.shape
    s = torch.empty((h, n, n), dtype=torch.float32, device=q.device)
    tiles = triton.cdiv(n, 64)
    scores_of[(tiles, tiles, h)](q, k, s, n, d**-0.5, D=d, B=64)
    normalise[(h * n,)](s, n, BLOCK=triton.next_power_of_2(n))
    weigh[(tiles, h)](s, v, out, n, D=d, B=64)
