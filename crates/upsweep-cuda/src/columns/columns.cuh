// Scan and reduction of interleaved lines: the columns of a matrix, any axis but the last of an array.
//
// Element k of line q is at (q / inner * len + k) * inner + q % inner: neighbouring lines are adjacent in memory. A
// lane has VECTOR neighbouring lines, a block 32 lanes' lines, and traverses them in steps of WARPS x GROUPS x DEPTH
// elements:
//
//   warp w, lane l:  take GROUPS x DEPTH elements of each line, load those of the next step, coalesced
//   reduce each group of DEPTH
//   share the sums; each warp combines those of the groups before it with the prefix of the step
//   rescan from registers, store
//
// The number of lines of a lane is chosen for each call, by the arrays' alignment and by the number of blocks: with
// fewer lines, a lane has more groups. A line's elements are combined by groups, one group after the other, so that the
// grouping depends on DEPTH alone: floats give the same bits for every VECTOR.
//
// In contrast to the single-pass scan (scan/scan.cuh), no block waits for another, so a few long lines would keep few
// blocks busy. Such lines are cut into chunks, each of which is a line here, in three launches:
//
//   reduce each chunk                                        to an array of shape (outer, chunks, inner)
//   scan that along the chunks, in place; for a reduction: reduce it, and end
//   scan each chunk, beginning with its exclusive prefix     `prefixes`
//
// Memory ordering. Inside a block only: the sums are written before a barrier and read after it, in two copies used in
// turn, so that one barrier a step is enough. In place: a thread stores only elements that it has read itself, and reads
// those of a step only once.

#pragma once

#include "memory/streams.cuh"
#include "warp/index.cuh"
#include "word/value.cuh"

constexpr u32 TAKEN = GROUPS * DEPTH;           // elements that a thread takes of each of its lines in a step
constexpr u32 STEP_GROUPS = WARPS * GROUPS;     // groups of all warps in a step
constexpr u32 STEP = STEP_GROUPS * DEPTH;       // elements of a line in a step

// The lane's VECTOR neighbouring values at one position, packed in words: unpacked, small ones would need a register
// each. A vector of several values is aligned to its access width.
template <class V, bool SEVERAL> struct PartOf { using type = Access<access_width(VECTOR * sizeof(V))>::type; };
template <class V> struct PartOf<V, false> { using type = V; };
template <class V>
struct Values {
    using Part = PartOf<V, (VECTOR > 1)>::type;
    static constexpr u32 PARTS = VECTOR * sizeof(V) / sizeof(Part);
    Part parts[PARTS];

    __device__ __forceinline__ void load(const V* from) {
#pragma unroll
        for (u32 i = 0; i < PARTS; i++) parts[i] = ((const Part*)from)[i];
    }
    __device__ __forceinline__ void store(V* to) const {
#pragma unroll
        for (u32 i = 0; i < PARTS; i++) ((Part*)to)[i] = parts[i];
        if constexpr (VECTOR == 1) arith::clear_padding(to);
    }
    __device__ __forceinline__ void pack(const V (&values)[VECTOR]) { memcpy(parts, values, sizeof(parts)); }
    __device__ __forceinline__ void unpack(V (&values)[VECTOR]) const { memcpy(values, parts, sizeof(parts)); }
};

