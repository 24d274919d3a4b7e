// What looks.py asks of the slots of a block: every byte is read once. Nothing here is ever timed.
//
// A matrix has a row per slot, with gaps between the rows. blockIdx.y is the row.

typedef unsigned char byte;
typedef unsigned long long u64;

template <int BYTES> struct Word;
template <> struct Word<1> { typedef unsigned char type; };
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned int type; };
template <> struct Word<8> { typedef unsigned long long type; };

union Vector {
    uint4 all;
    unsigned char b1[16];
    unsigned short b2[8];
    unsigned int b4[4];
    unsigned long long b8[2];
};

template <typename W> __device__ W part(const Vector &v, int i);
template <> __device__ unsigned char part(const Vector &v, int i) { return v.b1[i]; }
template <> __device__ unsigned short part(const Vector &v, int i) { return v.b2[i]; }
template <> __device__ unsigned int part(const Vector &v, int i) { return v.b4[i]; }
template <> __device__ unsigned long long part(const Vector &v, int i) { return v.b8[i]; }

__device__ bool aligned(const byte *p, long long stride) {
    return (((u64)p | (u64)stride) & 15) == 0;
}

// One addition per warp: who has nothing to add adds nothing.
__device__ void add(u64 *where, unsigned count) {
    for (int apart = 16; apart; apart >>= 1) count += __shfl_down_sync(~0u, count, apart);
    if ((threadIdx.x & 31) == 0 && count) atomicAdd(where, (u64)count);
}

// Keep one byte of each stretch of so many, as it is now.
extern "C" __global__ void touch(const byte *x, long long apart, long long count, byte *seen) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) seen[at] = x[at * apart];
}

// How many elements hold the pattern.
template <int BYTES>
__device__ void left(const byte *x, long long stride, long long row_bytes, u64 pattern, u64 *found) {
    typedef typename Word<BYTES>::type W;
    const byte *row = x + blockIdx.y * stride;
    const long long step = (long long)gridDim.x * blockDim.x;
    const long long begin = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long vectors = aligned(x, stride) ? row_bytes / 16 : 0;
    unsigned count = 0;
    for (long long at = begin; at < vectors; at += step) {
        Vector v;
        v.all = __ldcs((const uint4 *)row + at);
#pragma unroll
        for (int i = 0; i < 16 / BYTES; ++i) count += part<W>(v, i) == (W)pattern;
    }
    const W *words = (const W *)row;
    for (long long at = vectors * (16 / BYTES) + begin; at < row_bytes / BYTES; at += step)
        count += words[at] == (W)pattern;
    add(found, count);
}

#define LEFT(BYTES)                                                                              \
    extern "C" __global__ void left_##BYTES(const byte *x, long long stride, long long row_bytes, \
                                            u64 pattern, u64 *found) {                           \
        left<BYTES>(x, stride, row_bytes, pattern, found);                                       \
    }
LEFT(1)
LEFT(2)
LEFT(4)
LEFT(8)

// How many bytes differ, at least one where any does.
extern "C" __global__ void differing(const byte *x, long long x_stride, const byte *y,
                                     long long y_stride, long long row_bytes, u64 *found) {
    const byte *mine = x + blockIdx.y * x_stride, *theirs = y + blockIdx.y * y_stride;
    const long long step = (long long)gridDim.x * blockDim.x;
    const long long begin = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const bool whole = aligned(x, x_stride) && aligned(y, y_stride);
    const long long vectors = whole ? row_bytes / 16 : 0;
    unsigned count = 0;
    for (long long at = begin; at < vectors; at += step) {
        const uint4 a = __ldcs((const uint4 *)mine + at), b = __ldcs((const uint4 *)theirs + at);
        count += a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
    }
    for (long long at = vectors * 16 + begin; at < row_bytes; at += step)
        count += mine[at] != theirs[at];
    add(found, count);
}

__device__ float infinity() { return __int_as_float(0x7f800000); }

struct Limits {
    float relative, absolute, beyond;
    bool allows_negative_infinity;
    unsigned apart, far;

    __device__ void ask(float x, float y) {
        const float error = fabsf(x - y), limit = fabsf(y) * relative + absolute;
        const bool fine = isfinite(error);
        const bool same = allows_negative_infinity && x == -infinity() && y == -infinity();
        const bool near = (error <= limit && fine) || same;
        apart += !near;
        far += !near && !(error <= limit * beyond && fine);
    }
};

