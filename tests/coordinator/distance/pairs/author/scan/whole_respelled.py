import triton
from triton import language as T


@triton.jit
def plus(left, right):
    return left + right


@triton.jit
def prefix_kernel(source, target, width, pitch, SPAN: T.constexpr):
    lane = T.arange(0, SPAN)
    inside = lane < width
    source += T.program_id(axis=0) * pitch
    target += T.program_id(axis=0) * pitch
    values = T.where(inside, T.load(source + lane, mask=inside), 0.0).to(T.float32)
    T.store(target + lane, T.associative_scan(values, axis=0, combine_fn=plus), mask=inside)


class Prefix:
    @staticmethod
    def launch(x, y):
        rows, width = x.shape
        span = triton.next_power_of_2(width)
        prefix_kernel[rows,](x, y, width, x.stride(0), span, num_warps=8 if span > 2048 else 4)


def run(x, y):
    Prefix.launch(x, y)
