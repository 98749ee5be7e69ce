// Histogram: the number of elements, or the sum of weights, in each bin.
//
//   block (part, slice):
//     counters[slot][column] = 0                          in shared memory; with one spare slot
//     for each element of the part:
//       slot = channel * bins + bin(element)
//       if slot in the slice: counters[slot][lane % COLUMNS] += 1 or its weight
//     for each slot: output[slot] += the sum of its columns
//
// A bank of shared memory serves one lane at a time. With 32 columns each lane of a warp has a bank of its own, so the
// distribution of the elements does not matter. With fewer, for more bins, lanes in the same bank are serialised: at
// most 32 / COLUMNS for one word. (Hardware adds ones to the same word at once.) Slots that exceed a block's shared
// memory are cut into slices: each has blocks of its own, which read the part while it is in the L2 cache.
//
// HALVES: counters of 16 bits, two in a word, if words would need more slices (histogram/halves.cuh).
//
// ROWS: each row or segment has slots of its own, and the parts are the pieces of a list, each of one row.
//
// Elements of one byte are counted by their 256 values, and a value is put into its bin when the counters are summed.
//
// All addends are integers (float weights: word/tally.cuh), so results do not depend on the order. EXPONENTS: instead
// of sums, each bin has the largest exponent of its float weights, by which the sums are scaled.

#pragma once

#include "memory/workspace.cuh"
#include "histogram/halves.cuh"
#include "warp/index.cuh"
#include "word/tally.cuh"

static_assert(WARP % COLUMNS == 0 && !(BY_VALUE && SLICED), "columns are lanes; values have no slices");

using Params = HistogramParams;
constexpr u32 VALUES = 256;
constexpr u32 NOWHERE = ~0u - 1;
constexpr u32 UNSURE = ~0u;  // the quick test's answer near an edge; greater than all others
// Whether the rule that finds bins has a quick test, which is unsure for few elements: then one branch serves all
// elements of a vector.
#ifdef QUICK_BIN
constexpr bool QUICK = !BY_VALUE && !BY_EDGES;
#else
constexpr bool QUICK = false;
#endif
// Whether one rounding may find the bin of an element. Then an element at the last bin's end needs the exact test, too.
#ifdef FLOOR_BIN
constexpr bool FLOOR = QUICK;
#else
constexpr bool FLOOR = false;
#endif
// Whether vectors have several elements: a vector is then one load of 16 bytes.
constexpr bool ALIGNABLE = VECTOR > 1;
static_assert(!ALIGNABLE || VECTOR * sizeof(In) == 16, "vectors are of 16 bytes");
static_assert(WEIGHTS == NO_WEIGHTS || VECTOR == 1, "weights are loaded one by one");

// Whether every element has a slot (the counters of one bin of one channel).
constexpr bool EVERYWHERE = BY_VALUE && CHANNELS == COUNTED_CHANNELS;
static_assert(!HALVES || (WEIGHTS == NO_WEIGHTS && COLUMNS == 1 && !BY_VALUE), "halves count elements");
using Emptied = TallyTypes<NO_WEIGHTS, sizeof(Out) == 8 ? 8 : 4>::total;
// Whether there is a spare slot for elements without one: a branch around the addition would take longer. Many
// additions to one word do not, if lanes have columns of their own.
constexpr bool SPARE_SLOT = !EVERYWHERE && !SLICED && !HALVES && WEIGHTS == NO_WEIGHTS;

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Returns the bin of an element; `bins` or more if it is in none. `edges` ascend.
template <class X>
__device__ __forceinline__ u32 bin_of(const Params& p, [[maybe_unused]] const X* edges, const X& x) {
    if constexpr (BY_EDGES) {
        const u32 bins = (u32)p.bins;
        if (!(arith::le(edges[0], x) && arith::le(x, edges[bins]))) return NOWHERE;
        u32 bin = 0;
        for (u32 step = (u32)p.search; step > 0; step /= 2) {
            const u32 next = bin + step;
            if (next < bins && arith::le(edges[next], x)) bin = next;
        }
        return bin;
    } else {
        return load_acc(x, 0, 0);
    }
}

