from collections.abc import Iterator

import torch


def normalised(logits: torch.Tensor) -> torch.Tensor:
    logits = logits.sub_(torch.max(logits, -1, keepdim=True)[0]).exp_()
    return logits.div_(torch.sum(logits, -1, keepdim=True))


def panels(length: int, size: int) -> Iterator[slice]:
    yield from (slice(at, min(at + size, length)) for at in range(0, length, size))


@torch.inference_mode()
def run(q, k, v, out):
    turned = k.mT
    factor = 1.0 / q.size(-1) ** 0.5
    for panel in panels(q.size(1), 512):
        weights = normalised(torch.baddbmm(q.new_zeros(1, 1, 1), q[:, panel], turned, beta=0, alpha=factor))
        torch.bmm(weights, v, out=out[:, panel])
