import triton
import triton.language as tl


@triton.jit
def row_loss(logits, labels, loss, vocabulary, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = logits + row.to(tl.int64) * vocabulary
    at = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for start in range(0, vocabulary, BLOCK):
        values = tl.load(base + start + at, mask=start + at < vocabulary, other=-float("inf"))
        larger = tl.maximum(top, tl.max(values, axis=0))
        total = total * tl.exp(top - larger) + tl.sum(tl.exp(values - larger), axis=0)
        top = larger
    wanted = tl.load(base + tl.load(labels + row))
    tl.store(loss + row, tl.log(total) + top - wanted)


def run(logits, labels, loss):
    tokens, vocabulary = logits.shape
    row_loss[(tokens,)](logits, labels, loss, vocabulary, BLOCK=2048, num_warps=8)
