import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _update(state_m, state_l, acc, scores, values):
    new_m = tl.maximum(state_m, tl.max(scores, 1))
    weights = tl.math.exp2(scores - new_m[:, None])
    decay = tl.math.exp2(state_m - new_m)
    state_l = state_l * decay + tl.sum(weights, 1)
    acc = tl.dot(weights.to(values.dtype), values, acc * decay[:, None])
    return new_m, state_l, acc


@triton.autotune(
    configs=[triton.Config({"ROWS": r, "COLS": c}, num_warps=w) for r in (64, 128) for c in (32, 64) for w in (4, 8)],
    key=["T"],
)
@triton.jit
def fwd(Q, K, V, O, T, factor, ROWS: tl.constexpr, COLS: tl.constexpr, DIM: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * T * DIM
    q_block = tl.make_block_ptr(Q + base, (T, DIM), (DIM, 1), (tl.program_id(0) * ROWS, 0), (ROWS, DIM), (1, 0))
    k_block = tl.make_block_ptr(K + base, (DIM, T), (1, DIM), (0, 0), (DIM, COLS), (0, 1))
    v_block = tl.make_block_ptr(V + base, (T, DIM), (DIM, 1), (0, 0), (COLS, DIM), (1, 0))
    o_block = tl.make_block_ptr(O + base, (T, DIM), (DIM, 1), (tl.program_id(0) * ROWS, 0), (ROWS, DIM), (1, 0))
    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    q = (q * (factor * LOG2E)).to(q.dtype)
    m = tl.full([ROWS], -1e30, tl.float32)
    l = tl.zeros([ROWS], tl.float32)
    acc = tl.zeros([ROWS, DIM], tl.float32)
    done = 0
    while done < T:
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        scores = tl.dot(q, k)
        scores += tl.where(done + tl.arange(0, COLS) < T, 0.0, -1e30)[None, :]
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        m, l, acc = _update(m, l, acc, scores, v)
        k_block = tl.advance(k_block, (0, COLS))
        v_block = tl.advance(v_block, (COLS, 0))
        done += COLS
    tl.store(o_block, (acc * (1.0 / l)[:, None]).to(O.dtype.element_ty), boundary_check=(0,))


def run(q, k, v, o):
    b, h, t, d = q.shape
    grid = lambda meta: (triton.cdiv(t, meta["ROWS"]), b * h)
    fwd[grid](q, k, v, o, t, d ** -0.5, DIM=d)
