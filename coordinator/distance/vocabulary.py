"""What the names of functions say about the work they do, whatever the language calls them.

    __ldg, tl.load, _mm512_loadu_ps -> load          inline assembly -> what its instructions do

Start at `kind_of`. A name that is not known here says nothing. Not here: where it stands
(`reading`).
"""

import re
from typing import Final

_KINDS: Final = tuple(
    (re.compile(f"(?:{pattern})$"), kind)
    for pattern, kind in (
        (
            r"_mm\d*_(?:mask_|maskz_)?(?:reduce_)?max_.*|f?max[fl]?|maximum|__v?h?max\w*|maximum_",
            "max",
        ),
        (r"_mm\d*_(?:mask_|maskz_)?(?:reduce_)?min_.*|f?min[fl]?|minimum|__v?h?min\w*", "min"),
        (r"__?ld(?:g|cs|cg|ca|lu|cv)|_mm\d*_\w*load\w*|vld\d\w*|load", "load"),
        (r"__?st(?:cs|cg|wb|wt)|_mm\d*_\w*(?:store|stream)\w*|vst\d\w*|store", "store"),
        (r"memcpy|memmove|copy_n|std.copy", "copy"),
        (r"(?:__)?(?:h2?)?exp(?:2|10|m1)?f?", "function"),
        (r"(?:__)?(?:h2?)?log(?:2|10|1p)?f?", "function"),
        (r"tanh?f?|erfc?f?|sigmoid|(?:__)?sin\w*|(?:__)?cosf?", "function"),
        (r"(?:__)?(?:h2?|f)?r?sqrt\w*|_mm\d*_r?sqrt\w*", "root"),
        (r"_mm\d*_\w*f[n]?m(?:add|sub)\w*|(?:__)?fmaf?|__h2?fma\w*|__fmaf_rn", "fma"),
        (r"__syncthreads\w*|debug_barrier|barrier\w*|arrive_and_wait", "barrier"),
        (r"__shfl\w*|__reduce_\w+_sync|shfl\w*|gather", "shuffle"),
        (r"__ballot\w*|__any\w*|__all\w*|__match\w*", "vote"),
        (r"atomic\w*|fetch_add", "atomic"),
        (r"memcpy_async|__pipeline\w*|cp_async\w*|async_copy\w*", "async"),
        (r"make_tensor_descriptor|TensorDescriptor|from_tensor|make_block_ptr", "descriptor"),
        (r"mma_sync|w?gmma\w*|dot|dot_scaled|_mm\d*_\w*dp\w+", "mma"),
        (r"load_matrix_sync|ldmatrix\w*", "fragment"),
        (r"sum|reduce|max_with_indices|cumsum|associative_scan", "reduce"),
        (r"sort|topk|argsort", "sort"),
        (r"this_cluster|map_shared_rank|cluster_\w+", "cluster"),
        (r"j?thread|pthread_create|async", "threads"),
    )
)
_ASSEMBLY: Final = (
    ("mapa", "cluster"), ("barrier.cluster", "cluster"), ("cp.async.bulk", "bulk"),
    ("cp.async", "async"), ("ldmatrix", "fragment"),
    ("wgmma", "mma"), ("mma", "mma"), ("shfl", "shuffle"), ("redux", "shuffle"),
    ("bar.sync", "barrier"), ("mbarrier", "async"), ("ex2", "function"), ("sqrt", "root"),
    ("ld.global", "load"), ("st.global", "store"), ("atom.", "atomic"), ("red.", "atomic"),
)  # fmt: skip
_QUIET: Final = frozenset(
    (
        "view", "reshape", "size", "float", "half", "double", "to", "contiguous", "copy_",
        "clone", "empty", "empty_like", "new_empty", "cdiv", "next_power_of_2", "range", "len",
        "int", "min", "max", "t", "transpose", "permute", "unsqueeze", "squeeze", "expand",
        "numel", "stride", "dim", "type", "bool", "tuple", "list", "device", "item", "flatten",
        "narrow", "chunk", "split", "is_contiguous", "add", "mul", "sub", "div", "true_divide",
        "multiply", "subtract", "detach", "enumerate", "zip", "isinstance", "getattr", "add_",
        "mul_", "div_", "sub_", "get_device_properties", "current_stream", "jit", "cache",
        "lru_cache", "autotune", "Config", "where", "manual_seed", "set_device", "synchronize",
    )
)  # fmt: skip
"""Calls of host code in Python that move, shape or scale values: every idea has some."""
_SAME: Final = {
    "mm": "product", "bmm": "product", "matmul": "product", "linear": "product",
    "addmm": "product", "baddbmm": "product", "einsum": "product", "square": "square",
    "pow": "square", "rsqrt": "root", "sqrt": "root", "exp": "exp", "exp2": "exp",
    "zeros": "zeros", "new_zeros": "zeros", "zeros_like": "zeros", "zero_": "zeros",
}  # fmt: skip


def kind_of(name: str) -> str:
    """What a called function does, or nothing."""
    last = name.rpartition(".")[2]
    if name.startswith("tl.") and last in ("max", "min", "sum"):
        return "reduce"
    for pattern, kind in _KINDS:
        if pattern.match(last):
            return kind
    return ""


def operator_of(name: str) -> str:
    """A library operator that host code in Python calls, or nothing."""
    last = name.rpartition(".")[2]
    if last in _QUIET or name.startswith(("math.", "triton.", "functools.", "__")):
        return ""
    return _SAME.get(last, last.rstrip("_"))


def in_assembly(text: str) -> str:
    """What a piece of inline assembly does, or nothing."""
    for mark, kind in _ASSEMBLY:
        if mark in text:
            return kind
    return ""
