struct Candidate {
  float score; int place;
  __device__ Candidate better(const Candidate& o) const { return o.score > score || (o.score == score && o.place < place) ? o : *this; }
};
template <int N> __device__ Candidate contest(Candidate mine, Candidate (&board)[N]) {
  board[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll
  for (int half = N / 2; half >= 1; half >>= 1) {
    if (threadIdx.x < half) board[threadIdx.x] = board[threadIdx.x].better(board[threadIdx.x + half]);
    __syncthreads();
  }
  return board[0];
}
extern "C" __global__ void __launch_bounds__(512) argmax(const float* __restrict__ scores, int* __restrict__ winners, int width) {
  __shared__ Candidate board[512];
  scores += size_t(blockIdx.x) * width;
  Candidate mine{-INFINITY, 0};
#pragma unroll 4
  for (int c = threadIdx.x; c < width; c += 512) mine = mine.better({__ldg(scores + c), c});
  const Candidate winner = contest<512>(mine, board);
  if (!threadIdx.x) winners[blockIdx.x] = winner.place;
}
