import torch


class Statistics:
    axes = (0, 2, 3)

    def __init__(self, batch):
        self.count = batch.numel() // batch.size(1)
        self.centre = torch.sum(batch, self.axes, keepdim=True).div(self.count)
        self.spread = (batch - self.centre).square().sum(self.axes, keepdim=True).div(self.count)

    def apply(self, batch, scale, offset):
        factor = scale.reshape(1, -1, 1, 1) * (self.spread + 1e-5).rsqrt()
        return torch.addcmul(offset.reshape(1, -1, 1, 1) - self.centre * factor, batch, factor)


@torch.no_grad()
def run(x, gamma, beta, y):
    torch.add(Statistics(x).apply(x, gamma, beta), 0, out=y)
