// Reduction, sequential addressing, the last warp without barriers of the block.
//
// One warp needs no __syncthreads. Since Volta its threads need not run in lockstep, so a __syncwarp lies between the
// reads and the writes of a step, and between steps.

extern "C" __global__ void reduce_unrolled(const T* x, T* y, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    const u32 from = ORDERED ? bit_reversed(t, size) : t;
    s[t] = from < part.count ? x[part.begin + from] : identity();
    u32 stride = size / 2;
    for (; stride >= WARP; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = combine(s[t], s[t + stride]);
    }
    __syncthreads();
    if (t < WARP) {
        const u32 warp = size < WARP ? (1u << size) - 1 : ~0u;  // the threads that there are
#pragma unroll
        for (u32 last = WARP / 2; last > 0; last /= 2) {
            T sum;
            if (last <= stride && t < last) sum = combine(s[t], s[t + last]);
            __syncwarp(warp);
            if (last <= stride && t < last) s[t] = sum;
            __syncwarp(warp);
        }
        if (t == 0) y[blockIdx.x] = s[0];
    }
}
