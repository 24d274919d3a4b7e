# Radically different formulation: everything in base two, keys addressed transposed, scale folded
# into the queries, update factored into its own function.
import triton
import triton.language as tl

LOG2E = 1.4426950408889634


@triton.jit
def absorb(peak, mass, out, logits, values):
    new_peak = tl.maximum(tl.max(logits, 1), peak)
    weights = tl.math.exp2(logits - new_peak[:, None])
    decay = tl.math.exp2(peak - new_peak)
    out = out * decay[:, None]
    out = tl.dot(weights.to(values.dtype), values, acc=out)
    mass = tl.fma(mass, decay, tl.sum(weights, 1))
    return new_peak, mass, out


@triton.jit
def fused(queries, keys, values, result, length, factor,
          QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    block = tl.program_id(0)
    plane = tl.program_id(1).to(tl.int64) * length * WIDTH
    feature = tl.arange(0, WIDTH)
    mine = block * QUERIES + tl.arange(0, QUERIES)
    present = mine < length
    query = tl.load(queries + plane + mine[:, None] * WIDTH + feature[None, :], mask=present[:, None], other=0.0)
    query = (query.to(tl.float32) * factor).to(query.dtype)
    peak = tl.zeros([QUERIES], tl.float32) - 1e30
    mass = tl.zeros([QUERIES], tl.float32)
    out = tl.zeros([QUERIES, WIDTH], tl.float32)
    position = 0
    while position < length:
        theirs = position + tl.arange(0, KEYS)
        there = theirs < length
        key_t = tl.load(keys + plane + feature[:, None] + theirs[None, :] * WIDTH, mask=there[None, :], other=0.0)
        logits = tl.dot(query, key_t)
        logits += tl.where(there, 0.0, -1e30)[None, :]
        value = tl.load(values + plane + theirs[:, None] * WIDTH + feature[None, :], mask=there[:, None], other=0.0)
        peak, mass, out = absorb(peak, mass, out, logits, value)
        position += KEYS
    out *= (1.0 / mass)[:, None]
    tl.store(result + plane + mine[:, None] * WIDTH + feature[None, :], out.to(result.dtype.element_ty),
             mask=present[:, None])


def run(q, k, v, o):
    batch, heads, length, width = q.shape
    fused[(triton.cdiv(length, 128), batch * heads)](
        q, k, v, o, length, LOG2E * width ** -0.5,
        QUERIES=128, KEYS=32, WIDTH=width, num_warps=8, num_stages=4)