// How a lane holds its elements at one index of its lines: VECTOR neighbouring elements of one stream, one element of
// several streams, or one element that is mapped when it is loaded.
enum class Kept { SIDE_BY_SIDE, ELEMENT, MAPPED };
// Elements of the lane's lines at one index of the lines, `index`, from position `at` of the array on. If the input is
// not one stream, a lane has one line.
template <Kept> struct RowOf {
    Values<In> values;
    static constexpr bool right = true;
    __device__ __forceinline__ void load(const ColumnsParams& p, u64, u64 at) { values.load(p.input + at); }
    __device__ __forceinline__ void map_all(u64 index, u64 at, T (&mapped)[VECTOR]) const {
        In elements[VECTOR];
        values.unpack(elements);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) mapped[j] = map(elements[j], index, at + j);
    }
};
template <> struct RowOf<Kept::ELEMENT> {
    In x;
    static constexpr bool right = true;
    __device__ __forceinline__ void load(const ColumnsParams& p, u64, u64 at) { load_streams(p.input, at, x); }
    __device__ __forceinline__ void map_all(u64 index, u64 at, T (&mapped)[1]) const { mapped[0] = map(x, index, at); }
};
// Mapped element: it is mapped when it is loaded, because gathered elements are mapped once.
template <> struct RowOf<Kept::MAPPED> {
    T value;
    bool right;
    __device__ __forceinline__ void load(const ColumnsParams& p, u64 index, u64 at) {
        In x;
        load_streams(p.input, at, x);
        right = indices_right(x, at);
        value = map(x, index, at);
    }
    __device__ __forceinline__ void map_all(u64, u64, T (&mapped)[1]) const { mapped[0] = value; }
};
using Row = RowOf<PLAIN_INPUT ? Kept::SIDE_BY_SIDE : READS_APART ? Kept::MAPPED : Kept::ELEMENT>;
static_assert((PLAIN_INPUT && PLAIN_OUTPUT) || VECTOR == 1, "a lane has one line");
static_assert(!INDEXED || READS_APART, "indices are checked where elements are read");

