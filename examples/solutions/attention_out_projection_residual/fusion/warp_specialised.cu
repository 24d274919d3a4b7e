// Idea: the persistent, warp-specialised product of the GEMM playbook; the residual is added to the
// accumulators before they leave, so that it costs no pass of its own.
// Predicted: at least 85 % of the library's rate on large workloads, less where there are few tiles.

#include <cuda.h>
#include <cuda_bf16.h>
#include <stdint.h>

#define DEVICE __device__ __forceinline__

DEVICE uint32_t in_shared(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }

DEVICE void barrier_init(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

DEVICE void barriers_are_made() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

DEVICE void expect_bytes(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives at the barrier that lies at the same place in a block of the cluster.
DEVICE void arrive(uint32_t barrier, uint32_t block) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
               "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier), "r"(block)
               : "memory");
}

// Returns once the phase of this parity is over.
DEVICE void wait(uint32_t barrier, uint32_t parity) {
  uint32_t over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
}

DEVICE void load_tile(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y) : "memory");
}

// A matrix in shared memory for wgmma: rows of 128 bytes, swizzled, eight of them in 1024 bytes.
DEVICE uint64_t matrix(uint32_t address) {
  return uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 16 | (address & 0x3ffff) >> 4;
}

DEVICE void matrix_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void matrix_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Returns once at most `LEFT` committed groups are unfinished.
template <int LEFT>
DEVICE void matrix_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define TEN(X, T) X(T##0) X(T##1) X(T##2) X(T##3) X(T##4) X(T##5) X(T##6) X(T##7) X(T##8) X(T##9)
#define FROM_1_TO_127(X)                                                                            \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5)    \
  TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) TEN(X, 10) TEN(X, 11)                                     \
  X(120) X(121) X(122) X(123) X(124) X(125) X(126) X(127)
#define OPERAND(i) ",%" #i
#define REGISTER(i) , "+f"(d[i])

// d (+)= A Bᵀ for 64 rows of A, 256 rows of B and 16 of K.
DEVICE void multiply_add(float (&d)[128], uint64_t a, uint64_t b, bool add) {
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %130, 0; "
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%0" FROM_1_TO_127(OPERAND)
               "}, %128, %129, add, 1, 1, 0, 0; }"
               : "+f"(d[0]) FROM_1_TO_127(REGISTER)
               : "l"(a), "l"(b), "r"(int(add)));
}

constexpr int ROWS = 128, COLUMNS = 256, DEPTH = 64, STAGES = 4;
constexpr int A_BYTES = ROWS * DEPTH * 2, B_BYTES = COLUMNS * DEPTH * 2, STAGE_BYTES = A_BYTES + B_BYTES;

// Where the next stage lies, and the parity of its barriers.
struct Ring {
  uint32_t base, barriers;
  int slot = 0;
  uint32_t phase = 0;

  DEVICE uint32_t a() const { return base + slot * STAGE_BYTES; }
  DEVICE uint32_t b() const { return a() + A_BYTES; }
  DEVICE uint32_t full() const { return barriers + 16 * slot; }
  DEVICE uint32_t empty() const { return full() + 8; }
  DEVICE void next() {
    if (++slot == STAGES) slot = 0, phase ^= 1;
  }
};

// The barriers lie behind the tiles and the `spare_bytes` after them.
DEVICE Ring make_ring(int spare_bytes, int arrivals) {
  extern __shared__ uint8_t memory[];
  const uint32_t base = (in_shared(memory) + 1023) & ~1023u;
  const Ring ring{base, base + STAGES * STAGE_BYTES + spare_bytes};
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      barrier_init(ring.barriers + 16 * i, 1);
      barrier_init(ring.barriers + 16 * i + 8, arrivals);
    }
    barriers_are_made();
  }
  return ring;
}

DEVICE void give_up_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }
DEVICE void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }

// What one group of consumers does for one tile; its warps tell `sharers` blocks, from `block` on,
// that a stage is free.
DEVICE void consume(Ring& ring, float (&d)[128], int group, int depth, uint32_t block, int sharers) {
  uint32_t before = 0;
  for (int k = 0; k < depth; k += DEPTH) {
    wait(ring.full(), ring.phase);
    const uint64_t left = matrix(ring.a() + group * 8192), right = matrix(ring.b());
    matrix_begin();
#pragma unroll
    for (int i = 0; i < 4; ++i) multiply_add(d, left + 2 * i, right + 2 * i, k + i > 0);
    matrix_commit();
    if (k > 0) {
      // One step behind, so that the matrix unit always has a group to go on with.
      matrix_wait<1>();
      if (threadIdx.x % 32 < sharers) arrive(before, block + threadIdx.x % 32);
    }
    before = ring.empty();
    ring.next();
  }
  matrix_wait<0>();
  if (threadIdx.x % 32 < sharers) arrive(before, block + threadIdx.x % 32);
}

