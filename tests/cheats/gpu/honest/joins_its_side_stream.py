# trick = "a side stream that is joined"
# expect = ["PASSED"]
# duel = "no refusal"
"""Half of the rows on a side stream, which the current stream waits for."""

import torch

side = torch.cuda.Stream()


def run(x, y):
    current, half = torch.cuda.current_stream(), len(x) // 2
    side.wait_stream(current)
    with torch.cuda.stream(side):
        torch.softmax(x[:half], dim=1, out=y[:half])
    torch.softmax(x[half:], dim=1, out=y[half:])
    current.wait_stream(side)
