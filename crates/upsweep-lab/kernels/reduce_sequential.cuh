// Reduction, sequential addressing: the threads of the lower half add the upper half.
//
// Neighbouring threads access neighbouring words, and whole warps fall idle. ORDERED: the elements come bit-reversed into
// shared memory, so that neighbouring ranges are combined, in their order; a warp's loads then touch a line a thread.

extern "C" __global__ void reduce_sequential(const T* x, T* y, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    const u32 from = ORDERED ? bit_reversed(t, size) : t;
    s[t] = from < part.count ? x[part.begin + from] : identity();
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = combine(s[t], s[t + stride]);
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
