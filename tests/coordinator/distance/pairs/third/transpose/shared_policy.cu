// Entirely new: a compile-time tile policy with a collector and a distributor phase.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <int EDGE, int HEIGHT>
struct TilePolicy {
  static constexpr int edge = EDGE;
  static constexpr int height = HEIGHT;
  static constexpr int passes = EDGE / HEIGHT;
  static constexpr int pitch = EDGE + 1;
  static constexpr int threads = EDGE * HEIGHT;
};

template <class P>
class Tile {
 public:
  __device__ explicit Tile(float* cells) : cells_(cells), tx_(threadIdx.x % P::edge), ty_(threadIdx.x / P::edge) {}

  __device__ void collect(const float* __restrict__ from, int top, int left, int height, int width) {
#pragma unroll
    for (int pass = 0; pass < P::passes; ++pass) {
      const int line = ty_ + pass * P::height;
      const bool inside = top + line < height && left + tx_ < width;
      cells_[line * P::pitch + tx_] = inside ? __ldg(from + int64_t(top + line) * width + left + tx_) : 0.f;
    }
  }

  __device__ void distribute(float* __restrict__ to, int top, int left, int height, int width) const {
#pragma unroll
    for (int pass = 0; pass < P::passes; ++pass) {
      const int line = ty_ + pass * P::height;
      if (top + line < height && left + tx_ < width)
        __stcs(to + int64_t(top + line) * width + left + tx_, cells_[tx_ * P::pitch + line]);
    }
  }

 private:
  float* cells_;
  int tx_, ty_;
};

template <class P>
__global__ void __launch_bounds__(P::threads)
swap_axes(const float* __restrict__ from, float* __restrict__ to, int height, int width) {
  __shared__ float cells[P::edge * P::pitch];
  Tile<P> tile(cells);
  const int top = blockIdx.x * P::edge, left = blockIdx.y * P::edge;
  tile.collect(from, top, left, height, width);
  __syncthreads();
  tile.distribute(to, left, top, width, height);
}

void run(torch::Tensor x, torch::Tensor y) {
  using Policy = TilePolicy<64, 8>;
  const int height = static_cast<int>(x.size(0));
  const int width = static_cast<int>(x.size(1));
  const dim3 blocks((height + Policy::edge - 1) / Policy::edge, (width + Policy::edge - 1) / Policy::edge);
  auto stream = at::cuda::getCurrentCUDAStream();
  swap_axes<Policy><<<blocks, Policy::threads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), height, width);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
