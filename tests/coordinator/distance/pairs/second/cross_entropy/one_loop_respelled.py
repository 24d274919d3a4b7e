"""Token losses in one sweep over the vocabulary, with a running log-sum-exp in base two."""

import torch
import triton
import triton.language as tl

LN2 = tl.constexpr(0.6931471805599453)
LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _merge(m, s, chunk):
    m_new = tl.maximum(tl.max(chunk), m)
    s = tl.sum(tl.exp2(chunk - m_new)) + s * tl.exp2(m - m_new)
    return m_new, s


@triton.jit
def _loss_kernel(
    loss_ptr,
    target_ptr,
    logits_ptr,
    stride,
    n_vocab,
    CHUNK: tl.constexpr,
):
    pid = tl.program_id(axis=0).to(tl.int64)
    logits_ptr += pid * stride
    target = tl.load(target_ptr + pid)
    x_target = tl.load(logits_ptr + target).to(tl.float32)
    offsets = tl.arange(0, CHUNK)
    m = float("-inf")
    s = 0.0
    left = n_vocab
    cursor = logits_ptr + offsets
    while left > 0:
        x = tl.load(cursor, mask=offsets < left, other=float("-inf"), eviction_policy="evict_first")
        m, s = _merge(m, s, x.to(tl.float32) * LOG2E)
        cursor += CHUNK
        left -= CHUNK
    lse = (m + tl.log2(s)) * LN2
    tl.store(loss_ptr + pid, lse - x_target)


def run(logits: torch.Tensor, target: torch.Tensor, loss: torch.Tensor) -> None:
    n_tokens, n_vocab = logits.shape
    chunk = min(8192, triton.next_power_of_2(n_vocab))
    _loss_kernel[(n_tokens,)](
        loss, target, logits, logits.stride(0), n_vocab, CHUNK=chunk, num_warps=16, num_stages=2
    )