// Slots in which this thread counts: those of its block's slice, in one column of counters.
class Place {
    Counter* column;
    const In* edges;
    u32 first, width;  // the slice: its first slot, and its number of slots
    Halves<HALVES_TURN, HALF_FULL> halves;

public:
    __device__ __forceinline__ Place(const Params& p, Counter* counters, const In* edges, u32 slice)
        : column(counters + lane_index() % COLUMNS), edges(edges), first(SLICED ? slice * (u32)p.slice : 0) {
        const u32 slots = BY_VALUE ? COUNTED_CHANNELS * VALUES : COUNTED_CHANNELS * (u32)p.bins;
        width = SLICED ? min((u32)p.slice, slots - first) : slots;
        if (HALVES) halves.begin((u32*)counters, width);
    }
    // Sets the counters to 0. Called by all threads of the block.
    __device__ __forceinline__ void clear(Counter* counters) {
        if constexpr (HALVES) return halves.clear();
        for (u32 k = threadIdx.x; k < (width + 1) * COLUMNS * (u32)(sizeof(Counter) / 4); k += THREADS) ((u32*)counters)[k] = 0;
    }
    __device__ __forceinline__ u32 slots() const { return width; }
    __device__ __forceinline__ u32 begin() const { return first; }

    // Returns the bin of an element; for elements of one byte, their value.
    __device__ __forceinline__ u32 bin(const Params& p, const In& x) const {
        if constexpr (BY_VALUE) {
            u8 value;
            memcpy(&value, &x, 1);
            return value;
        } else {
            return bin_of(p, edges, x);
        }
    }
    // Returns the bin of an element by the quick test, or UNSURE.
    __device__ __forceinline__ u32 look(const Params& p, const In& x) const {
#ifdef QUICK_BIN
        if constexpr (QUICK) return QUICK_BIN(x, 0);
#endif
        return bin(p, x);
    }
    // Returns the slot of a bin of a channel, counted from the slice's first one; `slots()` or more if the slice has no
    // such slot.
    __device__ __forceinline__ u32 slot(const Params& p, u32 bin, u32 channel) const {
        const u32 bins = BY_VALUE ? VALUES : (u32)p.bins;
        if (CHANNELS > 1) bin = (BY_VALUE || bin < bins) && (CHANNELS == COUNTED_CHANNELS || channel < COUNTED_CHANNELS) ? channel * bins + bin : NOWHERE;
        return bin - first;
    }
    __device__ __forceinline__ void add(u32 slot, const Counter& amount) const {
        if constexpr (HALVES) halves.add(slot);
        else if constexpr (SPARE_SLOT) tally::add(column + min(slot, width) * COLUMNS, amount);
        else if (EVERYWHERE || slot < width) tally::add(column + slot * COLUMNS, amount);
    }
    // Counts the elements of a vector in halves. `together`: all lanes of a warp call it.
    __device__ __forceinline__ void add_halves(const u32 (&slots)[VECTOR], bool together) const { halves.add_vector(slots, together); }
    __device__ __forceinline__ void end_turn(const Params& p) {
        halves.end_turn([&](u32 slot, u32 number) { tally::add((Emptied*)p.output + first + slot, (Emptied)number); });
    }
    __device__ __forceinline__ void add_halves_to_output(const Params& p) const {
        halves.all([&](u32 slot, u32 number) { tally::add((Emptied*)p.output + first + slot, (Emptied)number); });
    }
};

// Counts the element at index i of the input, whose bin and channel are known: adds one, or its weight, to its slot.
__device__ __forceinline__ void count(const Params& p, const Place& place, u32 bin, [[maybe_unused]] u64 i, u32 channel) {
    const u32 slot = place.slot(p, bin, channel);
    using Amount = tally::Amount<Counter>;
    if constexpr (WEIGHTS == NO_WEIGHTS) {
        place.add(slot, Amount::one());
    } else {
        if (slot >= place.slots()) return;
        const Out weight = p.weights[i];
        if (Amount::adds(weight)) place.add(slot, Amount::of(weight, WEIGHTS == FLOAT_WEIGHTS ? p.largest[place.begin() + slot] : 0, (u32)p.spare));
        else if (WEIGHTS == FLOAT_WEIGHTS) atomicOr(p.marks + place.begin() + slot, tally::mark(weight));
    }
}

