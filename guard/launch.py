"""Launch plans: from expressions and names to numbers. Pure functions, no device.

    LaunchPlan × names × axes -> Layout (grids, blocks, bytes, arguments) -> guard.cubin

Start at `lay_out`. Must never touch a GPU or guess: whatever does not fit is refused by its field.
Not here: syntax, which needs no workload (`guard.launch_check`).
"""

from collections.abc import Collection, Iterator, Mapping

from guard.domain.errors import MalformedSolution
from guard.domain.solution import KernelLaunch, LaunchPlan, Workspace
from guard.launch_arguments import Names, Scalars, argument
from guard.launch_values import Dims, Launch, Layout, integer, within
from guard.tensor_maps import lay_out_map

# CUDA's own limits, the same for every GPU since 2012; of clusters, Hopper's.
MAX_GRID: Dims = (2**31 - 1, 65_535, 65_535)
MAX_BLOCK: Dims = (1024, 1024, 64)
MAX_BLOCK_THREADS = 1024
MAX_CLUSTER_BLOCKS = 16
MAX_SHARED_BYTES = 2**31 - 1
MAX_WORKSPACE_BYTES = 64 * 2**30


def lay_out(
    plan: LaunchPlan, tensors: Collection[str], scalars: Scalars, axes: Mapping[str, int]
) -> Layout:
    """Give every expression its value and every name its meaning.

    `tensors` are the names of tensor inputs and of outputs; `scalars` the inputs that are numbers.
    What is not launched for these axes is not evaluated.

    Raises:
        MalformedSolution: the field, and what it may be.
    """
    workspaces = {
        name: _workspace(name, written, axes) for name, written in plan.workspaces.items()
    }
    for part, named in (("workspaces", plan.workspaces), ("tensor_maps", plan.tensor_maps)):
        for name in named:
            if name in tensors or name in scalars:
                field = f"launch_plan.{part}.{name}"
                raise MalformedSolution(field, "an input or output has this name")
    names = Names([*tensors, *workspaces], plan.tensor_maps, scalars, axes)
    launches = tuple(_launches(plan, names))
    used = [a.value for item in launches for a in item.arguments if a.kind == "tensor_map"]
    maps = {str(name): plan.tensor_maps[str(name)] for name in used}
    for name, written in maps.items():
        if written.tensor not in names.pointers:
            field = f"launch_plan.tensor_maps.{name}.tensor"
            known = ", ".join(names.pointers)
            raise MalformedSolution(field, f"{written.tensor!r} is no tensor here. Known: {known}")
    return Layout(
        launches=launches,
        workspaces=workspaces,
        zeroed=tuple(n for n, w in plan.workspaces.items() if isinstance(w, Workspace) and w.zero),
        tensor_maps={name: lay_out_map(name, written, axes) for name, written in maps.items()},
    )


def _workspace(name: str, written: str | Workspace, axes: Mapping[str, int]) -> int:
    field = f"launch_plan.workspaces.{name}"
    size = written.size_bytes if isinstance(written, Workspace) else written
    return within(field, integer(field, size, axes), MAX_WORKSPACE_BYTES)


def _launches(plan: LaunchPlan, names: Names) -> Iterator[Launch]:
    for index, written in enumerate(plan.kernels):
        if integer(f"launch_plan.kernels[{index}].when", written.when, names.axes):
            yield _launch(index, written, names)


def _launch(index: int, written: KernelLaunch, names: Names) -> Launch:
    field, axes = f"launch_plan.kernels[{index}]", names.axes
    block = _dims(f"{field}.block", written.block or (), axes, MAX_BLOCK)
    grid = _dims(f"{field}.grid", written.grid, axes, MAX_GRID)
    shared = f"{field}.shared_bytes"
    launch = Launch(
        kernel=written.kernel,
        grid=grid,
        block=block,
        shared_bytes=within(shared, integer(shared, written.shared_bytes, axes), MAX_SHARED_BYTES),
        arguments=tuple(
            argument(f"{field}.arguments[{j}]", text, names)
            for j, text in enumerate(written.arguments)
        ),
        index=index,
        cluster=_cluster(f"{field}.cluster", written.cluster, axes, grid),
        cooperative=written.cooperative,
    )
    if not 1 <= launch.threads <= MAX_BLOCK_THREADS:
        reason = f"{launch.threads} threads; a block has 1 to {MAX_BLOCK_THREADS}"
        raise MalformedSolution(f"{field}.block", reason)
    return launch


def _dims(field: str, expressions: tuple[str, ...], axes: Mapping[str, int], limits: Dims) -> Dims:
    padded = (*expressions, "1", "1", "1")[:3]
    x, y, z = (
        within(field, integer(field, expression, axes), limit)
        for expression, limit in zip(padded, limits, strict=True)
    )
    return x, y, z


def _cluster(
    field: str, expressions: tuple[str, ...] | None, axes: Mapping[str, int], grid: Dims
) -> Dims | None:
    if expressions is None:
        return None
    x, y, z = _dims(field, expressions, axes, (MAX_CLUSTER_BLOCKS,) * 3)
    within(field, x * y * z, MAX_CLUSTER_BLOCKS, 1)
    for name, blocks, width in zip("xyz", grid, (x, y, z), strict=True):
        if blocks % width:
            reason = f"the grid's {name} is {blocks}, which is no multiple of the cluster's {width}"
            raise MalformedSolution(field, reason)
    return x, y, z
