// The Fenwick tree of an array, built by the up-sweep, and the exclusive scan as n prefix queries.
//
// Node i - 1 holds the combination of the lowbit(i) elements that end with element i - 1. The up-sweep leaves just that,
// for any n: the nodes that it does not reach would lie beyond the end.

extern "C" __global__ void fenwick_copy(const T* x, T* tree, u64 n) {
    const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tree[i] = x[i];
}

// One level of the up-sweep.
extern "C" __global__ void fenwick_build(T* tree, u64 n, u64 stride) {
    const u64 right = 2 * stride * ((u64)blockIdx.x * blockDim.x + threadIdx.x + 1) - 1;
    if (right < n) tree[right] = combine(tree[right - stride], tree[right]);
}

// Prefix i: the nodes i - 1, then that without the lowest bit, and so on, from right to left.
extern "C" __global__ void fenwick_prefixes(const T* tree, T* y, u64 n) {
    const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T sum = identity();
    for (u64 k = i; k > 0; k &= k - 1) sum = combine(tree[k - 1], sum);
    y[i] = sum;
}
