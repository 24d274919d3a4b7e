import torch
from torch import Tensor


class Sparsify(torch.nn.Module):
    def __init__(self, keep: int):
        super().__init__()
        self.keep = keep

    def forward(self, dense: Tensor) -> Tensor:
        best = dense.topk(self.keep, -1, sorted=False)
        return torch.zeros_like(dense).scatter(1, best.indices, best.values)


LAYER = Sparsify(keep=8)


@torch.inference_mode()
def run(x, y):
    y[:] = LAYER(x)
