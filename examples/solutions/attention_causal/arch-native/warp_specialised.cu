// Idea: one group of warps fetches by tensor copies, two multiply by wgmma; the softmax runs beside the
// product of the weights before; a block per tile, the longest first.
// Predicted: faster than the framework's fused attention from 2,048 positions on.

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

DEVICE void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

DEVICE void wait(uint32_t barrier, uint32_t parity) {
  uint32_t over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
}

// 64 features of 128 positions of one head.
DEVICE void load_half(uint32_t to, const CUtensorMap* map, int feature, int position, int head, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(map), "r"(barrier), "r"(feature), "r"(position),
               "r"(head) : "memory");
}

DEVICE void matrix_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void matrix_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Returns once at most `LEFT` committed groups are unfinished; the results in `d` are then there.
template <int LEFT>
DEVICE void matrix_wait(float (&d)[64]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

#define TEN(X, T) X(T##0) X(T##1) X(T##2) X(T##3) X(T##4) X(T##5) X(T##6) X(T##7) X(T##8) X(T##9)
#define FROM_1_TO_63(X)                                                                              \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5)     \
  X(60) X(61) X(62) X(63)
#define OPERAND(i) ",%" #i
#define REGISTER(i) , "+f"(d[i])

constexpr int HALF_BYTES = 128 * 128;  // 128 positions, 64 features

// Features side by side: 128-byte rows, eight of them in 1024 bytes. For queries and keys.
DEVICE uint64_t by_feature(uint32_t address) {
  return uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 16 | (address & 0x3ffff) >> 4;
}

// The same bytes, summed over positions: the other 64 features lie `HALF_BYTES` further. For values.
DEVICE uint64_t by_position(uint32_t address) {
  return uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | uint64_t(HALF_BYTES >> 4) << 16 | (address & 0x3ffff) >> 4;
}

// d (+)= Q Kᵀ: 64 queries, 128 keys, 16 features.
DEVICE void add_scores(float (&d)[64], uint64_t q, uint64_t k, bool add) {
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %66, 0; "
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0" FROM_1_TO_63(OPERAND)
               "}, %64, %65, add, 1, 1, 0, 0; }"
               : "+f"(d[0]) FROM_1_TO_63(REGISTER)
               : "l"(q), "l"(k), "r"(int(add)));
}

// d += P V: 64 queries, 16 keys, 128 features; the weights come from registers.
DEVICE void add_values(float (&d)[64], const uint32_t* p, uint64_t v) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0" FROM_1_TO_63(OPERAND)
               "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
               : "+f"(d[0]) FROM_1_TO_63(REGISTER)
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

constexpr float SCALE = 0.08838834764f * 1.44269504f;  // 1 / sqrt(128), and to powers of two
constexpr float LOWEST = -3e38f;                       // no infinity: a difference of two is no number

DEVICE float power(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// What a thread knows of its two rows.
struct Rows {
  float top[2] = {LOWEST, LOWEST}, sum[2] = {0.f, 0.f}, shrink[2];

  // Scores to weights; `shrink` is what earlier sums and averages are to be multiplied by.
  DEVICE void weigh(float (&s)[64]) {
    // Two maxima and two sums a row: one of each would be a chain of 32 operations.
    float most[2][2] = {{top[0], top[0]}, {top[1], top[1]}}, part[2][2] = {};
#pragma unroll
    for (int i = 0; i < 64; ++i) most[i / 2 % 2][i % 2] = fmaxf(most[i / 2 % 2][i % 2], s[i]);
    float low[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float m = fmaxf(most[r][0], most[r][1]);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      low[r] = m * SCALE;
      shrink[r] = power(top[r] * SCALE - low[r]);
      top[r] = m;
    }
#pragma unroll
    for (int i = 0; i < 64; ++i)
      part[i / 2 % 2][i % 2] += s[i] = power(fmaf(s[i], SCALE, -low[i / 2 % 2]));
#pragma unroll
    for (int r = 0; r < 2; ++r) sum[r] = sum[r] * shrink[r] + part[r][0] + part[r][1];
  }

  DEVICE void rescale(float (&o)[64]) const {
#pragma unroll
    for (int i = 0; i < 64; ++i) o[i] *= shrink[i / 2 % 2];
  }

  // The last act: one over the sum of the whole row, of which four threads hold a part each.
  DEVICE void finish(float (&o)[64]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
      sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
      shrink[r] = 1.f / sum[r];
    }
    rescale(o);
  }
};

// What lies after the query on the diagonal tile counts nothing.
DEVICE void mask(float (&s)[64]) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; ++i)
    if (i / 4 * 8 + column + i % 2 > row + i / 2 % 2 * 8) s[i] = LOWEST;
}

