// The naive parallel scan, one launch a step: each element adds that at `stride` to its left, from one buffer to the other.

extern "C" __global__ void hillis_steele(const T* in, T* out, u64 n, u64 stride) {
    const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i >= stride ? combine(in[i - stride], in[i]) : in[i];
}
