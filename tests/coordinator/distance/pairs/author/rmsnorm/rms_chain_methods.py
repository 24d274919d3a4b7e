import torch


class Moment:
    def __init__(self, eps):
        self.eps = eps

    def __call__(self, t):
        return torch.linalg.vector_norm(t, dim=-1, keepdim=True).square_().div_(t.size(-1)).add_(self.eps)


MOMENT = Moment(1e-6)


def run(x, weight, y):
    wide = x.to(torch.float32)
    y.copy_(wide.mul(torch.rsqrt(MOMENT(wide))).mul(weight.to(torch.float32)))
