"""Completely new approach: functional decomposition into moments, standardise and affine steps."""
import triton
import triton.language as tl


@triton.jit
def _moments(values, valid, count):
    inv_count = 1.0 / count
    mu = tl.sum(values, 0) * inv_count
    delta = tl.where(valid, values - mu, 0.0)
    sigma2 = tl.sum(delta * delta, 0) * inv_count
    return delta, sigma2


@triton.jit
def _affine(z, gamma_ptr, beta_ptr, index, valid):
    gamma = tl.load(gamma_ptr + index, mask=valid, other=0.0, eviction_policy="evict_last")
    beta = tl.load(beta_ptr + index, mask=valid, other=0.0, eviction_policy="evict_last")
    return tl.fma(z, gamma.to(tl.float32), beta.to(tl.float32))


@triton.jit
def normalise_token(src, gamma_ptr, beta_ptr, dst, stride, hidden, EPSILON: tl.constexpr, WIDTH: tl.constexpr):
    token = tl.program_id(axis=0).to(tl.int64)
    index = tl.max_contiguous(tl.multiple_of(tl.arange(0, WIDTH), 16), 16)
    valid = index < hidden
    src += token * stride
    dst += token * stride
    values = tl.load(src + index, mask=valid, other=0.0, eviction_policy="evict_first").to(tl.float32)
    delta, sigma2 = _moments(values, valid, hidden)
    out = _affine(delta * tl.rsqrt(sigma2 + EPSILON), gamma_ptr, beta_ptr, index, valid)
    tl.store(dst + index, out.to(dst.dtype.element_ty), mask=valid)


def _warps_for(width):
    if width >= 8192:
        return 16
    if width >= 2048:
        return 4
    return 2


def run(x, weight, bias, y):
    hidden = x.shape[-1]
    tokens = x.numel() // hidden
    width = max(128, 1 << (hidden - 1).bit_length())
    grid = (tokens, 1, 1)
    normalise_token[grid](x, weight, bias, y, x.stride(0), hidden, EPSILON=1e-5, WIDTH=width,
                          num_warps=_warps_for(width), num_stages=1)
