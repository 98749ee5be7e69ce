// Kogge-Stone with two buffers that swap: one barrier a step. The exclusive form shifts the elements when it loads them.

extern "C" __global__ void double_buffered(const T* x, T* y, T* sums, u64 n) {
    T *in = shared_words(), *out = in + blockDim.x;
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    if (EXCLUSIVE) in[t] = t > 0 && t <= part.count ? x[part.begin + t - 1] : identity();
    else in[t] = t < part.count ? x[part.begin + t] : identity();
    for (u32 stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        out[t] = t >= stride ? combine(in[t - stride], in[t]) : in[t];
        T* const other = in;
        in = out;
        out = other;
    }
    if (t < part.count) y[part.begin + t] = in[t];
    if (sums && t == size - 1) {
        const T last = t < part.count ? x[part.begin + t] : identity();
        sums[blockIdx.x] = EXCLUSIVE ? combine(in[t], last) : in[t];
    }
}
