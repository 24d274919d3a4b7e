import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, out, S, scale, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    head = tl.program_id(1) * S * D
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    width = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + width[None, :], mask=rows[:, None] < S, other=0.0)
    top = tl.full([BQ], -float("inf"), tl.float32)
    total = tl.zeros([BQ], tl.float32)
    acc = tl.zeros([BQ, D], tl.float32)
    for start in range(0, S, BK):
        keys = start + tl.arange(0, BK)
        at = head + keys[:, None] * D + width[None, :]
        key = tl.load(k + at, mask=keys[:, None] < S, other=0.0)
        score = tl.dot(query, key.T) * scale
        score = tl.where(keys[None, :] < S, score, -float("inf"))
        grown = tl.maximum(top, tl.max(score, axis=1))
        power = tl.exp(score - grown[:, None])
        shrink = tl.exp(top - grown)
        total = total * shrink + tl.sum(power, axis=1)
        value = tl.load(v + at, mask=keys[:, None] < S, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(power.to(value.dtype), value)
        top = grown
    acc = acc / total[:, None]
    tl.store(out + head + rows[:, None] * D + width[None, :], acc.to(out.dtype.element_ty), mask=rows[:, None] < S)


def run(q, k, v, out):
    heads, length, width = q.shape
    grid = (triton.cdiv(length, 64), heads)
    attend[grid](q, k, v, out, length, width**-0.5, D=width, BQ=64, BK=64, num_warps=4, num_stages=2)