DEVICE uint32_t block_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Everybody's stores to shared memory are seen by all blocks afterwards.
DEVICE void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

// The same without a promise about stores, and without the fence that it costs.
DEVICE void cluster_meet() {
  asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
}

// The same as `load_tile`, to the same place in every block of `mask`.
DEVICE void load_shared_tile(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t barrier, uint16_t mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(mask)
               : "memory");
}

constexpr int SLOTS = 2, SLOT_BYTES = 64 * 128;

DEVICE void store_tile(const CUtensorMap* map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(from),
               "r"(x), "r"(y) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

DEVICE void group_sync(int group) { asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); }

// Four 8 x 8 matrices at once; every lane names one row of 16 bytes.
DEVICE void store_matrices(uint32_t to, const float* v) {
  uint32_t r[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r[i]) : "f"(v[2 * i + 1]), "f"(v[2 * i]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(r[0]), "r"(r[1]),
               "r"(r[2]), "r"(r[3]) : "memory");
}

// 64 x 256 results leave by the copy engine, 64 columns at a time, out of `SLOTS` buffers.
DEVICE void leave(const float (&d)[128], const CUtensorMap* c, uint32_t buffer, int row, int column, int group) {
  const int lane = threadIdx.x % 32, leader = threadIdx.x % 128 == 0;
  const uint32_t at = (threadIdx.x / 32 % 4 * 16 + lane % 16) * 128;
#pragma unroll
  for (int part = 0; part < COLUMNS / 64; ++part) {
    const uint32_t to = buffer + part % SLOTS * SLOT_BYTES;
    if (leader) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(SLOTS - 1) : "memory");
    group_sync(group);
#pragma unroll
    for (int j = 0; j < 8; j += 2)
      store_matrices(to + at + ((j + lane / 16) ^ lane % 8) * 16, d + part * 32 + j * 4);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    group_sync(group);
    if (leader) store_tile(c, to, column + part * 64, row);
  }
}

constexpr int SHARERS = 2, BAND = 8, SPARE_BYTES = 2 * SLOTS * SLOT_BYTES;

// Row and column of a tile: bands of `BAND` tile rows, so that neighbours in time share operands in L2.
DEVICE int2 place(int tile, int tall, int wide) {
  const int first = tile / (BAND * wide) * BAND, height = min(tall - first, BAND), rest = tile % (BAND * wide);
  return make_int2((first + rest % height) * ROWS * SHARERS, rest / height * COLUMNS);
}

