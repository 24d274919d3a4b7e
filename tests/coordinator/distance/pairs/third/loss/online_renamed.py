# Streaming log-partition estimator; base-two arithmetic, class score captured by a separate helper.
import torch
import triton
import triton.language as tl

INV_LN2: tl.constexpr = tl.constexpr(1.4426950408889634)
LN2: tl.constexpr = tl.constexpr(0.6931471805599453)


@triton.jit
def update(peak, mass, piece):
    candidate = tl.max(piece, 0)
    grown = tl.where(candidate > peak, candidate, peak)
    mass *= tl.math.exp2(peak - grown)
    mass += tl.sum(tl.math.exp2(piece - grown), 0)
    return grown, mass


@triton.jit
def class_score(line, labels, sample):
    label = tl.load(labels + sample)
    return tl.load(line + label).to(tl.float32)


@triton.jit
def stream_nll(scores, labels, losses, classes, pitch, PIECE: tl.constexpr):
    sample = tl.program_id(axis=0).to(tl.int64)
    line = scores + sample * pitch
    score = class_score(line, labels, sample)
    offset = tl.arange(0, PIECE)
    peak = -1.0e38
    mass = 0.0
    left = classes
    while left > 0:
        alive = offset < classes
        piece = tl.load(line + offset, mask=alive, other=-1.0e38, eviction_policy="evict_first")
        piece = tl.where(alive, piece.to(tl.float32) * INV_LN2, -1.0e38)
        peak, mass = update(peak, mass, piece)
        offset += PIECE
        left -= PIECE
    nll = (peak + tl.math.log2(mass)) * LN2 - score
    tl.store(losses + sample, nll)


def run(logits, target, loss):
    samples, classes = logits.size()
    losses = logits.new_empty((samples,), dtype=torch.float32)
    stream_nll[(samples, 1, 1)](logits, target, losses, classes, logits.stride(0), PIECE=1024,
                                num_warps=4, num_stages=3)
    torch.mean(losses, dim=0, out=loss) if loss.dim() == 0 else loss.copy_(losses.mean())
