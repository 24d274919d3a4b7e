__global__ void rows(const float *x, float *y) {}
void run(const float *x, float *y, cudaStream_t stream) {
  rows<<<dim3(4, 1, 1), 128>>>(x, y); // found
  rows<<<4, 128, 0, stream>>>(x, y);
  rows<<<grid(4, 1), 128, bytes(1, 2), stream>>>(x, y);
  int shifted = 1 << 3;
}
