#define D 64
extern "C" __global__ void attn(const float* Q, const float* K, const float* V, float* O, int n, float scale) {
  __shared__ float ks[32][D], vs[32][D];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float q[D], o[D];
  for (int d = 0; d < D; ++d) { q[d] = row < n ? Q[row * D + d] * scale : 0.f; o[d] = 0.f; }
  float m = -1e30f, l = 0.f;
  for (int t = 0; t < n; t += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * D; i += blockDim.x) { ks[i / D][i % D] = t + i / D < n ? K[t * D + i] : 0.f; vs[i / D][i % D] = t + i / D < n ? V[t * D + i] : 0.f; }
    __syncthreads();
    for (int j = 0; j < 32 && t + j < n; ++j) {
      float s = 0;
      for (int d = 0; d < D; ++d) s += q[d] * ks[j][d];
      float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
      l = l * c + p;
      for (int d = 0; d < D; ++d) o[d] = o[d] * c + p * vs[j][d];
      m = mn;
    }
  }
  if (row < n) for (int d = 0; d < D; ++d) O[row * D + d] = o[d] / l;
}
