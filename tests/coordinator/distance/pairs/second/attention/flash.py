import triton
import triton.language as tl


@triton.jit
def attention_tile(q, k, v, out, length, scale, BQ: tl.constexpr, BK: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * length * D
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    ds = tl.arange(0, D)
    at_q = head + rows[:, None] * D + ds[None, :]
    queries = tl.load(q + at_q, mask=rows[:, None] < length, other=0.0)
    highest = tl.full([BQ], -1e30, dtype=tl.float32)
    total = tl.zeros([BQ], dtype=tl.float32)
    result = tl.zeros([BQ, D], dtype=tl.float32)
    for start in range(0, length, BK):
        ts = start + tl.arange(0, BK)
        at_k = head + ts[:, None] * D + ds[None, :]
        keys = tl.load(k + at_k, mask=ts[:, None] < length, other=0.0)
        values = tl.load(v + at_k, mask=ts[:, None] < length, other=0.0)
        scores = tl.dot(queries, tl.trans(keys)) * scale
        scores = tl.where(ts[None, :] < length, scores, -1e30)
        larger = tl.maximum(highest, tl.max(scores, axis=1))
        powers = tl.exp(scores - larger[:, None])
        shrink = tl.exp(highest - larger)
        total = total * shrink + tl.sum(powers, axis=1)
        result = result * shrink[:, None] + tl.dot(powers.to(values.dtype), values)
        highest = larger
    tl.store(out + at_q, (result / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < length)


def run(q, k, v, out):
    heads, length, width = q.shape
    grid = (triton.cdiv(length, 64), heads)
    attention_tile[grid](q, k, v, out, length, width**-0.5, BQ=64, BK=32, D=width, num_warps=4)