// Accumulators become the left operand as they lie: 16 keys are 8 accumulators, 4 registers.
DEVICE void pack(uint32_t (&p)[32], const float (&s)[64]) {
#pragma unroll
  for (int i = 0; i < 32; ++i) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(p[i]) : "f"(s[2 * i + 1]), "f"(s[2 * i]));
}

constexpr int TILE_BYTES = 2 * HALF_BYTES, STAGES = 2;
constexpr uint32_t BAND = 8;

// Where things lie; `i` counts tiles of keys, `round` tiles of queries.
struct Places {
  uint32_t base, barriers;

  DEVICE uint32_t q(uint32_t round) const { return base + round % 2 * TILE_BYTES; }
  DEVICE uint32_t k(uint32_t i) const { return base + (2 + i % STAGES * 2) * TILE_BYTES; }
  DEVICE uint32_t v(uint32_t i) const { return k(i) + TILE_BYTES; }
  DEVICE uint32_t out(int group) const { return base + (2 + 2 * STAGES) * TILE_BYTES + group * HALF_BYTES; }
  DEVICE uint32_t k_full(uint32_t i) const { return barriers + i % STAGES * 32; }
  DEVICE uint32_t k_empty(uint32_t i) const { return k_full(i) + 8; }
  DEVICE uint32_t v_full(uint32_t i) const { return k_full(i) + 16; }
  DEVICE uint32_t v_empty(uint32_t i) const { return k_full(i) + 24; }
  DEVICE uint32_t q_full(uint32_t round) const { return barriers + 32 * STAGES + round % 2 * 16; }
  DEVICE uint32_t q_empty(uint32_t round) const { return q_full(round) + 8; }
  DEVICE static uint32_t phase(uint32_t i) { return i / STAGES & 1; }
  DEVICE static uint32_t q_phase(uint32_t round) { return round / 2 & 1; }
};

DEVICE Places make_places() {
  extern __shared__ uint8_t memory[];
  const uint32_t base = (in_shared(memory) + 1023) & ~1023u;
  const Places at{base, base + (3 + 2 * STAGES) * TILE_BYTES};
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      barrier_init(at.k_full(i), 1);
      barrier_init(at.k_empty(i), 8);
      barrier_init(at.v_full(i), 1);
      barrier_init(at.v_empty(i), 8);
    }
    for (int i = 0; i < 2; ++i) {
      barrier_init(at.q_full(i), 1);
      barrier_init(at.q_empty(i), 8);
    }
    barriers_are_made();
  }
  __syncthreads();
  return at;
}

// One lane of each of the 8 consuming warps says that it has read its part.
DEVICE void release(uint32_t barrier) {
  if (threadIdx.x % 32 == 0) arrive(barrier);
}

DEVICE void load_whole(uint32_t to, const CUtensorMap* map, int position, int head, uint32_t barrier) {
  expect_bytes(barrier, TILE_BYTES);
  load_half(to, map, 0, position, head, barrier);
  load_half(to + HALF_BYTES, map, 64, position, head, barrier);
}

// The tile on the diagonal comes first, then those before it.
DEVICE void produce(const Places& at, const CUtensorMap* q, const CUtensorMap* k, const CUtensorMap* v, int head,
                    int tile, uint32_t round, uint32_t& i) {
  wait(at.q_empty(round), at.q_phase(round) ^ 1);
  load_whole(at.q(round), q, tile * 128, head, at.q_full(round));
  for (int left = tile; left >= 0; --left, ++i) {
    wait(at.k_empty(i), at.phase(i) ^ 1);
    load_whole(at.k(i), k, left * 128, head, at.k_full(i));
    wait(at.v_empty(i), at.phase(i) ^ 1);
    load_whole(at.v(i), v, left * 128, head, at.v_full(i));
  }
}

DEVICE void begin_scores(const Places& at, float (&s)[64], uint32_t round, uint32_t i, int group) {
  const uint64_t q = by_feature(at.q(round) + group * 8192), k = by_feature(at.k(i));
  matrix_begin();
#pragma unroll
  for (int step = 0; step < 8; ++step) {
    const int far = step / 4 * (HALF_BYTES >> 4) + step % 4 * 2;
    add_scores(s, q + far, k + far, step > 0);
  }
  matrix_commit();
}

DEVICE void begin_values(const Places& at, float (&o)[64], const uint32_t (&p)[32], uint32_t i) {
  wait(at.v_full(i), at.phase(i));
  const uint64_t v = by_position(at.v(i));
  matrix_begin();
#pragma unroll
  for (int step = 0; step < 8; ++step) add_values(o, p + 4 * step, v + step * (2048 >> 4));
  matrix_commit();
}

