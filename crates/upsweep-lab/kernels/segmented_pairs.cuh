// Segmented scan with the operator on pairs: (f, a) and (g, b) give (f | g, g ? b : a + b). Exclusive within segments, two
// elements a thread: Blelloch's scan of the pairs, of which each element takes the value, unless a segment begins there.

struct Pair {
    u32 flag;
    T value;
};

__device__ __forceinline__ Pair combine_pairs(const Pair& a, const Pair& b) {
    return {a.flag | b.flag, b.flag ? b.value : combine(a.value, b.value)};
}

extern "C" __global__ void segmented_pairs(const T* x, const u32* heads, T* y, u64 n) {
    const u32 t = threadIdx.x, size = 2 * blockDim.x;
    T* const values = shared_words();
    u32* const flags = (u32*)(values + size);
    const auto read = [&](u32 i) { return Pair{flags[i], values[i]}; };
    const auto write = [&](u32 i, const Pair& pair) { flags[i] = pair.flag, values[i] = pair.value; };
    for (u32 i = t; i < size; i += blockDim.x) write(i, i < n ? Pair{heads[i], x[i]} : Pair{0, identity()});
    u32 stride = 1;
    for (u32 d = size / 2; d > 0; d /= 2, stride *= 2) {
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1;
        if (has_node(d, stride, right, size)) {
            write(right, combine_pairs(read(right - stride), read(right)));
        }
    }
    __syncthreads();
    if (t == 0) write(size - 1, Pair{0, identity()});
    for (u32 d = 1; d < size; d *= 2) {
        stride /= 2;
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1;
        if (has_node(d, stride, right, size)) {
            const Pair old = read(right - stride), before = read(right);
            write(right - stride, before);
            write(right, combine_pairs(before, old));
        }
    }
    __syncthreads();
    for (u32 i = t; i < n; i += blockDim.x) y[i] = heads[i] ? identity() : values[i];
}
