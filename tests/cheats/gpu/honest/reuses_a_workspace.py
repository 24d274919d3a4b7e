# trick = "scratch memory kept between calls"
# expect = ["PASSED"]
# duel = "no refusal"
"""Keeps scratch memory and writes all of it anew."""

import torch

workspaces = {}


def run(x, y):
    if x.shape not in workspaces:
        workspaces[x.shape] = torch.empty_like(x), x.new_empty(len(x), 1)
    powers, largest = workspaces[x.shape]
    torch.amax(x, dim=1, keepdim=True, out=largest)
    torch.sub(x, largest, out=powers)
    powers.exp_()
    torch.div(powers, powers.sum(dim=1, keepdim=True), out=y)
