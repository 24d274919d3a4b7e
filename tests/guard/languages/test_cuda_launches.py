"""On a GPU: each kernel here would be wrong, or fail, if a feature of its plan were ignored."""

import pytest
import torch

from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan
from tests.guard.languages.building import architecture

pytestmark = pytest.mark.gpu

WIDTH = """
extern "C" __global__ void k(int* y) {
  unsigned across, down;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(across));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(down));
  if (threadIdx.x == 0) y[blockIdx.y * gridDim.x + blockIdx.x] = across * 100 + down;
}
"""
COUNT = """
extern "C" __global__ void k(int* y, int* counter) {
  atomicMax(y, atomicAdd(counter, 1) + 1);
}
"""
BARRIER = """
#include <cooperative_groups.h>
extern "C" __global__ void k(int* y, int* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1);
  cooperative_groups::this_grid().sync();
  // Without a barrier the first block would see few of the others.
  if (threadIdx.x == 0) y[blockIdx.x] = *(volatile int*)counter;
}
"""
TILE = """
#include <cuda.h>
#include <stdint.h>
__device__ uint32_t at(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
extern "C" __global__ void k(const __grid_constant__ CUtensorMap map, float* y, int left, int top) {
  __shared__ alignas(128) float tile[8 * 32];
  __shared__ alignas(8) uint64_t arrived;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&arrived)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at(&arrived))
                 : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(at(tile)), "l"(&map), "r"(left), "r"(top),
                 "r"(at(&arrived)) : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&arrived)) : "memory");
  y[threadIdx.x] = tile[threadIdx.x];
}
"""


def plan(*launches, **more):
    default = {"kernel": "k", "grid": ("N",), "block": ("32",), "arguments": ("y",)}
    kernels = [default | launch for launch in launches]
    return LaunchPlan.model_validate({"kernels": kernels} | more)


@pytest.fixture
def called(make, loaded):
    """Compile, bind and call once; gives the call."""

    def run(source, written, y, inputs=(), names=("y",), **axes):
        kernel = loaded(make("cuda", source, launch_plan=written), architecture())
        call = kernel.bind(list(inputs), [y], axes, names)
        call()
        torch.cuda.synchronize()
        return call

    return run


@pytest.mark.parametrize(
    ("cluster", "size", "seen"),
    [
        (("4 if N > 8 else 2",), 16, 401),
        (("4 if N > 8 else 2",), 8, 201),
        (("2", "2"), 8, 202),
        (("16",), 32, 1601),
        (None, 8, 101),
    ],
)
def test_a_kernel_sees_its_cluster(called, cluster, size, seen):
    y = torch.zeros(2, size, dtype=torch.int32, device="cuda")
    called(WIDTH, plan({"cluster": cluster, "grid": ("N", "2")}), y, N=size)
    assert y.unique().tolist() == [seen]


def test_a_cluster_that_the_kernel_does_not_ask_for_is_refused(called):
    source = WIDTH.replace("__global__ void", "__global__ void __cluster_dims__(4, 1, 1)")
    y = torch.zeros(16, dtype=torch.int32, device="cuda")
    with pytest.raises(MalformedSolution, match=r"kernels\[0\].cluster"):
        called(source, plan({"cluster": ("2",)}), y, N=16)


def test_all_blocks_of_a_cooperative_launch_meet(called):
    y = torch.zeros(264, dtype=torch.int32, device="cuda")
    together = {"cooperative": True, "arguments": ("y", "counter")}
    zeroed = {"counter": {"size_bytes": "4", "zero": True}}
    call = called(BARRIER, plan(together, workspaces=zeroed), y, N=264)
    assert y.unique().tolist() == [264]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
        call()
    y.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert y.unique().tolist() == [264]


def test_a_cooperative_grid_that_does_not_fit_is_refused(called):
    y = torch.zeros(1, dtype=torch.int32, device="cuda")
    together = {"cooperative": True, "arguments": ("y", "y")}
    with pytest.raises(MalformedSolution, match=r"kernels\[0\].grid.*all 1000000 blocks"):
        called(BARRIER, plan(together), y, N=1_000_000)


