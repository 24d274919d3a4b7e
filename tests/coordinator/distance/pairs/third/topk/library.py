import torch


def run(x, values, indices):
    """The 8 largest of each row, largest first."""
    k = values.shape[-1]
    x = x.contiguous()
    v, i = torch.topk(x, k, dim=-1, largest=True, sorted=True)
    values.copy_(v)
    indices.copy_(i)