// Stores the lane's VECTOR neighbouring results from `to` on.
__device__ __forceinline__ void store_values(Out* to, const Out (&results)[VECTOR]) {
    Values<Out> row;
    row.pack(results);
    row.store(to);
}
__device__ __forceinline__ void store_values(const ResultPlace& to, const Out (&results)[VECTOR]) { store_result(to, results[0]); }

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_columns(const __grid_constant__ ColumnsParams p) {
    __shared__ Values<T> sums[2][STEP_GROUPS][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const Begin begins(p);
    // Index of the lane's first line, or of its chunk of a line. It begins with logical element `begin` of the line.
    const u64 line = ((u64)blockIdx.x * WARP + lane) * VECTOR, part = line / p.inner;
    const u64 begin = part % p.chunks * p.chunk;
    u64 left = line < p.lines ? min(p.chunk, p.len - begin) : 0;  // number of the line's elements from this step on

    // Logical element k of a line is k strides from its element 0, at `place(k)` of the line.
    const auto place = [&](u64 k) { return REVERSE ? p.len - 1 - k : k; };
    const i64 stride = REVERSE ? -(i64)p.inner : (i64)p.inner;
    const u32 first = warp * TAKEN;  // index of this thread's first element in a step
    u64 at = (part / p.chunks * p.len + place(begin)) * p.inner + line % p.inner + first * stride;
    // Returns how many elements of a line this thread has in a step, if `left` elements are left from the step on.
    const auto existing = [&](u64 left) { return left <= first ? 0 : left - first < TAKEN ? (u32)(left - first) : TAKEN; };
    // Streams are loaded a step ahead. Gathers are not: their code would appear twice.
    constexpr bool ASKS_AHEAD = !READS_APART;
    Row ahead[ASKS_AHEAD ? TAKEN : 1];
    const auto ask = [&](Row* rows, u64 k, u64 at, u64 left) {
        const u32 count = existing(left);
        bool right = true;
#pragma unroll
        for (u32 i = 0; i < TAKEN; i++) {
            if (i < count) rows[i].load(p, place(k + i), at + i * stride);
            if (i < count) right &= rows[i].right;
        }
        if (!INDEXED || right) return;
#pragma unroll 1
        for (u32 i = 0; i < count; i++) {
            In x;
            load_streams(p.input, at + i * stride, x);
            report_indices(x, at + i * stride);
        }
    };
    if constexpr (ASKS_AHEAD) ask(ahead, begin + first, at, left);

    T carry[VECTOR];  // combination of each line's elements before this step, if `any`
    bool any = HAS_INIT;
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) carry[j] = begins.init;
    if (p.prefixes && left > 0 && begin > 0) {
        Values<Acc> row;
        row.load(p.prefixes + line - p.inner);
        Acc before[VECTOR];
        row.unpack(before);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) carry[j] = HAS_INIT ? combine(begins.init, ValueOfAcc::of(before[j])) : ValueOfAcc::of(before[j]);
        any = true;
    }
    const u32 steps = (u32)((p.chunk + STEP - 1) / STEP);  // 2^32 of them exceed any memory
    for (u32 step = 0; step < steps; step++, at += STEP * stride) {
        const u32 turn = step % 2;
        const u64 k = begin + (u64)step * STEP + first;
        const u32 count = existing(left), groups = left < STEP ? ((u32)left + DEPTH - 1) / DEPTH : STEP_GROUPS;
        Row rows[TAKEN];
        if constexpr (ASKS_AHEAD) {
#pragma unroll
            for (u32 i = 0; i < TAKEN; i++) rows[i] = ahead[i];
        } else {
            ask(rows, k, at, left);
        }
        left = left < STEP ? 0 : left - STEP;
        if constexpr (ASKS_AHEAD) ask(ahead, k + STEP, at + STEP * stride, left);
#pragma unroll
        for (u32 g = 0; g < GROUPS; g++) {
            T sum[VECTOR];
#pragma unroll
            for (u32 i = 0; i < DEPTH; i++) {
                if (g * DEPTH + i < count) {
                    T e[VECTOR];
                    rows[g * DEPTH + i].map_all(place(k + g * DEPTH + i), at + (g * DEPTH + i) * stride, e);
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) sum[j] = i == 0 ? e[j] : combine(sum[j], e[j]);
                }
            }
            if (g * DEPTH < count) sums[turn][warp * GROUPS + g][lane].pack(sum);
        }
        __syncthreads();

        // Computes the exclusive prefix of this warp's elements, `before`, and that of the next step, `carry`.
        u32 g = 0;
        const auto carry_on = [&](u32 end) {
#pragma unroll 1  // more at once would spill
            for (; g < min(end, groups); g++) {
                T sum[VECTOR];
                sums[turn][g][lane].unpack(sum);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) carry[j] = any ? combine(carry[j], sum[j]) : sum[j];
                any = true;
            }
        };
        carry_on(warp * GROUPS);
        T before[VECTOR];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) before[j] = carry[j];
        bool some = any;
        carry_on(STEP_GROUPS);

        // Rescans and stores. Each group begins with the prefix that has been combined group by group.
        if constexpr (!BY_SEGMENT) {
#pragma unroll
            for (u32 g = 0; g < GROUPS; g++) {
                T running[VECTOR];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) running[j] = before[j];
                const bool some_before = some;
#pragma unroll
                for (u32 i = 0; i < DEPTH; i++) {
                    if (g * DEPTH + i < count) {
                        T e[VECTOR];
                        rows[g * DEPTH + i].map_all(place(k + g * DEPTH + i), at + (g * DEPTH + i) * stride, e);
                        Out results[VECTOR];
#pragma unroll
                        for (u32 j = 0; j < VECTOR; j++) {
                            const T with = some ? combine(running[j], e[j]) : e[j];
                            results[j] = result(!EXCLUSIVE ? with : some ? running[j] : begins.first);
                            running[j] = with;
                        }
                        some = true;
                        store_values(output_of(p) + (at + (g * DEPTH + i) * stride), results);
                    }
                }
                if (g + 1 < GROUPS && (g + 1) * DEPTH < count) {
                    T sum[VECTOR];
                    sums[turn][warp * GROUPS + g][lane].unpack(sum);
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) before[j] = some_before ? combine(before[j], sum[j]) : sum[j];
                }
            }
        }
    }
    if constexpr (BY_SEGMENT) {
        if (line < p.lines && warp == 0) {
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) results[j] = result(any ? carry[j] : begins.first);
            store_values(output_of(p) + line, results);
        }
    }
}
