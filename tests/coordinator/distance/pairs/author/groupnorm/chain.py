import torch
def run(x, w, b, y):
    n, c, h, wd = x.shape
    g = x.reshape(n, 8, -1)
    mean = g.mean(-1, keepdim=True)
    var = g.var(-1, unbiased=False, keepdim=True)
    z = ((g - mean) / torch.sqrt(var + 1e-5)).view(n, c, h, wd)
    y.copy_(z * w[None, :, None, None] + b[None, :, None, None])
