// Neighbours that are equal or have equal keys, of the benches' runs, and what src/bin/gpu/cliffs.rs gives selections. Included by cub.cu.

// Times work whose bytes depend on the number of results, which the call leaves at the beginning of the extra memory.
template <class B, class F>
static void counted(const char* algo, const char* type, int log2n, double copy, B bytes, F call) {
    size_t needed = 0;
    if (!wanted(algo, type)) return;
    CHECK(call(nullptr, needed));
    if (needed <= scratch_capacity) CHECK(call(scratch, needed));
    int64_t found = 0;
    CHECK(cudaMemcpy(&found, extra, sizeof found, cudaMemcpyDeviceToHost));
    row(algo, type, log2n, bytes((double)found), copy, call);
}

// The keys are in the input. The values lie beside them, and so do the results; the lengths in the extra memory, behind the number.
[[maybe_unused]] static void neighbours_of(const char* of, int log2n) {
    uint64_t n = (uint64_t)1 << log2n;
    uint32_t *keys = (uint32_t*)input, *values = keys + n, *out = (uint32_t*)output, *second = out + n, *lengths = (uint32_t*)extra + 16;
    int64_t* number = (int64_t*)extra;
    double copy = copy_gbps<uint32_t>(n);
    char algo[64];
    snprintf(algo, sizeof algo, "dedup_%s", of);
    counted(algo, "u32", log2n, copy, [=](double found) { return 4 * (n + found); }, [&](void* s, size_t& size) {
        return cub::DeviceSelect::Unique(s, size, keys, out, number, (int64_t)n);
    });
    snprintf(algo, sizeof algo, "runs_%s", of);
    counted(algo, "u32", log2n, copy, [=](double found) { return 4 * (n + 2 * found); }, [&](void* s, size_t& size) {
        return cub::DeviceRunLengthEncode::Encode(s, size, keys, out, lengths, number, (int64_t)n);
    });
    snprintf(algo, sizeof algo, "reduce_by_key_%s", of);
    counted(algo, "u32", log2n, copy, [=](double found) { return 8 * (n + found); }, [&](void* s, size_t& size) {
        return cub::DeviceReduce::ReduceByKey(s, size, keys, out, values, second, number, cuda::std::plus<>(), (int64_t)n);
    });
    snprintf(algo, sizeof algo, "dedup_by_key_%s", of);
    counted(algo, "u32", log2n, copy, [=](double found) { return 8 * (n + found); }, [&](void* s, size_t& size) {
        return cub::DeviceSelect::UniqueByKey(s, size, keys, values, out, second, number, (int64_t)n);
    });
}

[[maybe_unused]] static void neighbours(int log2n) {
    uint64_t n = (uint64_t)1 << log2n;
    if (2 * n * sizeof(uint32_t) > capacity || log2n > 28) return;
    fill<<<1024, 256>>>((uint32_t*)input + n, n);
    for (int mean : {64, 4, 1}) {
        fill_runs<<<1024, 256>>>((uint32_t*)input, n, mean);
        char of[16];
        snprintf(of, sizeof of, "%d", mean);
        neighbours_of(of, log2n);
    }
}

template <class T> struct Below {
    T bound;
    __device__ bool operator()(T x) const { return x < bound; }
};

template <class T> static void cliffs_of(const char* type, int log2n) {
    T *in = (T*)input, *out = (T*)output;
    uint64_t n = (uint64_t)1 << log2n;
    int64_t* number = (int64_t*)extra;
    if (n * sizeof(T) > capacity) return;
    fill<<<1024, 256>>>(in, n);
    double bytes = n * sizeof(T), copy = copy_gbps<T>(n);
    for (bool all : {true, false}) {
        // As wide as a byte's, too. None of the random elements is the largest number.
        using Bound = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
        Below<Bound> below{all ? (Bound)-1 : 0};
        row(all ? "select_all" : "select_none", type, log2n, all ? 2 * bytes : bytes, copy, [&](void* s, size_t& size) {
            return cub::DeviceSelect::If(s, size, in, out, number, (int64_t)n, below);
        });
        if (sizeof(T) != 4) continue;
        // Into one output, the others in reverse.
        row(all ? "partition_apart_all" : "partition_apart_none", type, log2n, 2 * bytes, copy, [&](void* s, size_t& size) {
            return cub::DevicePartition::If(s, size, in, out, number, (int64_t)n, below);
        });
        uint8_t* flags = (uint8_t*)extra + 64;
        CHECK(cudaMemset(flags, all, n));
        const char* algo = all ? "select_flags_all" : "select_flags_none";
        row(algo, type, log2n, n + (all ? 2 * bytes : bytes), copy, [&](void* s, size_t& size) {
            return cub::DeviceSelect::Flagged(s, size, in, flags, out, number, (int64_t)n);
        });
    }
}

[[maybe_unused]] static void cliffs(int log2n) {
    uint64_t n = (uint64_t)1 << log2n;
    uint32_t *in = (uint32_t*)input, *out = (uint32_t*)output;
    if (2 * n * sizeof(uint32_t) > capacity) return;
    cliffs_of<uint8_t>("u8", log2n);
    cliffs_of<uint32_t>("u32", log2n);
    cliffs_of<uint64_t>("u64", log2n);
    // Of ascending elements the first half is kept.
    fill_shape<<<1024, 256>>>(in, n, 1);
    double copy = copy_gbps<uint32_t>(n);
    Below<uint32_t> below{(uint32_t)(n / 2 * (0xffffffffu / n))};
    row("select_first_half", "u32", log2n, 6.0 * n, copy, [&](void* s, size_t& size) {
        return cub::DeviceSelect::If(s, size, in, out, (int64_t*)extra, (int64_t)n, below);
    });
    row("partition_apart_first_half", "u32", log2n, 8.0 * n, copy, [&](void* s, size_t& size) {
        return cub::DevicePartition::If(s, size, in, out, (int64_t*)extra, (int64_t)n, below);
    });
    fill<<<1024, 256>>>(in + n, n);
    const uint32_t shapes[] = {3, 4, 6};
    const char* names[] = {"equal", "two_values", "zipf"};
    for (int i = 0; i < 3; i++) {
        fill_shape<<<1024, 256>>>(in, n, shapes[i]);
        neighbours_of(names[i], log2n);
    }
    size_t needed = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, needed, in, out, (int64_t)n));
    if (needed > scratch_capacity) return;
    CHECK(cub::DeviceRadixSort::SortKeys(scratch, needed, in, out, (int64_t)n));
    CHECK(cudaMemcpy(in, out, n * sizeof(uint32_t), cudaMemcpyDeviceToDevice));
    neighbours_of("zipf_sorted", log2n);
}
