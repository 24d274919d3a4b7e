import triton
import triton.language as tl


@triton.jit
def softmax_row(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.full([BLOCK], -1e30, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * N + at, mask=at < N, other=-1e30)
        grown = tl.maximum(top, value)
        total = total * tl.exp(top - grown) + tl.exp(value - grown)
        top = grown
    highest = tl.max(top, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp(top - highest), axis=0)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * N + at, mask=at < N, other=-1e30)
        tl.store(y + row * N + at, tl.exp(value - highest) * inverse, mask=at < N)


def run(x, y):
    softmax_row[(x.shape[0],)](x, y, x.shape[1], BLOCK=1024, num_warps=4)
