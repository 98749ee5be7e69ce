// Reduction, interleaved addressing by contiguous threads: thread t adds word 2 stride t + stride to word 2 stride t.
//
// No warp diverges before less than one is left; but neighbouring threads are 2 stride words apart, and meet in one bank.

extern "C" __global__ void reduce_strided(const T* x, T* y, u64 n) {
    T* const s = shared_words();
    const u32 t = threadIdx.x, size = 2 * blockDim.x;
    const Part part(n, size);
    const u32 i = first_of_pair(), j = second_of_pair();
    s[place(i)] = i < part.count ? x[part.begin + i] : identity();
    s[place(j)] = j < part.count ? x[part.begin + j] : identity();
    for (u32 d = size / 2, stride = 1; d > 0; d /= 2, stride *= 2) {
        __syncthreads();
        const u32 left = stride * (2 * t), right = stride * (2 * t + 1);
        if (has_node(d, stride, right, size)) {
            const u32 a = place(left), b = place(right);
            s[a] = combine(s[a], s[b]);
        }
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
