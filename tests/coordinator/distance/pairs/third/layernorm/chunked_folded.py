# Different strategy: fold the normalisation into y = x * scale + shift, so that the final sweep is
# a single fused multiply-add per element.
import triton
import triton.language as tl

TILE = 2048


@triton.jit
def ln_fold(inp, gain, offset, out, D, EPS: tl.constexpr, TILE: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, TILE)
    origin = pid.to(tl.int64) * D

    s1 = 0.0
    s2 = 0.0
    at = 0
    while at < D:
        live = at + lane < D
        chunk = tl.load(inp + origin + at + lane, mask=live, other=0.0).to(tl.float32)
        s2 += tl.sum(chunk * chunk, axis=0)
        s1 += tl.sum(chunk, axis=0)
        at += TILE

    reciprocal = 1.0 / D
    m = s1 * reciprocal
    variance = tl.maximum(s2 * reciprocal - m * m, 0.0)
    r = tl.rsqrt(variance + EPS)
    minus = -m * r

    at = 0
    while at < D:
        live = at + lane < D
        g = tl.load(gain + at + lane, mask=live, other=0.0).to(tl.float32)
        o = tl.load(offset + at + lane, mask=live, other=0.0).to(tl.float32)
        chunk = tl.load(inp + origin + at + lane, mask=live, other=0.0).to(tl.float32)
        z = chunk * r + minus
        tl.store(out + origin + at + lane, (z * g + o).to(out.dtype.element_ty), mask=live)
        at += TILE


def run(x, weight, bias, y):
    D = x.size(1)
    ln_fold[(x.size(0),)](x, weight, bias, y, D, EPS=1e-5, TILE=TILE, num_warps=16)
