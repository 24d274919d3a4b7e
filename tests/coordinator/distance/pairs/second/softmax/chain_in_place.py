"""Softmax by elementary operators, without temporaries: the output holds each step."""

import torch

LOG2_E = 1.4426950408889634


def _shift(source: torch.Tensor, into: torch.Tensor) -> None:
    torch.sub(source, torch.amax(source, -1, True), out=into)


def _divide(values: torch.Tensor) -> None:
    denominator = torch.sum(values, -1, True)
    values.mul_(denominator.reciprocal_())


@torch.no_grad()
def run(logits: torch.Tensor, probabilities: torch.Tensor) -> None:
    _shift(logits, probabilities)
    # 2 ** (v * log2(e)) is e ** v, and exp2 is the shorter instruction.
    probabilities.mul_(LOG2_E).exp2_()
    _divide(probabilities)
