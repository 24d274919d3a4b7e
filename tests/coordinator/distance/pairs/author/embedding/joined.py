import torch
def run(x, idx, table, y):
    e = table[idx]
    z = torch.cat([x, e], dim=-1)
    y.copy_(torch.relu(z))
