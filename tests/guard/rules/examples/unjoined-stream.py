import torch

SIDE = torch.cuda.Stream()  # found


def run(x, y):
    with torch.cuda.stream(SIDE):
        y.copy_(x)
