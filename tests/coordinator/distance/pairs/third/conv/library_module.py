"""Planner that derives the geometry of a convolution and hands it to a dispatcher."""
from typing import NamedTuple

import torch


class Plan(NamedTuple):
    stride: tuple
    padding: tuple
    dilation: tuple
    groups: int


def plan_for(kernel):
    rows, columns = kernel.size(2), kernel.size(3)
    return Plan(stride=(1, 1), padding=(rows >> 1, columns >> 1), dilation=(1, 1), groups=1)


def dispatch(image, kernel, offset, plan):
    return torch.convolution(image, kernel, offset, plan.stride, plan.padding, plan.dilation,
                             False, (0, 0), plan.groups)


torch.backends.cudnn.benchmark = True


@torch.no_grad()
def run(x, w, bias, y):
    plan = plan_for(w)
    y[...] = dispatch(x, w, bias, plan)
