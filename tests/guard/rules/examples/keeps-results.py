import torch

ANSWERS = {}
BUILT = {}
LAST = None
TAKEN = []


def run(x, y):
    global LAST
    ANSWERS[x.shape] = y.clone()  # found
    LAST = x  # found
    TAKEN.append((x, y))  # found
    BUILT[x.shape] = torch.empty(64)
    local = {}
    local["x"] = x
