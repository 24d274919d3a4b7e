"""Information-theoretic view: surprise of the observed symbol under the stabilised Gibbs measure."""
import functools

import torch


def stabilise(energy):
    ceiling = torch.amax(energy, dim=1)
    return energy.sub(ceiling.unsqueeze(1))


def partition(energy):
    return energy.exp().sum(1).log()


def observed(energy, symbols):
    index = torch.arange(symbols.numel(), device=symbols.device)
    return energy[index, symbols]


def compose(*steps):
    return functools.reduce(lambda inner, outer: lambda value: outer(inner(value)), steps)


def surprise(symbols):
    def measure(energy):
        return torch.subtract(partition(energy), observed(energy, symbols))

    return measure


def average(values):
    return torch.sum(values) / values.shape[0]


@torch.no_grad()
def run(logits, target, loss):
    pipeline = compose(stabilise, surprise(target), average)
    loss.fill_(0)
    loss.add_(pipeline(logits))
