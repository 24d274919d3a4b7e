import torch
import triton
import triton.language as tl
@triton.jit
def _moments(ptr, width, CH: tl.constexpr):
    idx = tl.arange(0, CH)
    first = 0.0
    second = 0.0
    left = width
    while left > 0:
        v = tl.load(ptr + idx, idx < left, 0.0).to(tl.float32)
        first += tl.sum(v)
        second += tl.sum(v * v)
        ptr += CH
        left -= CH
    return first / width, second / width
@triton.jit
def gather_rows(table, src, width, eps: tl.constexpr, CH: tl.constexpr):
    pid = tl.program_id(axis=0)
    mu, sq = _moments(src + pid * width, width, CH)
    tl.store(table + 2 * pid, mu)
    tl.store(table + 2 * pid + 1, 1.0 / tl.sqrt(sq - mu * mu + eps))
@triton.jit
def normalise(out, src, table, gamma, beta, width, count, CH: tl.constexpr):
    at = tl.program_id(axis=0).to(tl.int64) * CH + tl.arange(0, CH)
    ok = at < count
    row, col = at // width, at % width
    mu = tl.load(table + 2 * row, ok)
    scale = tl.load(table + 2 * row + 1, ok) * tl.load(gamma + col, ok)
    tl.store(out + at, tl.fma(tl.load(src + at, ok) - mu, scale, tl.load(beta + col, ok)), ok)
class Norm:
    def __init__(self, rows, device):
        self.table = torch.empty((rows, 2), device=device, dtype=torch.float32)
    def __call__(self, src, gamma, beta, out):
        rows, width = src.shape
        gather_rows[(rows,)](self.table, src, width, eps=1e-5, CH=4096, num_warps=8)
        normalise[(triton.cdiv(src.numel(), 2048),)](out, src, self.table, gamma, beta, width, src.numel(), CH=2048)
def run(hidden, gamma, beta, out):
    Norm(hidden.size(0), hidden.device)(hidden, gamma, beta, out)
