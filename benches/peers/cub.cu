// CUB on the work of the GPU's benches, timed as they are: three calls to warm up, then the median of 15, each timed
// by events after 256 MiB of writes have emptied the L2 cache. Rows for a record on standard output. The sizes, as
// powers of two, are the arguments; without any, those of the benches. Arguments that are no numbers are parts of the rows' names, as those of
// the benches' --only. With -DONLY_SELECT only what is not a scan or reduction is compiled, with -DONLY_SORT_SHAPES only sorts of keys in
// orders, and of values, of some kinds.
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

// `hash` and `fill_shape`: the same inputs.
#include "../src/bin/gpu/fill.cu"

static void check(cudaError_t status, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "cub.cu:%d: %s\n", line, cudaGetErrorString(status));
    exit(1);
}
#define CHECK(call) check((call), __LINE__)

struct Affine {
    float m, c;
};
struct Plus {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Then {
    __device__ Affine operator()(Affine f, Affine g) const { return {g.m * f.m, g.m * f.c + g.c}; }
};

// Any bits for integers, small whole numbers for floats.
template <class T> struct Random {
    __device__ static T at(uint64_t i) { return (T)hash(i); }
};
template <class T> struct Small {
    __device__ static T at(uint64_t i) { return (T)(float)((int)(hash(i) >> 60) - 8); }
};
template <> struct Random<float> : Small<float> {};
template <> struct Random<double> : Small<double> {};
template <> struct Random<__half> : Small<__half> {};
template <> struct Random<__nv_bfloat16> : Small<__nv_bfloat16> {};
template <> struct Random<Affine> {
    __device__ static Affine at(uint64_t i) { return {hash(i) & 1 ? 1.0f : -1.0f, Small<float>::at(i)}; }
};
template <class T> __global__ void fill(T* out, uint64_t n) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = Random<T>::at(i);
}
__global__ void fill_keys(int32_t* out, uint64_t n) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = (int32_t)(i / 64);
}

__global__ void fill_offsets(int64_t* out, uint64_t n, int64_t length) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = (int64_t)i * length;
}

static char library[32];
static size_t capacity, scratch_capacity;
static void *input, *output, *extra, *scratch, *flushed;
static const size_t FLUSHED = (size_t)256 << 20;

template <class F> static double median_us(F call) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 3; i++) call();
    std::vector<float> times(15);
    for (float& ms : times) {
        CHECK(cudaMemsetAsync(flushed, 0, FLUSHED));
        CHECK(cudaEventRecord(begin));
        call();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3;
}

// GB/s of a copy of n elements.
template <class T> static double copy_gbps(uint64_t n) {
    double us = median_us([&] { CHECK(cudaMemcpyAsync(output, input, n * sizeof(T), cudaMemcpyDeviceToDevice)); });
    return 2.0 * n * sizeof(T) / us / 1e3;
}

// Parts of names, of which a row has one in `algorithm/type`, if there are any.
static std::vector<const char*> only;
static bool wanted(const char* algo, const char* type) {
    char name[96];
    snprintf(name, sizeof name, "%s/%s", algo, type);
    return only.empty() || std::any_of(only.begin(), only.end(), [&](const char* part) { return strstr(name, part) != nullptr; });
}

// Times a call of CUB, which first says how much scratch memory it needs, and prints its row.
template <class F> static void row(const char* algo, const char* type, int log2n, double bytes, double copy, F call) {
    if (!wanted(algo, type)) return;
    size_t needed = 0;
    CHECK(call(nullptr, needed));
    if (needed > scratch_capacity) {
        fprintf(stderr, "%s %s 2^%d is left out: it needs %zu bytes\n", algo, type, log2n, needed);
        return;
    }
    double us = median_us([&] { CHECK(call(scratch, needed)); });
    double gbps = bytes / us / 1e3;
    printf("%s,%s,%s,%d,%.3f,%.2f,%.4f,\n", library, algo, type, log2n, us, gbps, gbps / copy);
    fflush(stdout);
}

// Sums by CUB's own calls: it tunes them, and not the same sum given as an operator.
template <class T> static void whole(const char* type, const std::vector<int>& sizes) {
    T *in = (T*)input, *out = (T*)output;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (n * sizeof(T) > capacity) continue;
        fill<<<1024, 256>>>(in, n);
        CHECK(cudaGetLastError());
        double moved = 2.0 * n * sizeof(T), copy = copy_gbps<T>(n);
        row("inclusive_sum", type, log2n, moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceScan::InclusiveSum(s, size, in, out, (int64_t)n);
        });
        row("exclusive_sum", type, log2n, moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceScan::ExclusiveSum(s, size, in, out, (int64_t)n);
        });
        row("inclusive_max", type, log2n, moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceScan::InclusiveScan(s, size, in, out, Larger(), (int64_t)n);
        });
        row("reduce_sum", type, log2n, moved / 2 + sizeof(T), copy, [&](void* s, size_t& size) {
            return cub::DeviceReduce::Sum(s, size, in, out, (int64_t)n);
        });
    }
}

