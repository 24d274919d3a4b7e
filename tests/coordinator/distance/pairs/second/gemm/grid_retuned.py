"""C = A @ B, one program for each tile of C; tile sizes were searched on the target."""

import torch
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"TILE_M": 128, "TILE_N": 128, "TILE_K": 64}, num_warps=8, num_stages=3),
    triton.Config({"TILE_M": 128, "TILE_N": 64, "TILE_K": 64}, num_warps=4, num_stages=4),
    triton.Config({"TILE_M": 64, "TILE_N": 256, "TILE_K": 32}, num_warps=8, num_stages=4),
]


@triton.jit
def _guarded(pointers, rows, columns, height, width):
    keep = (rows < height)[:, None] & (columns < width)[None, :]
    return tl.load(pointers, mask=keep, other=0.0)


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(
    lhs_ptr,
    rhs_ptr,
    out_ptr,
    M,
    N,
    K,
    stride_lm,
    stride_lk,
    stride_rk,
    stride_rn,
    stride_om,
    stride_on,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    pid_n = tl.program_id(axis=0)
    pid_m = tl.program_id(axis=1)
    offs_n = pid_n * TILE_N + tl.arange(0, TILE_N)
    offs_m = pid_m * TILE_M + tl.arange(0, TILE_M)
    offs_k = tl.arange(0, TILE_K)
    rhs_tile = rhs_ptr + (offs_k[:, None] * stride_rk + offs_n[None, :] * stride_rn)
    lhs_tile = lhs_ptr + (offs_m[:, None] * stride_lm + offs_k[None, :] * stride_lk)

    acc = tl.full((TILE_M, TILE_N), 0.0, tl.float32)
    remaining = K
    while remaining > 0:
        x = _guarded(lhs_tile, offs_m, offs_k, M, remaining)
        w = _guarded(rhs_tile, offs_k, offs_n, remaining, N)
        acc = tl.dot(x, w, acc)
        lhs_tile += TILE_K * stride_lk
        rhs_tile += TILE_K * stride_rk
        remaining -= TILE_K

    out_tile = out_ptr + offs_m[:, None] * stride_om + offs_n[None, :] * stride_on
    keep = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    tl.store(out_tile, acc.to(out_ptr.type.element_ty), mask=keep)


def run(lhs: torch.Tensor, rhs: torch.Tensor, out: torch.Tensor) -> None:
    (M, K), N = lhs.shape, rhs.shape[-1]
    matmul_kernel[lambda meta: (triton.cdiv(N, meta["TILE_N"]), triton.cdiv(M, meta["TILE_M"]))](
        lhs, rhs, out, M, N, K, *lhs.stride(), *rhs.stride(), *out.stride()
    )
