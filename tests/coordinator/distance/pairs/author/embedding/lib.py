import torch
import torch.nn.functional as F


def run(table, index, offsets, y):
    y.copy_(F.embedding_bag(index, table, offsets, mode="sum"))
