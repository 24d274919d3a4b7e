import torch
from torch import Tensor
LIMIT = 127.0
def _scales(rows: Tensor) -> Tensor:
    largest, _ = torch.max(torch.abs(rows), -1)
    return largest.div_(LIMIT)
@torch.inference_mode()
def run(values: Tensor, codes: Tensor, scales: Tensor) -> None:
    scales[:] = _scales(values)
    q = values.mul(scales.reciprocal().unsqueeze(1)).round_()
    torch.clamp_(q, min=-LIMIT, max=LIMIT)
    codes[...] = q.char()
