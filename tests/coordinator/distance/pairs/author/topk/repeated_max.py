import torch


def run(x, values, indices):
    """The 8 largest of each row, largest first: take the maximum, strike it out, repeat."""
    k = values.shape[-1]
    left = x.clone()
    for place in range(k):
        v, i = torch.max(left, dim=-1)
        values[:, place] = v
        indices[:, place] = i
        left.scatter_(1, i[:, None], float("-inf"))
