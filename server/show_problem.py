"""Which facts of a problem an answer holds: its interface, and its workloads. Pure functions.

Start at `interface`. Not here: what became of it on the board (`show`).
"""

from guard.domain.problem import Definition, TensorSpec, Workload
from server.answers import Answer
from server.show import axes


def tensor(spec: TensorSpec) -> str:
    """A tensor's dtype and shape, or a scalar's dtype."""
    if spec.shape is None:
        return f"{spec.dtype} scalar"
    return f"{spec.dtype} [{', '.join(spec.shape)}]"


def interface(definition: Definition) -> Answer:
    """A definition without its source."""
    sizes: dict[str, str] = {}
    for name, axis in definition.axes.items():
        if axis.type == "var":
            more = "" if axis.closed else "; hidden shapes have other sizes"
            sizes[name] = f"per workload{more}"
        else:
            sizes[name] = str(axis.value if axis.type == "const" else axis.expression)
    constant = list(definition.constant_tensors)
    return {
        "axes": sizes,
        "inputs": {name: tensor(spec) for name, spec in definition.inputs.items()},
        "outputs": {name: tensor(spec) for name, spec in definition.outputs.items()},
    } | ({"constant_inputs": constant} if constant else {})


def workload(item: Workload) -> Answer:
    """One workload with its tolerance."""
    limits = item.tolerance
    parts = [
        f"|x-y| <= {limits.max_atol:g} + {limits.max_rtol:g}*|y| for "
        f"{limits.required_matched_ratio:.4g} of elements"
    ]
    if limits.max_error_cap is not None:
        parts.append(f"no error above {limits.max_error_cap:g}")
    if limits.allow_negative_inf:
        parts.append("-inf where expected")
    return {"workload": item.uuid, "axes": axes(item), "tolerance": "; ".join(parts)}
