// Reduction, interleaved addressing: thread t adds its neighbour at `stride`, if 2 stride divides t.
//
// Half of each warp is idle from the first step on, and the other half waits for it. The lecture asks by a remainder; the
// second form takes the lowest bits.

extern "C" __global__ void reduce_interleaved(const T* x, T* y, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    s[t] = t < part.count ? x[part.begin + t] : identity();
    for (u32 stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        if (SECOND ? (t & (2 * stride - 1)) == 0 : t % (2 * stride) == 0) s[t] = combine(s[t], s[t + stride]);
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
