// Kogge-Stone in place: what a thread reads, another one overwrites, so a barrier lies between. In the second form all threads
// add and write, those without a left neighbour the identity.

extern "C" __global__ void kogge_stone(const T* x, T* y, T* sums, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = blockDim.x;
    const Part part(n, size);
    s[t] = t < part.count ? x[part.begin + t] : identity();
    for (u32 stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        T temp;
        if (SECOND) temp = combine(t >= stride ? s[t - stride] : identity(), s[t]);
        else if (t >= stride) temp = combine(s[t - stride], s[t]);
        __syncthreads();
        if (SECOND || t >= stride) s[t] = temp;
    }
    if (t < part.count) y[part.begin + t] = s[t];
    if (sums && t == size - 1) sums[blockIdx.x] = s[t];
}
