"""What the names of functions say about the work they do, whatever the language calls them.

    __ldg, tl.load, _mm512_loadu_ps -> load          inline assembly -> what its instructions do

A name that is not known here says nothing. Start at `kind_of`. Not here: what becomes of it
(`builtins`, `operators`).
"""

import re
from functools import lru_cache
from typing import Final

_KINDS: Final = tuple(
    (re.compile(f"(?:{pattern})$"), kind)
    for pattern, kind in (
        (
            r"_mm\d*_\w*reduce_add\w*|reduce_add|hsum\w*|accumulate|transform_reduce|inner_product",
            "sum",
        ),
        (r"_mm\d*_\w*reduce_m(?:ax|in)\w*|max_element|min_element", "max"),
        (
            r"_mm\d*_(?:mask_|maskz_)?m(?:ax|in)_.*|f?max[fl]?|maximum|__v?h?max\w*|maximum_"
            r"|f?min[fl]?|minimum|__v?h?min\w*|clamp\w*|vmaxq\w*|vminq\w*",
            "larger",
        ),
        (
            r"__?ld(?:g|cs|cg|ca|lu|cv)|_mm\d*_\w*(?:load|gather|set1_ps_from)\w*|vld\d\w*|load",
            "load",
        ),
        (r"__?st(?:cs|cg|wb|wt)|_mm\d*_\w*(?:store|stream)\w*|vst\d\w*|store", "store"),
        (r"memcpy|memmove|copy_n|std.copy", "copy"),
        (r"memset|fill|fill_n|std.fill|cudaMemsetAsync|cudaMemset|fill_fragment", "fill"),
        (
            r"_mm\d*_\w*f[n]?m(?:add|sub)\w*|(?:__)?fmaf?|__h2?fma\w*|__fmaf_rn|vfmaq\w*|__fma_rn",
            "fma",
        ),
        (r"_mm\d*_\w*(?:add|sub)_\w*|__h2?add\w*|__h2?sub\w*|__fadd_rn|vaddq\w*", "add"),
        (
            r"_mm\d*_\w*mul_\w*|__h2?mul\w*|__fmul_rn|vmulq\w*|__fdividef|_mm\d*_\w*div_\w*|fdiv",
            "mul",
        ),
        (r"__syncthreads\w*|debug_barrier|barrier\w*|arrive_and_wait", "barrier"),
        (r"__shfl\w*|shfl\w*", "lanes"),
        (r"__reduce_add_sync|cg.reduce|reduce_sync|cooperative_groups.reduce", "across lanes"),
        (r"atomic\w*|fetch_add|red_async", "atomic"),
        (r"memcpy_async|__pipeline_memcpy_async|cp_async\w*|async_copy\w*|CP_ASYNC\w*", "async"),
        (
            r"make_tensor_descriptor|TensorDescriptor|from_tensor|from_padded_tensor|_experimental\w*desc\w*",
            "descriptor",
        ),
        (r"mma_sync|w?gmma\w*|_mm\d*_\w*dpb\w+|_tile_dp\w*", "mma"),
        (r"load_matrix_sync|ldmatrix\w*", "fragment"),
        (r"store_matrix_sync|stmatrix\w*", "unfragment"),
        (r"this_cluster|map_shared_rank|cluster_\w+", "cluster"),
        (r"this_grid|grid_group", "cooperative"),
        (r"(?:push|pop|make|sort)_heap|priority_queue", "heap"),
        (r"(?:stable_)?sort|qsort", "sorted"),
        (
            r"(?:transform_)?(?:in|ex)clusive_scan|partial_sum|(?:In|Ex)clusive(?:Sum|Scan)",
            "scanned",
        ),
        (r"nth_element|partial_sort\w*", "select"),
        (r"j?thread|pthread_create|async", "threads"),
    )
)
_ASSEMBLY: Final = (
    ("mapa", "cluster"), ("barrier.cluster", "cluster"), ("cp.async.bulk", "bulk"),
    ("cp.async", "async"), ("ldmatrix", "fragment"),
    ("wgmma.mma", "mma"), ("tcgen05.mma", "mma"), ("mma.sync", "mma"),
    ("shfl", "lanes"), ("redux", "across lanes"),
    ("ex2", "function"), ("ld.global", "load"), ("st.global", "store"), ("atom.", "atomic"),
    ("red.", "atomic"),
)  # fmt: skip
_TRITON_REDUCTIONS: Final = {
    "sum": "sum", "max": "max", "min": "max", "argmax": "max", "argmin": "max", "reduce": "sum",
    "xor_sum": "sum", "cumsum": "scan", "associative_scan": "scan", "sort": "sort", "topk": "sort",
    "histogram": "histogram", "softmax": "softmax", "dot": "product", "dot_scaled": "product",
}  # fmt: skip
_OPERATORS: Final = {
    "mm": "product", "bmm": "product", "matmul": "product", "linear": "product", "mv": "product",
    "addmm": "product", "baddbmm": "product", "einsum": "product", "tensordot": "product",
    "addbmm": "product", "inner": "product", "dot": "product", "vdot": "product",
    "addmv": "product", "Linear": "product", "Bilinear": "product", "multi_dot": "product",
    "chain_matmul": "product",
    "sum": "sum", "mean": "sum", "nansum": "sum", "amax": "max", "amin": "max", "max": "max",
    "min": "max", "argmax": "max", "argmin": "max", "aminmax": "max", "prod": "prod",
    "cumsum": "scan", "cumprod": "scan", "sort": "sort", "topk": "select", "argsort": "sort",
    "msort": "sort", "kthvalue": "select",
}  # fmt: skip
"""What library operators that gather something find out."""
_FUSED: Final = {
    one: name
    for name, spelled in {
        "softmax": "softmax", "log_softmax": "logsoftmax", "logsumexp": "logsumexp",
        "rms_norm": "rmsnorm fusedrmsnorm", "layer_norm": "layernorm", "group_norm": "groupnorm",
        "batch_norm": "batchnorm", "instance_norm": "instancenorm", "normalize": "normalize",
        "attention": "scaleddotproductattention multiheadattention multiheadattentionforward"
        " scaleddotproductflashattention scaleddotproductefficientattention flexattention",
        "cross_entropy": "crossentropy", "nll_loss": "nll", "binary_cross_entropy":
        "binarycrossentropy binarycrossentropywithlogits bce bcewithlogits",
        "loss": "mse l1 smoothl1 huber kldiv", "cosine_similarity": "cosinesimilarity",
        "activation": "silu gelu mish softplus hardswish glu swiglu",
        "convolution": "conv convolution convtranspose", "unfold": "unfold im2col",
        "fold": "fold col2im", "pool": "avgpool maxpool adaptiveavgpool adaptivemaxpool",
        "fourier": "fft rfft ifft irfft", "cdist": "cdist", "trapezoid": "trapezoid trapz",
        "bincount": "bincount histc histogram", "unique": "unique", "search": "searchsorted"
        " bucketize", "scatter": "scatteradd scatterreduce indexadd segmentreduce",
        "one_hot": "onehot", "svd": "svd", "quantized": "scaledmm intmm quantizepertensor",
        "joined": "cat concat concatenate stack hstack vstack", "graph": "cudagraph",
        "compile": "compile", "vmap": "vmap", "checkpoint": "checkpoint",
    }.items()
    for one in spelled.split()
}  # fmt: skip
"""Library operators that are an idea of their own, by what they are called in any of its ways.

What arranges elements (gather, where, masks) or is one step of a chain is none; what joins tensors
is one only where it saves products.
"""
JOINED: Final = "joined"
_AROUND: Final = re.compile(r"^(?:native|cudnn|miopen|mkldnn)|(?:loss|[123]d)$")
"""What the library adds to an operator's name."""


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """What a called function of C++, CUDA or Triton does, or nothing."""
    last = name.rpartition(".")[2].removeprefix("__builtin_")
    if name.startswith("tl.") and last in _TRITON_REDUCTIONS:
        return _TRITON_REDUCTIONS[last]
    if name.startswith(("tl.", "triton.")) and last == "reduce":
        return "sum"
    if name in ("std.reduce",):
        return "sum"
    for pattern, kind in _KINDS:
        if pattern.match(name if "." in pattern.pattern and "." in name else last) or pattern.match(
            last
        ):
            return kind
    return ""


def gathered_by(name: str) -> str:
    """What a library operator of host code in Python gathers, or nothing."""
    return _OPERATORS.get(name.rpartition(".")[2].rstrip("_"), "")


@lru_cache(maxsize=4096)
def fused_operator(name: str) -> str:
    """The library operator that is an idea of its own, or nothing: function, method or module."""
    last = name.rpartition(".")[2].replace("_", "").lower()
    return _FUSED.get(last) or _FUSED.get(_AROUND.sub("", _AROUND.sub("", last)), "")


def in_assembly(text: str) -> str:
    """What a piece of inline assembly does, or nothing."""
    for mark, kind in _ASSEMBLY:
        if mark in text:
            return kind
    return ""
