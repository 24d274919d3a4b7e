import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    highest = tl.full([BLOCK], -1e30, dtype=tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        inside = start + at < columns
        values = tl.load(x + row * columns + start + at, mask=inside, other=-float("inf"))
        larger = tl.maximum(highest, values)
        total = total * tl.exp(highest - larger) + tl.exp(values - larger)
        highest = larger
    top = tl.max(highest, axis=0)
    sum_all = tl.sum(total * tl.exp(highest - top), axis=0)
    for start in range(0, columns, BLOCK):
        inside = start + at < columns
        values = tl.load(x + row * columns + start + at, mask=inside, other=-float("inf"))
        tl.store(y + row * columns + start + at, tl.exp(values - top) / sum_all, mask=inside)


def run(x, y):
    rows, columns = x.shape
    softmax_rows[(rows,)](x, y, columns, BLOCK=1024, num_warps=4)
