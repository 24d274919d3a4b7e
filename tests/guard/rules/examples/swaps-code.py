import torch


def fast(*inputs):
    return inputs[0]


torch.softmax.__code__ = fast.__code__  # found
setattr(torch.sum, "__code__", fast.__code__)  # found
names = fast.__code__.co_varnames
