// The chained scan: one pass; each block waits for the prefix of the one before it, and passes its own on.
//
//   draw a ticket: the part                        so that whoever is waited for has begun
//   reduce and scan the part in shared memory
//   wait for the prefix of the part before; store this part's
//   add it and store
//
// Memory ordering. A prefix is written, then a fence, then its status; who reads the status reads the prefix after a fence.


// The exclusive prefix of each thread's value, and the total, by Kogge-Stone in `words`.
__device__ __forceinline__ T block_exclusive_scan(T value, T* words, T& total) {
    T *in = words, *out = in + blockDim.x;
    const u32 t = threadIdx.x;
    in[t] = value;
    for (u32 stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        out[t] = t >= stride ? combine(in[t - stride], in[t]) : in[t];
        T* const other = in;
        in = out;
        out = other;
    }
    __syncthreads();
    total = in[blockDim.x - 1];
    return t > 0 ? in[t - 1] : identity();
}

extern "C" __global__ void chained(const T* x, T* y, u64 n, u32* tickets, u32* status, T* prefixes) {
    __shared__ u32 ticket;
    __shared__ T before_part;
    const u32 t = threadIdx.x;
    if (t == 0) ticket = atomicAdd(tickets, 1);
    __syncthreads();
    const u32 part = ticket;
    T* const tile = shared_words();
    T values[ITEMS], total;
    load_tile(x, tile_begin(part), n, tile, values);
    const T before_thread = block_exclusive_scan(sum_of(values), tile + ITEMS * blockDim.x, total);
    if (t == 0) {
        T before = identity();
        if (part > 0) {
            while (*(volatile u32*)&status[part - 1] == 0) {}
            __threadfence();
            before = prefixes[part - 1];
        }
        prefixes[part] = combine(before, total);
        __threadfence();
        *(volatile u32*)&status[part] = 1;
        before_part = before;
    }
    __syncthreads();
    scan_values(combine(before_part, before_thread), values);
    store_tile(y, tile_begin(part), n, tile, values);
}
