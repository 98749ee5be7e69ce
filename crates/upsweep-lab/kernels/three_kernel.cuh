// Arrays of any length in three kernels: scan each part (brent_kung.cuh), scan the parts' sums with one block, add what lies
// before it to each part (recursive.cuh).

// The middle kernel: one block goes along the sums, one each thread at a time.
extern "C" __global__ void scan_sums(T* sums, u64 n) {
    T *in = shared_words(), *out = in + blockDim.x;
    const u32 t = threadIdx.x, size = blockDim.x;
    T before = identity();
    for (u64 begin = 0; begin < n; begin += size) {
        in[t] = begin + t < n ? sums[begin + t] : identity();
        for (u32 stride = 1; stride < size; stride *= 2) {
            __syncthreads();
            out[t] = t >= stride ? combine(in[t - stride], in[t]) : in[t];
            T* const other = in;
            in = out;
            out = other;
        }
        __syncthreads();
        if (begin + t < n) sums[begin + t] = combine(before, in[t]);
        before = combine(before, in[size - 1]);
        __syncthreads();
    }
}