// The result goes to shared memory, and leaves by the copy engine while the group goes on.
DEVICE void leave(const Places& at, const float (&o)[64], const CUtensorMap* out, int head, int tile, int group) {
  const int lane = threadIdx.x % 32, leader = threadIdx.x % 128 == 0;
  uint32_t p[32];
  pack(p, o);
  const uint32_t line = at.out(group) + (threadIdx.x / 32 % 4 * 16 + lane % 16) * 128;
  if (leader) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
#pragma unroll
  for (int j = 0; j < 16; j += 2)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     line + j / 8 * 8192 + ((j % 8 + lane / 16) ^ lane % 8) * 16),
                 "r"(p[2 * j]), "r"(p[2 * j + 1]), "r"(p[2 * j + 2]), "r"(p[2 * j + 3]) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
  if (leader) {
    for (int half = 0; half < 2; ++half)
      asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(out),
                   "r"(at.out(group) + half * 8192), "r"(half * 64), "r"(tile * 128 + group * 64), "r"(head)
                   : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
}

// The n-th tile of queries, head and place: bands of heads, whose keys and values fit in L2 together,
// and in each the longest tiles first.
DEVICE int2 place(uint32_t n, uint32_t heads, uint32_t tiles) {
  const uint32_t first = n / (BAND * tiles) * BAND, wide = min(heads - first, BAND), rest = n % (BAND * tiles);
  return make_int2(first + rest % wide, tiles - 1 - rest / wide);
}

// The blocks change their order from round to round, so that none always has the longer tiles.
DEVICE uint32_t turn(uint32_t round) {
  return round * gridDim.x + (round % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
}

template <class Attend>
DEVICE void walk(const CUtensorMap* q, const CUtensorMap* k, const CUtensorMap* v, const CUtensorMap* out,
                 uint32_t heads, uint32_t tiles, Attend attend) {
  const Places at = make_places();
  const int group = threadIdx.x / 128;
  uint32_t i = 0;
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256)
      for (uint32_t round = 0, n; (n = turn(round)) < heads * tiles; ++round) {
        const int2 to = place(n, heads, tiles);
        produce(at, q, k, v, to.x, to.y, round, i);
      }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float o[64];
    for (uint32_t round = 0, n; (n = turn(round)) < heads * tiles; ++round) {
      const int2 to = place(n, heads, tiles);
      attend(at, o, to.y, group, round, i);
      leave(at, o, out, to.x, to.y, group);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// The scores of the next tile and the values of this one are under way together; the next softmax runs
// beside the values. With TURNS the groups take turns at the matrix unit.
template <bool TURNS>
struct Beside {
  DEVICE void operator()(const Places& at, float (&o)[64], int tile, int group, uint32_t round, uint32_t& i) const {
    float s[64];
    uint32_t p[32];
    Rows rows;
#pragma unroll
    for (int j = 0; j < 64; ++j) o[j] = 0.f;
    wait(at.q_full(round), at.q_phase(round));
    wait(at.k_full(i), at.phase(i));
    begin_scores(at, s, round, i, group);
    matrix_wait<0>(s);
    release(at.k_empty(i));
    mask(s);
    rows.weigh(s);
    for (int left = tile; left > 0; --left, ++i) {
      // This loop also keeps the compiler from waiting for the values before the softmax.
      wait(at.k_full(i + 1), at.phase(i + 1));
      turn_weights(at, rows, o, p, s, i, left < tile);
      if (TURNS) asm volatile("bar.sync %0, 256;" ::"r"(group + 3) : "memory");
      begin_scores(at, s, round, i + 1, group);
      begin_values(at, o, p, i);
      if (TURNS) asm volatile("bar.arrive %0, 256;" ::"r"(4 - group) : "memory");
      matrix_wait<1>(s);
      release(at.k_empty(i + 1));
      rows.weigh(s);
    }
    release(at.q_empty(round));
    wait(at.v_full(i), at.phase(i));
    turn_weights(at, rows, o, p, s, i, tile > 0);
    begin_values(at, o, p, i);
    matrix_wait<0>(o);
    release(at.v_empty(i));
    ++i;
    rows.finish(o);
  }

  // Once the values before are in `o`, it may be scaled, and the registers of their weights used again.
  DEVICE void turn_weights(const Places& at, const Rows& rows, float (&o)[64], uint32_t (&p)[32], const float (&s)[64],
                           uint32_t i, bool before) const {
    matrix_wait<0>(o);
    if (before) release(at.v_empty(i - 1));
    rows.rescale(o);
    pack(p, s);
  }
};

extern "C" __global__ void __launch_bounds__(384)
    attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
              const __grid_constant__ CUtensorMap v, const __grid_constant__ CUtensorMap out, uint32_t heads,
              uint32_t tiles) {
  walk(&q, &k, &v, &out, heads, tiles, Beside<false>{});
}