// Sorts, for each of which CUB needs scratch memory of as many keys and values.
template <class T> static void sorts(const char* type, const std::vector<int>& sizes) {
    T *in = (T*)input, *out = (T*)output;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (log2n < 16 || n * sizeof(T) > capacity) continue;
        fill<<<1024, 256>>>(in, n);
        double moved = 2.0 * n * sizeof(T), copy = copy_gbps<T>(n);
        row("sort_keys", type, log2n, moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceRadixSort::SortKeys(s, size, in, out, (int64_t)n);
        });
        if (sizeof(T) != 4 || log2n > 28) continue;
        for (int64_t length : {64, 4096}) {
            int64_t* offsets = (int64_t*)extra;
            fill_offsets<<<1024, 256>>>(offsets, n / length + 1, length);
            row(length == 64 ? "sort_rows_64" : "sort_rows_4096", type, log2n, moved, copy, [&](void* s, size_t& size) {
                return cub::DeviceSegmentedSort::SortKeys(s, size, in, out, (int64_t)n, (int64_t)(n / length), offsets, offsets + 1);
            });
        }
        row("sort_pairs", type, log2n, 2 * moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceRadixSort::SortPairs(s, size, in, out, in, (T*)extra, (int64_t)n);
        });
    }
}

static void sort_shapes(const std::vector<int>& sizes) {
    const char* names[] = {"random", "sorted", "reversed", "equal", "two_values", "organ_pipe", "zipf", "top_digit", "middle_digit", "runs_64"};
    uint32_t *in = (uint32_t*)input, *out = (uint32_t*)output;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (n * sizeof(uint32_t) > capacity) continue;
        for (uint32_t shape = 0; shape < std::size(names); shape++) {
            fill_shape<<<1024, 256>>>(in, n, shape);
            char algo[64];
            snprintf(algo, sizeof algo, "sort_shapes_%s", names[shape]);
            row(algo, "u32", log2n, 8.0 * n, copy_gbps<uint32_t>(n), [&](void* s, size_t& size) {
                return cub::DeviceRadixSort::SortKeys(s, size, in, out, (int64_t)n);
            });
        }
    }
}

struct Less {
    template <class T> __device__ bool operator()(T a, T b) const { return a < b; }
};

// Merges of two sorted halves, and sorts by a comparison.
template <class T> static void merges(const char* type, const std::vector<int>& sizes) {
    T *in = (T*)input, *out = (T*)output, *sorted = (T*)extra;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n, half = n / 2;
        if (log2n < 16 || log2n > 28 || n * sizeof(T) > capacity) continue;
        fill<<<1024, 256>>>(in, n);
        double moved = 2.0 * n * sizeof(T), copy = copy_gbps<T>(n);
        if (sizeof(T) == 4) {
            row("sort_by_less", type, log2n, moved, copy, [&](void* s, size_t& size) {
                return cub::DeviceMergeSort::SortKeysCopy(s, size, in, out, (int64_t)n, Less());
            });
        }
        size_t size = 0;
        void* space = nullptr;
        CHECK(cub::DeviceRadixSort::SortKeys(nullptr, size, in, sorted, (int64_t)half));
        CHECK(cudaMalloc(&space, size));
        CHECK(cub::DeviceRadixSort::SortKeys(space, size, in, sorted, (int64_t)half));
        CHECK(cub::DeviceRadixSort::SortKeys(space, size, in + half, sorted + half, (int64_t)half));
        CHECK(cudaFree(space));
        row("merge", type, log2n, moved, copy, [&](void* s, size_t& size) {
            return cub::DeviceMerge::MergeKeys(s, size, sorted, (int64_t)half, sorted + half, (int64_t)half, out, Less());
        });
    }
}

