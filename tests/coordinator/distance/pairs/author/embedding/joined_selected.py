import torch
def run(features, index, weights, out):
    looked_up = torch.index_select(weights, 0, index)
    joined = torch.concat((features, looked_up), -1)
    torch.clamp(joined, min=0, out=out)
