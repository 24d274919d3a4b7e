import triton
import triton.language as tl


@triton.jit
def gn(x, w, b, y, C, S, GC: tl.constexpr, BLOCK: tl.constexpr):
    n, g = tl.program_id(0), tl.program_id(1)
    base = (n * C + g * GC) * S
    size = GC * S
    s = 0.0
    q = 0.0
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + at, mask=at < size, other=0.0).to(tl.float32)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    mean = s / size
    rstd = 1.0 / tl.sqrt(q / size - mean * mean + 1e-5)
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        ch = g * GC + at // S
        v = tl.load(x + base + at, mask=at < size, other=0.0).to(tl.float32)
        out = (v - mean) * rstd * tl.load(w + ch, mask=at < size) + tl.load(b + ch, mask=at < size)
        tl.store(y + base + at, out, mask=at < size)


def run(x, w, b, y):
    N, C, H, W = x.shape
    gn[(N, 32)](x, w, b, y, C, H * W, GC=C // 32, BLOCK=1024)
