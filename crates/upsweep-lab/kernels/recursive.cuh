// Arrays of any length: what each part's elements lack is what lies before the part.
//
//   scan each part by itself, and leave its combination in `sums`
//   scan `sums` in the same way
//   add what lies before it to each part

extern "C" __global__ void add_before(T* y, const T* scanned_sums, u64 n, u32 size) {
    const Part part(n, size);
    if (!EXCLUSIVE && blockIdx.x == 0) return;
    const T before = scanned_sums[EXCLUSIVE ? blockIdx.x : blockIdx.x - 1];
    for (u32 i = threadIdx.x; i < part.count; i += blockDim.x) y[part.begin + i] = combine(before, y[part.begin + i]);
}
