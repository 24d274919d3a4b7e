import torch
import torch.nn.functional as F
def run(x, w, y):
    n, c, h, wd = x.shape
    cols = F.unfold(x, 3, padding=1)
    y.copy_((w.view(w.shape[0], -1) @ cols).view(n, -1, h, wd))