struct Odd {
    template <class T> __device__ bool operator()(T x) const { return x % 2 == 1; }
};
struct Sixteenth {
    template <class T> __device__ bool operator()(T x) const { return x % 16 == 1; }
};
// Runs of so many equal elements in the mean, those of the benches: where that is one, all neighbours differ.
__global__ void fill_runs(uint32_t* out, uint64_t n, uint32_t mean) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x, each = 64;
    const auto begins = [&](uint64_t at) { return (uint32_t)hash(at) % mean == 0; };
    for (uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * each; i < n; i += step * each) {
        uint64_t begin = i;
        while (begin > 0 && !begins(begin)) begin--;
        uint32_t value = begins(begin) ? (uint32_t)begin * 0x9E3779B1u : 0;
        for (uint64_t j = i; j < i + each && j < n; j++) {
            if (begins(j)) value = (uint32_t)j * 0x9E3779B1u;
            out[j] = value;
        }
    }
}

// The number of results lies in the extra memory.
template <class T> static void select(const char* type, const std::vector<int>& sizes) {
    T *in = (T*)input, *out = (T*)output;
    int64_t* number = (int64_t*)extra;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (n * sizeof(T) > capacity) continue;
        fill<<<1024, 256>>>(in, n);
        double bytes = n * sizeof(T), copy = copy_gbps<T>(n);
        row("select_half", type, log2n, 1.5 * bytes, copy, [&](void* s, size_t& size) {
            return cub::DeviceSelect::If(s, size, in, out, number, (int64_t)n, Odd());
        });
        if (sizeof(T) != 4) continue;
        row("select_sixteenth", type, log2n, 1.0625 * bytes, copy, [&](void* s, size_t& size) {
            return cub::DeviceSelect::If(s, size, in, out, number, (int64_t)n, Sixteenth());
        });
        // Its others are in reverse. Of both in order into two outputs there is a call for three ways only.
        row("partition_behind", type, log2n, 2.0 * bytes, copy, [&](void* s, size_t& size) {
            return cub::DevicePartition::If(s, size, in, out, number, (int64_t)n, Odd());
        });
    }
}

[[maybe_unused]] static void select_flags(const std::vector<int>& sizes) {
    uint32_t *in = (uint32_t*)input, *out = (uint32_t*)output;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (n * sizeof(uint32_t) > capacity || log2n > 28) continue;
        fill<<<1024, 256>>>(in, n);
        fill<<<1024, 256>>>((uint8_t*)extra + 64, n);
        row("select_flags", "u32", log2n, 7.0 * n, copy_gbps<uint32_t>(n), [&](void* s, size_t& size) {
            return cub::DeviceSelect::FlaggedIf(s, size, in, (uint8_t*)extra + 64, out, (int64_t*)extra, (int64_t)n, Odd());
        });
    }
}

#include "cub_cliffs.cuh"

[[maybe_unused]] static void affine(const std::vector<int>& sizes) {
    Affine *in = (Affine*)input, *out = (Affine*)output;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (n * sizeof(Affine) > capacity) continue;
        fill<<<1024, 256>>>(in, n);
        row("inclusive_affine", "2xf32", log2n, 2.0 * n * sizeof(Affine), copy_gbps<Affine>(n), [&](void* s, size_t& size) {
            return cub::DeviceScan::InclusiveScan(s, size, in, out, Then(), (int64_t)n);
        });
    }
}

[[maybe_unused]] static void segments(int log2n) {
    uint64_t n = (uint64_t)1 << log2n;
    int32_t *in = (int32_t*)input, *out = (int32_t*)output, *keys = (int32_t*)extra;
    if (n * sizeof(int32_t) > capacity) return;
    fill<<<1024, 256>>>(in, n);
    fill_keys<<<1024, 256>>>(keys, n);
    double copy = copy_gbps<int32_t>(n);
    row("inclusive_sum_keys_64", "i32", log2n, 12.0 * n, copy, [&](void* s, size_t& size) {
        return cub::DeviceScan::InclusiveSumByKey(s, size, keys, in, out, (int)n);
    });
    for (int mean : {8, 64, 4096}) {
        std::vector<uint32_t> offsets{0};
        for (uint64_t at = 0, x = 1; at < n; offsets.push_back((uint32_t)at)) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            at = std::min<uint64_t>(n, at + 1 + (x >> 33) % (2 * mean - 1));
        }
        uint32_t* ends = (uint32_t*)extra;
        CHECK(cudaMemcpy(ends, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
        char algo[64];
        snprintf(algo, sizeof algo, "reduce_sum_offsets_%d", mean);
        int64_t count = (int64_t)offsets.size() - 1;
        row(algo, "i32", log2n, 4.0 * n + 8.0 * count, copy, [&](void* s, size_t& size) {
            return cub::DeviceSegmentedReduce::Sum(s, size, in, out, count, ends, ends + 1);
        });
    }
}

// Values from 0 to 1, or to 256 for bytes: uniform, one value, two, ascending, or as often as their reciprocal over sixteen powers of two.
enum class Values { UNIFORM, CONSTANT, TWO_VALUES, SORTED, ZIPF };
template <class T> __global__ void fill_values(T* out, uint64_t n, Values values, float scale) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float uniform = (float)(hash(i) >> 40) / (1 << 24);
        float x = values == Values::UNIFORM ? uniform : values == Values::CONSTANT ? 0.6f
                  : values == Values::TWO_VALUES ? (hash(i) % 2 ? 0.6f : 0.3f)
                  : values == Values::SORTED ? (float)((i << 24) / n) / (1 << 24)
                                             : exp2f(16.0f * (uniform - 1.0f));
        out[i] = (T)(x * scale);
    }
}