// VECTOR neighbouring elements, aligned in memory.
struct Vector {
    In elements[VECTOR];
    __device__ __forceinline__ void load(const In* from) {
        if constexpr (ALIGNABLE) {
            const uint4 words = *(const uint4*)from;
            memcpy(elements, &words, 16);
        } else {
            elements[0] = *from;
        }
    }
    // Finds the bins of the vector's elements: by one rounding (FLOORS) or by the quick test, and by the exact test
    // where these are unsure.
    template <bool FLOORS>
    __device__ __forceinline__ void look(const Params& p, const Place& place, u32 (&bins)[VECTOR]) const {
        const u32 end = FLOORS ? (u32)p.bins : UNSURE;
        u32 most = 0;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
#ifdef FLOOR_BIN
            if constexpr (FLOORS) bins[j] = FLOOR_BIN(elements[j]);
            else
#endif
                bins[j] = place.look(p, elements[j]);
            most = max(most, bins[j]);
        }
        if (QUICK && most >= end) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (bins[j] == UNSURE || bins[j] == end) bins[j] = place.bin(p, elements[j]);
            }
        }
    }
    __device__ __forceinline__ void count_all(const Params& p, const Place& place, u64 i, [[maybe_unused]] bool together) const {
        u32 bins[VECTOR];
#ifdef FLOOR_BIN
        if (FLOOR && FLOOR_GIVEN) look<FLOOR>(p, place, bins);
        else
#endif
            look<false>(p, place, bins);
        u32 channel = CHANNELS > 1 ? (u32)(i % CHANNELS) : 0;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if constexpr (HALVES) bins[j] = place.slot(p, bins[j], channel);
            else count(p, place, bins[j], i + j, channel);
            if (CHANNELS > 1) channel = channel + 1 == CHANNELS ? 0 : channel + 1;
        }
        if constexpr (HALVES) place.add_halves(bins, together);
    }
};

// DEPTH vectors of a thread; neighbouring ones are THREADS vectors apart in memory.
struct Batch {
    static constexpr u32 STEP = DEPTH * THREADS;
    Vector vectors[DEPTH];
    // Loads the vectors that exist, if `left` of the block's vectors are left from this thread's first one on.
    __device__ __forceinline__ void load(const In* from, u32 left) {
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (d * THREADS < left) vectors[d].load(from + d * THREADS * VECTOR);
        }
    }
    __device__ __forceinline__ void count_all(const Params& p, const Place& place, u64 i, u32 left) const {
        const bool together = HALVES && !__any_sync(~0u, left <= (DEPTH - 1) * THREADS);
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (d * THREADS < left) vectors[d].count_all(p, place, i + d * THREADS * VECTOR, together);
        }
    }
};

// Counts the elements of part `part` of the input. Vectors are aligned in memory: elements before the first whole one
// and after the last are counted one by one.
__device__ __forceinline__ void count_part(const Params& p, Place& place, u64 part, bool last_part) {
    // `lead` and `end` are counted in elements, from the last multiple of 16 bytes at or before the input on.
    const u64 lead = ALIGNABLE ? (u64)p.input % 16 / sizeof(In) : 0, end = lead + p.n;
    const u64 per_part = p.part / VECTOR, whole = end / VECTOR;
    const u64 first = part == 0 && lead > 0 ? 1 : part * per_part;
    // The last part may have no whole vector, and the one before fewer than others.
    const u64 end_of_part = (part + 1) * per_part, last = end_of_part < whole ? end_of_part : whole;
    const u32 vectors = last > first ? (u32)(last - first) : 0;
    u64 i = first * VECTOR - lead + threadIdx.x * VECTOR;
    u32 left = vectors > threadIdx.x ? vectors - threadIdx.x : 0;
    // The next vectors' loads are in flight while these are counted.
    constexpr u32 BATCHES = HALVES_TURN / (Batch::STEP * VECTOR);  // number of batches of a turn
    static_assert(!HALVES || BATCHES > 0, "a turn has a batch");
    u32 batches = 0;
    Batch now;
    now.load(p.input + i, left);
#pragma unroll 1
    for (u32 done = 0; done < vectors; done += Batch::STEP) {
        const u32 after = left > Batch::STEP ? left - Batch::STEP : 0;
        Batch next;
        next.load(p.input + i + Batch::STEP * VECTOR, after);
        now.count_all(p, place, i, left);
        now = next, left = after, i += Batch::STEP * VECTOR;
        if constexpr (HALVES) {
            if (++batches == BATCHES) place.end_turn(p), batches = 0;
        }
    }
    if (ALIGNABLE && last_part) {
        const u64 head = lead == 0 ? 0 : p.n < VECTOR - lead ? p.n : VECTOR - lead;
        const u64 rest = head + (whole == 0 && lead > 0 ? 0 : end - whole * VECTOR);
        if (threadIdx.x < rest) {
            const u64 i = head > threadIdx.x ? threadIdx.x : p.n - rest + threadIdx.x;
            count(p, place, place.bin(p, p.input[i]), i, CHANNELS > 1 ? (u32)(i % CHANNELS) : 0);
        }
    }
}

