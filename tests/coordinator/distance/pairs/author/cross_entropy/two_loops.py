import triton
import triton.language as tl


@triton.jit
def row_loss(logits, labels, loss, vocabulary, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = logits + row.to(tl.int64) * vocabulary
    at = tl.arange(0, BLOCK)
    highest = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, vocabulary, BLOCK):
        values = tl.load(base + start + at, mask=start + at < vocabulary, other=-float("inf"))
        highest = tl.maximum(highest, values)
    top = tl.max(highest, axis=0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, vocabulary, BLOCK):
        values = tl.load(base + start + at, mask=start + at < vocabulary, other=-float("inf"))
        total += tl.exp(values - top)
    wanted = tl.load(base + tl.load(labels + row))
    tl.store(loss + row, tl.log(tl.sum(total, axis=0)) + top - wanted)


def run(logits, labels, loss):
    tokens, vocabulary = logits.shape
    row_loss[(tokens,)](logits, labels, loss, vocabulary, BLOCK=2048, num_warps=8)
