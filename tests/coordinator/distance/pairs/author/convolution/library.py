import torch
import torch.nn.functional as F
def run(x, w, y):
    y.copy_(F.conv2d(x, w, padding=1))