// Adds the block's counters to the output: of each slot the sum of its columns.
__device__ __forceinline__ void add_to_output(const Params& p, const Place& place, const Counter* counters, const In* edges) {
    if constexpr (HALVES) return place.add_halves_to_output(p);
    for (u32 slot = threadIdx.x; slot < place.slots(); slot += THREADS) {
        Counter sum = {};
#pragma unroll
        for (u32 k = 0; k < COLUMNS; k++) {
            // Each lane begins with another column, in a bank of its own.
            sum = tally::sum(sum, counters[slot * COLUMNS + (k + slot / (WARP / COLUMNS)) % COLUMNS]);
        }
        if (tally::none(sum)) continue;
        u32 to = place.begin() + slot;
        if constexpr (BY_VALUE) {
            const u8 value = (u8)slot;
            In x;
            memcpy(&x, &value, 1);
            const u32 bin = bin_of(p, edges, x);
            if (bin >= (u32)p.bins) continue;
            to = slot / VALUES * (u32)p.bins + bin;
        }
        tally::add((Total*)p.output + to, (Total)sum);
    }
}

// Reports edges that descend; the first report stays. Called by all threads of one block.
template <class X>
__device__ __forceinline__ void check_edges(const Params& p, const X* edges) {
    for (u32 k = threadIdx.x; k <= (u32)p.bins; k += THREADS) {
        if (!arith::le(edges[k > 0 ? k - 1 : 0], edges[k])) report_fault(p.workspace, FAULT_EDGES, k, 0);
    }
}

__device__ __forceinline__ void count_block(const Params& p, u64 part, bool last_part, u32 slice) {
    Counter* const counters = (Counter*)dynamic_shared;
    const In* edges = p.edges;
    Place place(p, counters, edges, slice);
    place.clear(counters);
    if constexpr (BY_EDGES) {
        if (blockIdx.x == 0) check_edges(p, edges);
    }
    __syncthreads();
    count_part(p, place, part, last_part);
    __syncthreads();
    add_to_output(p, place, counters, edges);
}

extern "C" __global__ void __launch_bounds__(THREADS, COUNTING_BLOCKS) upsweep_histogram(const __grid_constant__ HistogramParams p) {
    const u32 slices = SLICED ? (u32)p.slices : 1, slice = blockIdx.x % slices, part = blockIdx.x / slices;
    if constexpr (ROWS) {
        const u64 *const piece = p.pieces + 3 * (u64)part, begin = piece[0], first = piece[2] * COUNTED_CHANNELS * p.bins;
        Params own = p;
        own.input += begin, own.n = piece[1], own.part = p.part + THREADS * VECTOR;
        own.output = (Out*)((Total*)p.output + first);
        if constexpr (WEIGHTS != NO_WEIGHTS) own.weights += begin;
        if constexpr (WEIGHTS == FLOAT_WEIGHTS) own.largest += first, own.marks += first;
        count_block(own, 0, true, slice);
    } else {
        count_block(p, part, part == gridDim.x / slices - 1, slice);
    }
}
