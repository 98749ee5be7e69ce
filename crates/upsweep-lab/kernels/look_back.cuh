// Decoupled look-back: one pass; a block first says what its own elements combine to, then looks back over the blocks before
// it: it takes their combinations, until it comes to one whose whole prefix is known.
//
//   draw a ticket: the part
//   reduce and scan the part in shared memory; publish its aggregate
//   one warp looks at 32 parts before it at once: if one has its prefix, take it and the aggregates behind it; else go on
//   publish the prefix; add what lies before and store
//
// Memory ordering. As in chained.cuh: a value, a fence, its status; the status, a fence, the value.

constexpr u32 NOTHING = 0, AGGREGATE = 1, PREFIX = 2;

// The exclusive prefix of each thread's value, and the total: shuffles within each warp, then the warps' totals, in `words`.
__device__ __forceinline__ T block_exclusive_scan(T value, T* words, T& total) {
    const u32 t = threadIdx.x, lane = t % WARP, warps = blockDim.x / WARP;
    T scanned = value;
    for (u32 by = 1; by < WARP; by *= 2) {
        const T lower = shuffle_up(scanned, by);
        if (lane >= by) scanned = combine(lower, scanned);
    }
    if (lane == WARP - 1) words[t / WARP] = scanned;
    __syncthreads();
    T before = identity();
    total = identity();
    for (u32 w = 0; w < warps; w++) {
        if (w == t / WARP) before = total;
        total = combine(total, words[w]);
    }
    const T left = shuffle_up(scanned, 1);
    return lane > 0 ? combine(before, left) : before;
}

// What lies before the part. All lanes of one warp; lane l looks at the l-th part to the left of those already seen.
__device__ __forceinline__ T look_back(u32 part, const u32* status, const T* aggregates, const T* prefixes) {
    T before = identity();
    for (u32 end = part; end > 0; end -= min(end, WARP)) {
        const u32 lane = threadIdx.x % WARP;
        u32 found = PREFIX;
        T value = identity();
        if (lane < end) {
            const u32 other = end - 1 - lane;
            while ((found = *(const volatile u32*)&status[other]) == NOTHING) {}
            __threadfence();
            value = found == PREFIX ? prefixes[other] : aggregates[other];
        }
        __syncwarp();
        // The nearest part with a prefix; what lies before it is in there.
        const u32 with_prefix = __ballot_sync(~0u, found == PREFIX);
        const u32 nearest = with_prefix ? __ffs(with_prefix) - 1 : WARP - 1;
        if (lane > nearest) value = identity();
        // The lanes stand from right to left.
        for (u32 by = 1; by < WARP; by *= 2) value = combine(shuffle_down(value, by), value);
        before = combine(value, before);
        if (with_prefix) break;
    }
    return before;
}

extern "C" __global__ void decoupled_look_back(const T* x, T* y, u64 n, u32* tickets, u32* status, T* aggregates, T* prefixes) {
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
        (part == 0 ? prefixes : aggregates)[part] = total;
        __threadfence();
        *(volatile u32*)&status[part] = part == 0 ? PREFIX : AGGREGATE;
    }
    if (t < WARP) {
        const T before = look_back(part, status, aggregates, prefixes);
        if (t == 0) {
            if (part > 0) {
                prefixes[part] = combine(before, total);
                __threadfence();
                *(volatile u32*)&status[part] = PREFIX;
            }
            before_part = before;
        }
    }
    __syncthreads();
    scan_values(combine(before_part, before_thread), values);
    store_tile(y, tile_begin(part), n, tile, values);
}
