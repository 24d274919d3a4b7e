import torch
def run(x, w, y):
    v = x.float()
    y.copy_(torch.nn.functional.rms_norm(v, (v.shape[-1],), w.float(), 1e-6))
