import triton
import triton.language as tl
@triton.jit
def _dot_row(A, X, lane, n, W: tl.constexpr):
    s = 0.0
    for i in tl.range(0, tl.cdiv(n, W), num_stages=3):
        keep = lane < n - i * W
        s += tl.sum(tl.load(A, keep, 0.0) * tl.load(X, keep, 0.0))
        A += W
        X += W
    return s
@triton.jit
def kern(out, vec, mat, n, ld, W: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, W)
    tl.store(out + pid, _dot_row(mat + pid * ld + lane, vec + lane, lane, n, W))
def run(mat, vec, out):
    m, n = mat.shape
    kern[(m,)](out, vec, mat, n, mat.stride(0), W=2048, num_warps=8)
