import triton
import triton.language as tl


@triton.jit
def rmsnorm_rows(x, weight, y, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, width, BLOCK):
        inside = start + at < width
        values = tl.load(x + row * width + start + at, mask=inside, other=0.0).to(tl.float32)
        squares += values * values
    mean = tl.sum(squares, axis=0) / width
    factor = tl.rsqrt(mean + epsilon)
    for start in range(0, width, BLOCK):
        inside = start + at < width
        values = tl.load(x + row * width + start + at, mask=inside, other=0.0).to(tl.float32)
        gain = tl.load(weight + start + at, mask=inside, other=0.0).to(tl.float32)
        result = values * factor * gain
        tl.store(y + row * width + start + at, result.to(y.dtype.element_ty), mask=inside)


def run(x, weight, y):
    rows, width = x.shape
    rmsnorm_rows[(rows,)](x, weight, y, width, 1e-6, BLOCK=1024, num_warps=8)
