import triton
import triton.language as tl


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
        new = tl.maximum(m, tl.max(v, 0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(v - new), 0)
        m = new
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
        tl.store(y + row * n + c, tl.exp(v - m) / s, mask=c < n)


def run(x, y):
    softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=1024)
