"""What the operations of torch cost a kernel that fuses them, and which need all they are given.

Names are those of torch's own operators, without the mark of an in-place one. What is not named
here costs nothing and proves nothing: a bound counts less in doubt. Start at `of`. Not here: matrix
products, whose cost torch knows (`torch.utils.flop_counter`).
"""

from collections.abc import Sequence

from guard.referee.tracing import Operation

PRODUCTS = frozenset(("mm", "addmm", "bmm", "baddbmm"))
"""Matrix products with two operands that come last. A convolution can be had for less."""
MOVES = frozenset((
    "clone", "copy", "_to_copy", "lift_fresh", "contiguous", "_unsafe_view", "cat", "stack",
    "scalar_tensor",
))  # fmt: skip
"""Elements change their place or their dtype; fused into a load or a store."""
MASKING = frozenset((
    "tril", "triu", "tril_indices", "triu_indices", "where", "masked_fill", "masked_scatter",
))  # fmt: skip
"""Where there is one of these, some arithmetic before or after may be needless."""
GATHERING = frozenset((
    "embedding", "index", "index_select", "gather", "take", "take_along_dim", "_unsafe_index",
    "_embedding_bag",
))  # fmt: skip
"""Read so many elements of the first argument as they return."""
SPECIAL = frozenset((
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sinh",
    "cosh", "asin", "acos", "atan", "atan2", "sigmoid", "silu", "gelu", "erf", "erfc", "rsqrt",
    "sqrt", "softplus", "mish", "elu", "log_sigmoid_forward",
))  # fmt: skip
"""One evaluation of a special function for each element that comes out."""
REDUCTIONS = frozenset((
    "sum", "mean", "amax", "amin", "max", "min", "prod", "var", "std", "var_mean", "std_mean",
    "norm", "linalg_vector_norm", "argmax", "argmin", "any", "all", "aminmax", "cumsum", "cumprod",
))  # fmt: skip
"""One operation for each element that goes in."""
NORMS = frozenset(("native_layer_norm", "native_group_norm", "_fused_rms_norm"))
EXPONENTIALS = frozenset(("_softmax", "_safe_softmax", "_log_softmax", "logsumexp"))
ROW_PASSES = 3
"""Operations an element in a norm or a softmax: at least a reduction, and two to apply it."""
GATES = frozenset((
    "relu", "clamp", "clamp_min", "clamp_max", "threshold", "hardtanh", "gt", "ge", "lt", "le",
    "eq", "ne", "logical_and", "logical_or", "logical_not", "maximum", "minimum", "exp", "exp2",
    "sign",
)) | EXPONENTIALS  # fmt: skip
"""What may give zeros, or as good as that: what they are multiplied with need not be read."""
HALF_LANE_BYTES = 2


def of(operation: Operation) -> tuple[float, float]:
    """Ordinary operations and special functions, counted in lanes of 32 bits."""
    name = operation.name
    taken = sum(t.numel() * _lane(t.element_size()) for t in operation.arguments[:1])
    given = sum(t.numel() * _lane(t.element_size()) for t in operation.results[:1])
    if name in SPECIAL:
        return 0.0, given
    if name in EXPONENTIALS:
        return ROW_PASSES * taken, taken
    if name in NORMS:
        return ROW_PASSES * taken, 0.0
    if name in REDUCTIONS:
        return taken, 0.0
    free = name in MOVES or name in MASKING
    return (given, 0.0) if operation.is_pointwise and not free else (0.0, 0.0)


def keeps_all(operation: Operation) -> bool:
    """Whether it works element by element, so that every element of its arguments counts."""
    if operation.name in MASKING:
        return False
    return operation.is_pointwise or operation.name in MOVES


def reads_all(operations: Sequence[Operation]) -> bool:
    """Whether outputs depend on all that is read, whatever the numbers are.

    Not where elements are chosen, made from nothing, or multiplied by what may be zero.
    """
    gated = False
    for operation in operations:
        known = operation.name in REDUCTIONS | NORMS | EXPONENTIALS | PRODUCTS
        if not (known or operation.is_view or keeps_all(operation)):
            return False
        if not operation.arguments and max(t.numel() for t in operation.results) > 1:
            return False
        if gated and (operation.name == "mul" or operation.is_matrix):
            return False
        gated = gated or operation.name in GATES
    return True


def _lane(element_bytes: int) -> float:
    """Share of a 32-bit lane: two 16-bit numbers go through one at once."""
    return 1.0 if element_bytes > HALF_LANE_BYTES else 0.5
