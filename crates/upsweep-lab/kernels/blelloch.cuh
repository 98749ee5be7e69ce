// Blelloch's work-efficient scan: a tree of sums up, a tree of prefixes down. Exclusive, two elements a thread.

extern "C" __global__ void blelloch(const T* x, T* y, T* sums, u64 n) {
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
    __syncthreads();
    if (t == 0) {
        if (sums) sums[blockIdx.x] = s[place(size - 1)];
        s[place(size - 1)] = identity();
    }
    for (u32 d = 1; d < size; d *= 2) {
        stride /= 2;
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1;
        if (has_node(d, stride, right, size)) {
            const u32 a = place(right - stride), b = place(right);
            const T old = s[a], before = s[b];
            s[a] = before;
            s[b] = combine(before, old);
        }
    }
    __syncthreads();
    if (i < part.count) y[part.begin + i] = s[place(i)];
    if (j < part.count) y[part.begin + j] = s[place(j)];
}
