import torch
from torch import Tensor
def _turn(a: Tensor, b: Tensor, c: Tensor, s: Tensor, into: Tensor, sign: float) -> None:
    torch.mul(a, c, out=into)
    into.addcmul_(b, s, value=sign)
@torch.no_grad()
def run(states: Tensor, cosine: Tensor, sine: Tensor, out: Tensor) -> None:
    half = states.size(-1) // 2
    first, second = states.narrow(-1, 0, half), states.narrow(-1, half, half)
    c, s = cosine.unsqueeze(1), sine.unsqueeze(1)
    _turn(first, second, c, s, out.narrow(-1, 0, half), -1.0)
    _turn(second, first, c, s, out.narrow(-1, half, half), 1.0)