// `finish` may change the results of a group before they leave.
template <class Finish>
DEVICE void multiply(const CUtensorMap* a, const CUtensorMap* b, const CUtensorMap* c, int M, int N, int K,
                     Finish finish) {
  Ring ring = make_ring(SPARE_BYTES, 8 * SHARERS);
  cluster_sync();
  const int tall = (M + ROWS * SHARERS - 1) / (ROWS * SHARERS), wide = N / COLUMNS, group = threadIdx.x / 128;
  const int rank = block_in_cluster(), first = blockIdx.x / SHARERS, step = gridDim.x / SHARERS;
  if (group == 2) {
    give_up_registers();
    if (threadIdx.x == 256)
      for (int tile = first; tile < tall * wide; tile += step) {
        const int2 at = place(tile, tall, wide);
        for (int k = 0; k < K; k += DEPTH, ring.next()) {
          wait(ring.empty(), ring.phase ^ 1);
          expect_bytes(ring.full(), STAGE_BYTES);
          load_tile(ring.a(), a, k, at.x + rank * ROWS, ring.full());
          // Each block fetches its part of B for all of them.
          load_shared_tile(ring.b() + rank * (B_BYTES / SHARERS), b, k, at.y + rank * (COLUMNS / SHARERS),
                           ring.full(), (1 << SHARERS) - 1);
        }
      }
  } else {
    take_registers();
    const uint32_t buffer = ring.base + STAGES * STAGE_BYTES + group * SLOTS * SLOT_BYTES;
    float d[128];
    for (int tile = first; tile < tall * wide; tile += step) {
      const int2 at = place(tile, tall, wide);
      const int row = at.x + rank * ROWS + group * 64;
      consume(ring, d, group, K, 0, SHARERS);
      finish(d, row, at.y);
      leave(d, c, buffer, row, at.y, group);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  // Nobody leaves while another block may still write into its memory or arrive at its barriers.
  cluster_meet();
}

constexpr int LINE = COLUMNS + 8;  // floats; the 8 spread rows over the banks

DEVICE float4 load_from(uint32_t address, uint32_t block) {
  float4 v;
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %4, %5; "
               "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there]; }"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(address), "r"(block) : "memory");
  return v;
}

// Each block of the cluster has a part of K; the sums meet in distributed shared memory.
template <class Finish>
DEVICE void few_rows(const CUtensorMap* a, const CUtensorMap* b, __nv_bfloat16* c, int M, int N, int K,
                     Finish finish) {
  Ring ring = make_ring(0, 8);
  __syncthreads();
  const int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS, group = threadIdx.x / 128;
  const int parts = gridDim.z, depth = K / parts, rank = block_in_cluster();
  const uint32_t sums = ring.base;
  if (group == 2) {
    give_up_registers();
    if (threadIdx.x == 256)
      for (int k = 0; k < depth; k += DEPTH, ring.next()) {
        wait(ring.empty(), ring.phase ^ 1);
        expect_bytes(ring.full(), STAGE_BYTES);
        load_tile(ring.a(), a, rank * depth + k, row, ring.full());
        for (int i = 0; i < SHARERS; ++i)
          load_tile(ring.b() + i * (B_BYTES / SHARERS), b, rank * depth + k, column + i * (COLUMNS / SHARERS),
                    ring.full());
      }
    cluster_sync();
  } else {
    take_registers();
    float d[128];
    consume(ring, d, group, depth, rank, 1);
    // Both groups are done with the tiles, whose memory the sums take.
    asm volatile("bar.sync 3, 256;" ::: "memory");
    const int lane = threadIdx.x % 32, line = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      const int y = line + i % 2 * 8, x = i / 2 * 8 + lane % 4 * 2;
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(sums + (y * LINE + x) * 4), "f"(d[2 * i]),
                   "f"(d[2 * i + 1]) : "memory");
    }
    cluster_sync();
    const int items = min(ROWS, M - row) * (COLUMNS / 4);
    for (int i = rank * 256 + threadIdx.x; i < items; i += parts * 256) {
      const int y = i / (COLUMNS / 4), x = i % (COLUMNS / 4) * 4;
      float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
      for (int part = 0; part < parts; ++part) {
        const float4 v = load_from(sums + (y * LINE + x) * 4, part);
        sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
      }
      const size_t at = size_t(row + y) * N + column + x;
      sum = finish(sum, at);
      __nv_bfloat162 two[2] = {__floats2bfloat162_rn(sum.x, sum.y), __floats2bfloat162_rn(sum.z, sum.w)};
      *reinterpret_cast<uint2*>(c + at) = *reinterpret_cast<uint2*>(two);
    }
  }
  // Nobody leaves while another block still reads its sums.
  cluster_meet();
}

struct PlusResidual {
  const __nv_bfloat16* residual;
  int M, N;

  DEVICE float2 two(size_t at) const {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(residual + at));
  }

  DEVICE void operator()(float (&d)[128], int row, int column) const {
    const int lane = threadIdx.x % 32, at = row + threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      // Rows past the end take the last one's; they are not stored.
      const int y = min(at + i % 2 * 8, M - 1), x = column + i / 2 * 8 + lane % 4 * 2;
      const float2 more = two(size_t(y) * N + x);
      d[2 * i] += more.x;
      d[2 * i + 1] += more.y;
    }
  }

  DEVICE float4 operator()(float4 v, size_t at) const {
    const float2 left = two(at), right = two(at + 2);
    return make_float4(v.x + left.x, v.y + left.y, v.z + right.x, v.w + right.y);
  }
};

extern "C" __global__ void __launch_bounds__(384)
    projection(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               const __grid_constant__ CUtensorMap c, const __nv_bfloat16* residual, int M, int N, int K) {
  multiply(&a, &b, &c, M, N, K, PlusResidual{residual, M, N});
}

extern "C" __global__ void __launch_bounds__(384)
    projection_few_rows(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                        __nv_bfloat16* c, const __nv_bfloat16* residual, int M, int N, int K) {
  few_rows(&a, &b, c, M, N, K, PlusResidual{residual, M, N});
}
