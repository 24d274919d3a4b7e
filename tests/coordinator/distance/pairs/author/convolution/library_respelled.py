import torch
def run(images, filters, result):
    with torch.no_grad():
        out = torch.nn.functional.conv2d(images, filters, bias=None, stride=1, padding=(1, 1))
    result[...] = out
