// Reduction as it is done today: shuffles within each warp, one word a warp, then the first warp.
//
// Only as many words of shared memory as there are warps, and one barrier. The threads are a multiple of a warp.

// The combination of the warp's values, in the order of its lanes, in lane 0.
__device__ __forceinline__ T warp_reduce(T value) {
#pragma unroll
    for (u32 by = 1; by < WARP; by *= 2) value = combine(value, shuffle_down(value, by));
    return value;
}

extern "C" __global__ void reduce_shuffle(const T* x, T* y, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    const T sum = warp_reduce(t < part.count ? x[part.begin + t] : identity());
    if (t % WARP == 0) s[t / WARP] = sum;
    __syncthreads();
    if (t < WARP) {
        const T total = warp_reduce(t < size / WARP ? s[t] : identity());
        if (t == 0) y[blockIdx.x] = total;
    }
}
