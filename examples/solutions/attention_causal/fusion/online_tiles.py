# Idea: tiles of queries walk over tiles of keys with a running maximum and sum, so that no score ever
# leaves the chip; only the last tiles, on the diagonal, are masked.
# Predicted: several times a composition of operators, below kernels of specialised warps.
import triton
import triton.language as tl


@triton.jit
def walk(query, k, v, rows, seq, first, end, top, total, average, MASKED: tl.constexpr, BN: tl.constexpr):
    """Take the keys from `first` to `end` into the average."""
    features = tl.arange(0, 128)
    # 1 / sqrt(128), and log2(e), since the hardware knows powers of two alone.
    scale: tl.constexpr = 0.08838834764 * 1.44269504
    for start in range(first, end, BN):
        keys = start + tl.arange(0, BN)
        at = keys[:, None] * 128 + features[None, :]
        if MASKED:
            key = tl.load(k + at, mask=(keys < seq)[:, None], other=0.0)
            value = tl.load(v + at, mask=(keys < seq)[:, None], other=0.0)
        else:
            key, value = tl.load(k + at), tl.load(v + at)
        score = tl.dot(query, key.T)
        if MASKED:
            score = tl.where(keys[None, :] <= rows[:, None], score, -3e38)
        higher = tl.maximum(top, tl.max(score, axis=1))
        power = tl.exp2((score - higher[:, None]) * scale)
        shrink = tl.exp2((top - higher) * scale)
        total = total * shrink + tl.sum(power, axis=1)
        average = tl.dot(power.to(tl.bfloat16), value, average * shrink[:, None])
        top = higher
    return top, total, average


@triton.jit
def attend(q, k, v, out, seq, BM: tl.constexpr, BN: tl.constexpr):
    """128 features; one tile of queries walks over the tiles of keys before it, its own last."""
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * seq * 128
    rows = tile * BM + tl.arange(0, BM)
    at = head + rows[:, None] * 128 + tl.arange(0, 128)[None, :]
    query = tl.load(q + at, mask=(rows < seq)[:, None], other=0.0)
    top = tl.full([BM], -3e38, tl.float32)
    total = tl.zeros([BM], tl.float32)
    average = tl.zeros([BM, 128], tl.float32)
    k += head
    v += head
    top, total, average = walk(query, k, v, rows, seq, 0, tile * BM, top, total, average, False, BN)
    top, total, average = walk(query, k, v, rows, seq, tile * BM, (tile + 1) * BM, top, total, average, True, BN)
    tl.store(out + at, (average / total[:, None]).to(tl.bfloat16), mask=(rows < seq)[:, None])
