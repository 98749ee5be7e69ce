// What the laboratory's kernels share. Before it the host puts the element type T, its operator combine(a, b), identity(), and
// the variant: PADDED, HALVES, EXCLUSIVE, MODULO.
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
