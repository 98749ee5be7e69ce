// The inverse direction: the up-sweep's sums stay, and on the way down each thread adds the word `stride` to its left, the
// first one nothing. Inclusive, two elements a thread.

extern "C" __global__ void inverse(const T* x, T* y, T* sums, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = 2 * blockDim.x;
    const Part part(n, size);
    const u32 i = first_of_pair(), j = second_of_pair();
    s[place(i)] = i < part.count ? x[part.begin + i] : identity();
    s[place(j)] = j < part.count ? x[part.begin + j] : identity();
    u32 stride = 1;
    for (u32 d = size / 2; d > 0; d /= 2, stride *= 2) {
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1;
        if (has_node(d, stride, right, size)) {
            const u32 a = place(right - stride), b = place(right);
            s[b] = combine(s[a], s[b]);
        }
    }
    for (u32 d = 1; d < size; d *= 2) {
        stride /= 2;
        __syncthreads();
        const u32 right = 2 * stride * t + stride - 1;
        if (t > 0 && has_node(d, stride, right, size)) {
            const u32 a = place(right - stride), b = place(right);
            s[b] = combine(s[a], s[b]);
        }
    }
    __syncthreads();
    if (i < part.count) y[part.begin + i] = s[place(i)];
    if (j < part.count) y[part.begin + j] = s[place(j)];
    if (sums && t == 0) sums[blockIdx.x] = s[place(size - 1)];
}
