import torch


def run(x, w1, w2, w3, y):
    for start in range(0, x.shape[0], 4096):
        part = x[start:start + 4096]
        gate = torch.matmul(part, w1)
        hidden = gate * torch.sigmoid(gate) * torch.matmul(part, w2)
        y[start:start + 4096] = torch.matmul(hidden, w3)
