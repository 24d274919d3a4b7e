import torch
import triton
import triton.language as tl


@triton.jit
def scores_tile(q, k, scores, length, scale, BQ: tl.constexpr, BK: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(2)
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    ts = tl.program_id(1) * BK + tl.arange(0, BK)
    ds = tl.arange(0, D)
    queries = tl.load(
        q + head * length * D + rows[:, None] * D + ds[None, :], mask=rows[:, None] < length, other=0.0
    )
    keys = tl.load(
        k + head * length * D + ts[:, None] * D + ds[None, :], mask=ts[:, None] < length, other=0.0
    )
    inside = (rows[:, None] < length) & (ts[None, :] < length)
    at = head * length * length + rows[:, None] * length + ts[None, :]
    tl.store(scores + at, tl.dot(queries, tl.trans(keys)) * scale, mask=inside)


@triton.jit
def softmax_row(scores, length, BLOCK: tl.constexpr):
    at = tl.program_id(0) * length + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < length
    values = tl.load(scores + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(scores + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def values_tile(scores, v, out, length, BQ: tl.constexpr, BK: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    ds = tl.arange(0, D)
    result = tl.zeros([BQ, D], dtype=tl.float32)
    for start in range(0, length, BK):
        ts = start + tl.arange(0, BK)
        inside = (rows[:, None] < length) & (ts[None, :] < length)
        at = head * length * length + rows[:, None] * length + ts[None, :]
        powers = tl.load(scores + at, mask=inside, other=0.0)
        values = tl.load(
            v + head * length * D + ts[:, None] * D + ds[None, :], mask=ts[:, None] < length, other=0.0
        )
        result += tl.dot(powers.to(values.dtype), values)
    at_o = head * length * D + rows[:, None] * D + ds[None, :]
    tl.store(out + at_o, result.to(out.dtype.element_ty), mask=rows[:, None] < length)


def run(q, k, v, out):
    heads, length, width = q.shape
    scores = torch.empty((heads, length, length), device=q.device, dtype=torch.float32)
    tiles = triton.cdiv(length, 64)
    scores_tile[(tiles, tiles, heads)](q, k, scores, length, width**-0.5, BQ=64, BK=64, D=width)
    softmax_row[(heads * length,)](scores, length, BLOCK=triton.next_power_of_2(length))
    values_tile[(tiles, heads)](scores, v, out, length, BQ=64, BK=64, D=width)
