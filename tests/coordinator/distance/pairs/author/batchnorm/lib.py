import torch
import torch.nn.functional as F


def run(x, gamma, beta, y):
    y.copy_(F.batch_norm(x, None, None, gamma, beta, training=True, eps=1e-5))