template <class T> static void histogram(const char* type, const std::vector<int>& sizes, const std::vector<int>& bins, float high) {
    T* in = (T*)input;
    for (int log2n : sizes) {
        uint64_t n = (uint64_t)1 << log2n;
        if (log2n > 28 || n * sizeof(T) > capacity) continue;
        for (Values values : {Values::UNIFORM, Values::CONSTANT, Values::TWO_VALUES, Values::SORTED, Values::ZIPF}) {
            fill_values<<<1024, 256>>>(in, n, values, high);
            double copy = copy_gbps<T>(n);
            for (int count : bins) {
                char algo[64];
                const char* suffixes[] = {"", "_constant", "_two_values", "_sorted", "_zipf"};
                snprintf(algo, sizeof algo, "histogram_%d%s", count, suffixes[(int)values]);
                row(algo, type, log2n, (double)n * sizeof(T), copy, [&](void* s, size_t& size) {
                    return cub::DeviceHistogram::HistogramEven(s, size, in, (unsigned*)output, count + 1, (float)0, high, (int)n);
                });
            }
        }
    }
}

int main(int argc, char** argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; i++) {
        if (atoi(argv[i]) > 0) sizes.push_back(atoi(argv[i]));
        else only.push_back(argv[i]);
    }
    if (sizes.empty()) sizes = {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    int largest = *std::max_element(sizes.begin(), sizes.end());
    snprintf(library, sizeof library, "cub-%d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000);

    size_t free_bytes, all_bytes;
    CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    capacity = std::min((size_t)8 << largest, free_bytes / 4);
    CHECK(cudaMalloc(&input, capacity));
    CHECK(cudaMalloc(&output, capacity));
    CHECK(cudaMalloc(&extra, 128 + ((size_t)8 << std::min(largest, 28))));
    scratch_capacity = std::min((size_t)9 << 30, free_bytes / 4);
    CHECK(cudaMalloc(&scratch, scratch_capacity));
    CHECK(cudaMalloc(&flushed, FLUSHED));

    std::vector<int> from_16;
    std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(from_16), [&](int size) { return size >= 16 || size == largest; });
#ifndef ONLY_SORT_SHAPES
#ifndef ONLY_SELECT
    whole<int8_t>("i8", sizes);
    whole<uint8_t>("u8", sizes);
    whole<int16_t>("i16", sizes);
    whole<uint16_t>("u16", sizes);
    whole<__half>("f16", sizes);
    whole<__nv_bfloat16>("bf16", sizes);
    whole<int32_t>("i32", sizes);
    whole<uint32_t>("u32", sizes);
    whole<float>("f32", sizes);
    whole<int64_t>("i64", sizes);
    whole<uint64_t>("u64", sizes);
    whole<double>("f64", sizes);
    affine(sizes);
    segments(std::min(largest, 28));
#endif
    select<uint8_t>("u8", sizes);
    select<uint16_t>("u16", sizes);
    select<uint32_t>("u32", sizes);
    select<uint64_t>("u64", sizes);
    select_flags(sizes);
    sorts<uint8_t>("u8", sizes);
    sorts<uint16_t>("u16", sizes);
    sorts<__half>("f16", sizes);
    sorts<uint32_t>("u32", sizes);
    sorts<float>("f32", sizes);
    sorts<uint64_t>("u64", sizes);
    for (int log2n : from_16) neighbours(log2n);
    cliffs(std::min(largest, 28));
    merges<uint32_t>("u32", sizes);
    merges<uint64_t>("u64", sizes);
    histogram<uint8_t>("u8", from_16, {256}, 256.0f);
    histogram<float>("f32", from_16, {256, 2048, 65536, 1 << 20}, 1.0f);
#endif
    sort_shapes(sizes);
}