struct Half {
    typedef unsigned short word;
    static __device__ float read(word bits) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

struct BFloat {
    typedef unsigned short word;
    static __device__ float read(word bits) { return __uint_as_float((unsigned)bits << 16); }
};

struct Single {
    typedef unsigned int word;
    static __device__ float read(word bits) { return __uint_as_float(bits); }
};

// Per row: elements further apart than the limits allow, and those much further.
template <typename T>
__device__ void apart(const byte *x, long long x_stride, const byte *y, long long y_stride,
                      long long elements, Limits limits, u64 *found) {
    typedef typename T::word W;
    const int PER = 16 / sizeof(W);
    const byte *mine = x + blockIdx.y * x_stride, *theirs = y + blockIdx.y * y_stride;
    const long long step = (long long)gridDim.x * blockDim.x;
    const long long begin = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const bool whole = aligned(x, x_stride) && aligned(y, y_stride);
    const long long vectors = whole ? elements / PER : 0;
    for (long long at = begin; at < vectors; at += step) {
        Vector a, b;
        a.all = __ldcs((const uint4 *)mine + at);
        b.all = __ldcs((const uint4 *)theirs + at);
#pragma unroll
        for (int i = 0; i < PER; ++i) limits.ask(T::read(part<W>(a, i)), T::read(part<W>(b, i)));
    }
    for (long long at = vectors * PER + begin; at < elements; at += step)
        limits.ask(T::read(((const W *)mine)[at]), T::read(((const W *)theirs)[at]));
    add(found + 2 * blockIdx.y, limits.apart);
    add(found + 2 * blockIdx.y + 1, limits.far);
}

#define APART(NAME, T)                                                                         \
    extern "C" __global__ void NAME(const byte *x, long long x_stride, const byte *y,          \
                                    long long y_stride, long long elements, float relative,    \
                                    float absolute, float beyond, int negative, u64 *found) {  \
        Limits limits = {relative, absolute, beyond, negative != 0, 0, 0};                     \
        apart<T>(x, x_stride, y, y_stride, elements, limits, found);                           \
    }
APART(apart_float16, Half)
APART(apart_bfloat16, BFloat)
APART(apart_float32, Single)

struct Double {
    typedef u64 word;
    static __device__ double read(word bits) { return __longlong_as_double((long long)bits); }
};

__device__ double largest(double value) {
    for (int apart = 16; apart; apart >>= 1)
        value = fmax(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

// None of these is below zero, so their bits are in the order of their values.
__device__ void raise(u64 *where, double value) {
    value = largest(value);
    if ((threadIdx.x & 31) == 0) atomicMax(where, (u64)__double_as_longlong(value));
}

// Of x against y: elements out of tolerance, the largest limit, absolute and relative error. Each
// operation is rounded by itself, as torch does.
template <typename X, typename Y>
__device__ void within(const byte *x, const byte *y, long long elements, double relative,
                       double absolute, u64 *found) {
    const typename X::word *mine = (const typename X::word *)x;
    const typename Y::word *right = (const typename Y::word *)y;
    const long long step = (long long)gridDim.x * blockDim.x;
    unsigned outside = 0;
    double most = 0, apart = 0, share = 0;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < elements; at += step) {
        const double wanted = Y::read(right[at]);
        const double error = fabs((double)X::read(mine[at]) - wanted), size = fabs(wanted);
        const double limit = __dadd_rn(__dmul_rn(size, relative), absolute);
        const double divisor = fmax(size, absolute);
        outside += !(error <= limit);
        most = fmax(most, limit);
        apart = fmax(apart, error);
        share = fmax(share, error / (divisor > 0 ? divisor : 1.0));
    }
    add(found, outside);
    raise(found + 1, most);
    raise(found + 2, apart);
    raise(found + 3, share);
}

#define WITHIN(NAME, X, Y)                                                                    \
    extern "C" __global__ void within_##NAME(const byte *x, const byte *y, long long elements, \
                                             double relative, double absolute, u64 *found) {  \
        within<X, Y>(x, y, elements, relative, absolute, found);                              \
    }
WITHIN(float16_float16, Half, Half)
WITHIN(float16_float64, Half, Double)
WITHIN(bfloat16_bfloat16, BFloat, BFloat)
WITHIN(bfloat16_float64, BFloat, Double)
WITHIN(float32_float32, Single, Single)
WITHIN(float32_float64, Single, Double)
