// Segmented scan with the operator on pairs: (f, a) and (g, b) give (f | g, g ? b : a + b). Exclusive within segments: an
// inclusive scan of the pairs, of which each thread takes that to its left, unless a segment begins with its own element.

extern "C" __global__ void segmented_pairs(const T* x, const u32* heads, T* y, u64 n) {
    const u32 t = threadIdx.x, size = blockDim.x;
    T *in = shared_words(), *out = in + size;
    u32 *flags_in = (u32*)(out + size), *flags_out = flags_in + size;
    const bool head = t == 0 || (t < n && heads[t]);
    in[t] = t < n ? x[t] : identity();
    flags_in[t] = head;
    for (u32 stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        if (t >= stride && !flags_in[t]) {
            out[t] = combine(in[t - stride], in[t]);
            flags_out[t] = flags_in[t - stride];
        } else {
            out[t] = in[t];
            flags_out[t] = flags_in[t];
        }
        T* const values = in;
        in = out, out = values;
        u32* const flags = flags_in;
        flags_in = flags_out, flags_out = flags;
    }
    __syncthreads();
    if (t < n) y[t] = head ? identity() : in[t - 1];
}
