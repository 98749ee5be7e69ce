// Kogge-Stone with two buffers that swap: one barrier a step. The exclusive form shifts the elements when it loads them.
// The pointers swap; in the second form the words' numbers do, as in the lectures' `pout * n + t`.

extern "C" __global__ void double_buffered(const T* x, T* y, T* sums, u64 n) {
    T* const s = shared_words();
    T *in = s, *out = s + blockDim.x;
    u32 from = 0;
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    if (EXCLUSIVE) in[t] = t > 0 && t <= part.count ? x[part.begin + t - 1] : identity();
    else in[t] = t < part.count ? x[part.begin + t] : identity();
    for (u32 stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        if (SECOND) {
            const u32 own = from + t;
            from = size - from;
            s[from + t] = t >= stride ? combine(s[own - stride], s[own]) : s[own];
        } else {
            out[t] = t >= stride ? combine(in[t - stride], in[t]) : in[t];
            T* const other = in;
            in = out;
            out = other;
        }
    }
    if (SECOND) in = s + from;
    if (t < part.count) y[part.begin + t] = in[t];
    if (sums && t == size - 1) {
        const T last = t < part.count ? x[part.begin + t] : identity();
        sums[blockIdx.x] = EXCLUSIVE ? combine(in[t], last) : in[t];
    }
}
