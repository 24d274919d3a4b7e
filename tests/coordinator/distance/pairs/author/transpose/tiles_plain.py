import triton
import triton.language as tl


@triton.jit
def turn(x, y, M, N, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    t = tl.load(x + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N))
    tl.store(y + c[:, None] * M + r[None, :], tl.trans(t), mask=(c[:, None] < N) & (r[None, :] < M))


def run(x, y):
    M, N = x.shape
    turn[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, y, M, N, B=32)
