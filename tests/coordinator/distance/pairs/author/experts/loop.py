import torch
def run(x, w, y):
    for i in range(w.shape[0]):
        y[i].copy_(x[i] @ w[i])
