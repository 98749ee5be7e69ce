// Brent-Kung: a tree of sums up, then the sums on to where they are missing. Inclusive, two elements a thread.
//
// The contiguous form lets the first threads work, at words 2 stride (t + 1) - 1. In the other one (MODULO: one element a
// thread) thread t works at word t, if 2 stride divides t + 1: the same words, and warps that are mostly idle.
//
// Who works is asked as the course asks, by the end of the array, and for MODULO as the book does, by a remainder. The second
// form counts the nodes of a round, and for MODULO takes the lowest bits.

// Whether thread t of the MODULO form works: 2 stride, a power of two, divides t + 1.
__device__ __forceinline__ bool is_multiple(u32 t, u32 stride) {
    return SECOND ? ((t + 1) & (2 * stride - 1)) == 0 : (t + 1) % (2 * stride) == 0;
}

extern "C" __global__ void brent_kung(const T* x, T* y, T* sums, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = MODULO ? blockDim.x : 2 * blockDim.x;
    const Part part(n, size);
    const u32 i = MODULO ? t : first_of_pair(), j = second_of_pair();
    s[place(i)] = i < part.count ? x[part.begin + i] : identity();
    if (!MODULO) s[place(j)] = j < part.count ? x[part.begin + j] : identity();
    u32 stride = 1, d = size / 2;
    for (; stride < size; stride *= 2, d /= 2) {
        __syncthreads();
        const u32 right = MODULO ? t : 2 * stride * (t + 1) - 1;
        if (MODULO ? is_multiple(t, stride) : SECOND ? t < d : right < size) {
            const u32 a = place(right - stride), b = place(right);
            s[b] = combine(s[a], s[b]);
        }
    }
    d = 2;
    for (stride /= 4; stride > 0; stride /= 2, d *= 2) {
        __syncthreads();
        const u32 left = MODULO ? t : 2 * stride * (t + 1) - 1;
        if ((!MODULO || is_multiple(t, stride)) && (SECOND && !MODULO ? t + 1 < d : left + stride < size)) {
            const u32 a = place(left), b = place(left + stride);
            s[b] = combine(s[a], s[b]);
        }
    }
    __syncthreads();
    if (i < part.count) y[part.begin + i] = s[place(i)];
    if (!MODULO && j < part.count) y[part.begin + j] = s[place(j)];
    if (sums && t == 0) sums[blockIdx.x] = s[place(size - 1)];
}
