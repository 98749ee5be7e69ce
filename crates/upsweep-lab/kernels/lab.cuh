// What the laboratory's kernels share. Before it the host puts the element type T, its operator combine(a, b), identity(), and
// the variant: PADDED, HALVES, EXCLUSIVE, MODULO, ORDERED; and how the kernel is written: SECOND, DIVIDING.
//
// SECOND does the same steps by other instructions. What is said of an algorithm's speed has to hold for both forms.
//
// A block works on `size` neighbouring elements: a part. Where there are more parts than one, a kernel leaves the
// combination of each in `sums`, and recursive.cuh does the rest.

constexpr u32 WARP = 32, BANKS = 32;

extern __shared__ uint4 shared_memory[];
__device__ __forceinline__ T* shared_words() { return (T*)shared_memory; }

// Where word i is: with padding, behind one word more for each round of the banks.
__device__ __forceinline__ u32 place(u32 i) { return PADDED ? i + i / BANKS : i; }

// The elements of this block.
struct Part {
    u64 begin;
    u32 count;

    __device__ __forceinline__ Part(u64 n, u32 size) : begin((u64)blockIdx.x * size), count((u32)min(n - begin, (u64)size)) {}
};

// Which elements thread t of a tree loads and stores: 2t and 2t + 1, or one of each half.
__device__ __forceinline__ u32 first_of_pair() { return HALVES ? threadIdx.x : 2 * threadIdx.x; }
__device__ __forceinline__ u32 second_of_pair() { return HALVES ? threadIdx.x + blockDim.x : 2 * threadIdx.x + 1; }

// Whether this thread has a node in a round of a tree: of `d` nodes, `stride` apart, its own would end at word `last`. The
// lectures count the nodes, and the second form looks for the end of the array. DIVIDING asks for what one of them says in
// words: there are `size / (2 stride)` nodes.
__device__ __forceinline__ bool has_node(u32 d, u32 stride, u32 last, u32 size) {
    if (DIVIDING) return threadIdx.x < size / (2 * stride);
    return SECOND ? last < size : threadIdx.x < d;
}

// The reversed bits of an index below `size`, a power of two.
__device__ __forceinline__ u32 bit_reversed(u32 index, u32 size) { return size == 1 ? 0 : __brev(index) >> (__clz(size) + 1); }

// What lane `lane + by` of the warp has (itself, where there is none such).
__device__ __forceinline__ T shuffle_down(const T& value, u32 by) {
    T other;
    u32 words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
    for (u32& word : words) word = __shfl_down_sync(~0u, word, by);
    memcpy(&other, words, sizeof(T));
    return other;
}

// What lane `lane - by` of the warp has (itself, where there is none such).
__device__ __forceinline__ T shuffle_up(const T& value, u32 by) {
    T other;
    u32 words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
    for (u32& word : words) word = __shfl_up_sync(~0u, word, by);
    memcpy(&other, words, sizeof(T));
    return other;
}

// The tiles of the kernels with one pass: ITEMS neighbouring elements a thread. They come and go by way of shared memory,
// neighbouring threads at neighbouring words of global memory. ITEMS is odd: a warp's threads find theirs in different banks.
// The second form has tiles of half the size.
constexpr u32 ITEMS = SECOND ? 7 : 15;
__device__ __forceinline__ u64 tile_begin(u32 tile) { return (u64)tile * blockDim.x * ITEMS; }

// This thread's elements of a tile; `s` has room for it.
__device__ __forceinline__ void load_tile(const T* x, u64 begin, u64 n, T* s, T (&values)[ITEMS]) {
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        const u32 i = k * blockDim.x + threadIdx.x;
        s[i] = begin + i < n ? x[begin + i] : identity();
    }
    __syncthreads();
    for (u32 k = 0; k < ITEMS; k++) values[k] = s[threadIdx.x * ITEMS + k];
}

__device__ __forceinline__ void store_tile(T* y, u64 begin, u64 n, T* s, const T (&values)[ITEMS]) {
    for (u32 k = 0; k < ITEMS; k++) s[threadIdx.x * ITEMS + k] = values[k];
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        const u32 i = k * blockDim.x + threadIdx.x;
        if (begin + i < n) y[begin + i] = s[i];
    }
}

// Each of a thread's values becomes the combination of `before`, the lower ones and itself.
__device__ __forceinline__ void scan_values(T before, T (&values)[ITEMS]) {
    for (u32 k = 0; k < ITEMS; k++) values[k] = before = combine(before, values[k]);
}

__device__ __forceinline__ T sum_of(const T (&values)[ITEMS]) {
    T sum = values[0];
    for (u32 k = 1; k < ITEMS; k++) sum = combine(sum, values[k]);
    return sum;
}
