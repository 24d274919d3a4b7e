import triton
import triton.language as tl


@triton.jit
def turn(a, b, c, s):
    return a * c - b * s, a * s + b * c


@triton.jit
def rotary(SRC, DST, heads, width, log_base, GROUP: tl.constexpr, SPAN: tl.constexpr):
    position = tl.program_id(1)
    head = tl.program_id(0) * GROUP + tl.arange(0, GROUP)[:, None]
    lane = tl.arange(0, SPAN)[None, :]
    half = width // 2
    live = (head < heads) & (lane < half)
    phase = position * tl.exp2(lane * (-2.0 * log_base / width))
    at = (position * heads + head) * width + lane
    first, second = tl.load(SRC + at, live, 0.0), tl.load(SRC + at + half, live, 0.0)
    first, second = turn(first, second, tl.cos(phase), tl.sin(phase))
    tl.store(DST + at, first, live)
    tl.store(DST + at + half, second, live)


def run(x, y):
    tokens, heads, width = x.size()
    rotary[triton.cdiv(heads, 8), tokens](x, y, heads, width, 13.287712379549449, GROUP=8, SPAN=triton.next_power_of_2(width >> 1), num_warps=4)
