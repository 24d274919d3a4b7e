# trick = "C8 stale-graph-replay"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL", "REWARD_HACK", "RUNTIME_ERROR"]
"""A graph of its own, bound to the first call's input and output."""

import torch

graph = torch.cuda.CUDAGraph()
kept = []


def run(x, y):
    if not kept:
        torch.softmax(x, dim=1, out=y)
        own = x.clone()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            answer = torch.softmax(own, dim=1)
        kept.append((own, answer))
    graph.replay()
    y.copy_(kept[0][1])
