// Segmented scan, work-efficient: Blelloch's two sweeps, with flags that keep sums from crossing a head. Exclusive within
// segments, two elements a thread.

extern "C" __global__ void segmented_sweep(const T* x, const u32* heads, T* y, u64 n) {
    const u32 t = threadIdx.x, size = 2 * blockDim.x;
    T* const s = shared_words();
    u32 *const flags = (u32*)(s + size), *const original = flags + size;
    for (u32 i = t; i < size; i += blockDim.x) {
        s[i] = i < n ? x[i] : identity();
        flags[i] = original[i] = i < n && heads[i];
    }
    u32 stride = 1;
    for (u32 d = size / 2; d > 0; d /= 2, stride *= 2) {
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1, left = right - stride;
        if (has_node(d, stride, right, size)) {
            if (!flags[right]) {
                s[right] = combine(s[left], s[right]);
                flags[right] = flags[left];
            }
        }
    }
    __syncthreads();
    if (t == 0) s[size - 1] = identity();
    for (u32 d = 1; d < size; d *= 2) {
        stride /= 2;
        __syncthreads();
        const u32 right = 2 * stride * (t + 1) - 1, left = right - stride;
        if (has_node(d, stride, right, size)) {
            const T old = s[left], before = s[right];
            // The right child's first element is the one after `left`.
            const bool begins = original[left + 1], cut = flags[left];
            s[left] = before;
            s[right] = begins ? identity() : cut ? old : combine(before, old);
        }
    }
    __syncthreads();
    for (u32 i = t; i < n; i += blockDim.x) y[i] = s[i];
}