@pytest.mark.parametrize("zero", [True, False])
def test_a_workspace_is_zero_before_each_call_if_asked_for(called, zero):
    y = torch.zeros(1, dtype=torch.int32, device="cuda")
    counting = {"arguments": ("y", "counter")}
    space = {"counter": {"size_bytes": "4", "zero": zero}}
    call = called(COUNT, plan(counting, workspaces=space), y, N=4)
    y.fill_(-(2**31))
    call()
    torch.cuda.synchronize()
    assert (y.item() == 4 * 32) is zero


@pytest.mark.parametrize(("fill", "beyond"), [("zero", 0.0), ("nan", float("nan"))])
@pytest.mark.parametrize(("left", "top"), [(0, 0), (32, 8), (84, 16), (-4, -3), (500, 500)])
def test_a_tile_is_fetched_with_what_lies_beyond_the_tensor(called, fill, beyond, left, top):
    x = torch.randn(20, 100, device="cuda")
    y = torch.full((8, 32), 7.0, device="cuda")
    arguments = ("map", "y", f"int32:{left}", f"int32:{top}")
    fetch = {"grid": ("1",), "block": ("256",), "arguments": arguments}
    tile = {"tensor": "x", "dtype": "float32", "dims": ("N", "M"), "box": ("32", "8")}
    maps = {"map": tile | {"oob_fill": fill, "l2_promotion": "128B"}}
    called(TILE, plan(fetch, tensor_maps=maps), y, (x,), ("x", "y"), M=20, N=100)
    padded = torch.full((2000, 2000), beyond, device="cuda")
    padded[1000:1020, 1000:1100] = x
    expected = padded[1000 + top : 1008 + top, 1000 + left : 1032 + left]
    assert torch.equal(y.isnan(), expected.isnan())
    assert torch.equal(y.nan_to_num(), expected.nan_to_num())


def test_a_tile_may_come_from_a_part_of_each_row(called):
    x = torch.randn(20, 100, device="cuda")
    y = torch.full((8, 32), 7.0, device="cuda")
    fetch = {"grid": ("1",), "block": ("256",), "arguments": ("map", "y", "int32:0", "int32:0")}
    part = {"tensor": "x", "dtype": "float32", "dims": ("16", "20"), "box": ("32", "8")}
    maps = {"map": part | {"strides": ("400",)}}
    called(TILE, plan(fetch, tensor_maps=maps), y, (x,), ("x", "y"), M=20, N=100)
    assert torch.equal(y[:, :16], x[:8, :16])
    assert not y[:, 16:].any()


def test_only_what_its_condition_allows_is_launched(called):
    source = """
    extern "C" __global__ void first(int* y) { y[0] += 1; }
    extern "C" __global__ void second(int* y) { y[0] += 10; }
    """
    one = {"grid": ("1",), "block": ("1",)}
    written = plan(
        one | {"kernel": "first", "when": "N > 5"}, one | {"kernel": "second", "when": "N <= 5"}
    )
    y = torch.zeros(1, dtype=torch.int32, device="cuda")
    called(source, written, y, N=5)
    assert y.item() == 10


def test_more_threads_than_the_kernel_takes_are_refused(called):
    source = 'extern "C" __global__ void __launch_bounds__(64) k(int* y) { y[threadIdx.x] = 1; }'
    y = torch.zeros(128, dtype=torch.int32, device="cuda")
    with pytest.raises(MalformedSolution, match=r"kernels\[0\].block.*at most 64 .*registers"):
        called(source, plan({"block": ("128",)}), y, N=1)


def test_a_typed_pointer_must_point_to_its_type(called):
    y = torch.zeros(2, 8, dtype=torch.int32, device="cuda")
    with pytest.raises(MalformedSolution, match=r"arguments\[0\].*holds int32, not float32"):
        called(WIDTH, plan({"arguments": ("float32*:y",)}), y, N=8)
