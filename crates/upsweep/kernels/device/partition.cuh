// Partition: the elements that a predicate, flags or their neighbours choose, one after the other, or their indices, and the others one
// after the other, behind them or elsewhere. In a single pass, stable.
//
// The pipeline (pipeline.cuh) of this task:
//
//   reduce      a bit for each element: whether it is kept; the number of those of each warp
//   look back   the number of elements kept before the tile
//   finish      kept elements side by side in the tile's own shared memory, as they lie in global memory modulo 16 bytes;
//               from there to global memory, 16 bytes a store
//
// What differs from other libraries' kernels: the bits are found once and kept for the tiles of LAG. By then a tile knows where
// its results go, so it compacts them at the phase of their destination, and only a tile's first and last 16 bytes are stored
// in pieces. Nothing is held in shared memory twice, which leaves room for a longer LAG.
//
// The number of elements may lie in device memory (`length`): the grid is then sized for as many as the input has room for.
//
// Memory ordering: pipeline.cuh. Where results take the place of elements, all warps have these in registers first; then they
// write results, then they read each other's, and then they stage the next tile there: a barrier between any two of these. A
// buffer that holds no elements is written after the barrier at which all compute warps learn the prefix, when they have read the tile
// before from it.
//
// In place: a tile is published when its elements are in shared memory, and stored when all tiles before it are published. A
// result lies at or before its element, so nothing is overwritten that is yet to be read. (A neighbour of another tile is read
// before this tile is published, too, and until then only its own value can be stored in its place.)

#pragma once

#include "memory/access.cuh"
#include "tile/pipeline.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
template <> struct UnsignedOf<16> { using type = u128; };

// A number of elements: 32 bits do where the host knows that there are fewer than 2^32.
using Number = UnsignedOf<HOST_STATE_BYTES>::type;
struct Kept {
    Number number;
    __device__ __forceinline__ Kept operator+(const Kept& next) const { return {number + next.number}; }
};
__device__ __forceinline__ Kept combine(const Kept& a, const Kept& b) { return a + b; }

// What is stored: elements, or with INDEX_BYTES their indices.
template <u32 BYTES> struct StoredOf { using type = UnsignedOf<BYTES>::type; };
template <> struct StoredOf<0> { using type = In; };
using Stored = StoredOf<INDEX_BYTES>::type;
template <bool INDEX> struct Result {
    static __device__ __forceinline__ const In& of(u64, const In& x) { return x; }
};
template <> struct Result<true> {
    static __device__ __forceinline__ Stored of(u64 index, const In&) { return (Stored)index; }
};

// An element's bit, and behind a thread's bits the number that the lanes below it keep.
constexpr u32 PLACE_BITS = 12;
static_assert(WARP * ITEMS < 1 << PLACE_BITS && ITEMS + PLACE_BITS <= 128, "a thread's bits and its place are one word");
using Bits = UnsignedOf<ITEMS + PLACE_BITS <= 32 ? 4 : ITEMS + PLACE_BITS <= 64 ? 8 : 16>::type;
__device__ __forceinline__ u32 number_of(u32 bits) { return __popc(bits); }
__device__ __forceinline__ u32 number_of(u64 bits) { return __popcll(bits); }
__device__ __forceinline__ u32 number_of(u128 bits) { return __popcll((u64)bits) + __popcll((u64)(bits >> 64)); }



// A bit for each byte that is not 0.
__device__ __forceinline__ u32 set_bytes(u32 four) {
    const u32 highest = (((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four) & 0x80808080;
    return (highest >> 7) * 0x10204080 >> 28;  // the product has the four bits side by side at its end
}

struct SelectTask {
    using State = Kept;
    using Params = SelectParams;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr bool BY_FLAGS = HEADS == Heads::FLAGS, BY_NEIGHBOUR = HEADS == Heads::KEYS;
    static constexpr bool READS = !BY_FLAGS || INDEX_BYTES == 0;  // whether elements are read
    using Input = Stream<In>;
    using Slot = Input::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");

    // Dynamic shared memory: the tiles, the flags of those that are staged, a buffer where results need more room than elements.
    static constexpr u32 PHASE = 16;  // results are stored so many bytes at a time
    static constexpr bool BUFFERED = !READS || sizeof(Stored) * VECTOR > sizeof(Slot);
    static constexpr u32 TILE_BYTES = READS ? Input::SLOTS * sizeof(Slot) + (BUFFERED ? 0 : PHASES) : 0;
    static constexpr u32 FLAG_SLOTS = AHEAD + 1, FLAG_BYTES = BY_FLAGS ? FLAG_SLOTS * TILE : 0;

    struct Shared {
        Bits bits[STAGES][THREADS];
        Kept warp_totals[STAGES][WARPS];
        Kept before_tile[STAGES];
        u32 before_warp[STAGES][WARPS];  // kept in the tile
        u32 number[STAGES];              // kept in the tile
        Slot edges[BY_NEIGHBOUR ? AHEAD + 1 : 1][WARPS];  // the vector that lies beside that of a warp
    };

    const Params& p;
    Shared& shared;
    const Input input;
    const u32 flags_aligned;  // bytes at whose multiples a warp's flags begin: 16, 4 or 1

    __device__ __forceinline__ SelectTask(const Params& p, Shared& shared)
        : p(p), shared(shared), input(p.input, p.n), flags_aligned((u64)p.flags % 16 == 0 ? 16 : (u64)p.flags % 4 == 0 ? 4 : 1) {}

    __device__ __forceinline__ Slot* slots(u32 k) const { return (Slot*)(dynamic_shared + k % STAGES * TILE_BYTES); }
    __device__ __forceinline__ u8* flags(u32 k) const { return dynamic_shared + STAGES * TILE_BYTES + k % FLAG_SLOTS * TILE; }
    // Where a tile's results lie before they are stored.
    __device__ __forceinline__ unsigned char* buffer(u32 k) const {
        return BUFFERED ? dynamic_shared + STAGES * TILE_BYTES + FLAG_BYTES : (unsigned char*)slots(k);
    }
    __device__ __forceinline__ Slot& edge(u32 k) const { return shared.edges[k % (AHEAD + 1)][warp_index()]; }
    __device__ __forceinline__ const Kept* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        if constexpr (READS) input.stage_tile(tile, slots(k));
        if constexpr (BY_FLAGS) stage_flags(k, tile);
        if constexpr (BY_NEIGHBOUR) stage_edge(k, tile);
    }

    // Copies the warp's flags, WIDTH bytes at a time, where they begin at a multiple of it and exist.
    template <u32 WIDTH>
    __device__ __forceinline__ void stage_flags(u8* to, const u8* from, u32 mine) const {
#pragma unroll 1
        for (u32 step = 0; step < WARP * ITEMS; step += WARP * WIDTH) {
            const u32 at = step + lane_index() * WIDTH;
            if (at + WIDTH <= mine) {
                if constexpr (WIDTH > 1) copy_async<WIDTH>(to + at, from + at);
                else to[at] = from[at];
            } else {
#pragma unroll 1
                for (u32 j = at; j < mine; j++) to[j] = from[j];
            }
        }
    }
    __device__ __forceinline__ void stage_flags(u32 k, u64 tile) const {
        const u32 begin = warp_index() * WARP * ITEMS, mine = existing<false>(begin, WARP * ITEMS, tile_count(p.n, tile));
        u8* const to = flags(k) + begin;
        const u8* const from = p.flags + tile * TILE + begin;
        if (flags_aligned == 16) stage_flags<16>(to, from, mine);
        else if (flags_aligned == 4) stage_flags<4>(to, from, mine);
        else stage_flags<1>(to, from, mine);
    }

    // The vector before the warp's first, or with KEEP_LAST the one after its last.
    __device__ __forceinline__ void stage_edge(u32 k, u64 tile) const {
        if (lane_index() != 0) return;
        const u64 first = tile * TILE + warp_index() * WARP * ITEMS;
        const u64 from = KEEP_LAST ? first + WARP * ITEMS : first - VECTOR;
        if (KEEP_LAST ? from < p.n : first > 0 && first < p.n) {
            const u32 mine = p.n - from < VECTOR ? (u32)(p.n - from) : VECTOR;
            input.stage_vector(edge(k), p.input + from, mine);
        }
    }

    // A vector as it comes from shared memory.
    struct Vector {
        In elements[VECTOR];
        Vector() = default;
        __device__ __forceinline__ explicit Vector(const Slot& slot) {
            u32 words[SLOT_BYTES / 4];
#pragma unroll
            for (u32 i = 0; i < SLOT_BYTES / 16; i++) {
                const uint4 part = ((const uint4*)slot.bytes)[i];
                words[4 * i] = part.x, words[4 * i + 1] = part.y, words[4 * i + 2] = part.z, words[4 * i + 3] = part.w;
            }
            memcpy(elements, words, sizeof(elements));
        }
    };

    // Which of this thread's elements are kept.
    template <bool FULL>
    __device__ __forceinline__ Bits kept_bits(u32 k, u64 tile, u32 count) const {
        const u32 begin = threadIdx.x * ITEMS, mine = existing<FULL>(begin, ITEMS, count);
        const u64 index = tile * TILE + begin;
        Bits bits = 0;
        if constexpr (BY_FLAGS) {
            constexpr u32 WIDTH = ITEMS % 4 == 0 ? 4 : ITEMS % 2 == 0 ? 2 : 1;  // flags that are read at once
            const u8* const from = flags(k) + begin;
#pragma unroll
            for (u32 i = 0; i < ITEMS; i += WIDTH) {
                const u32 four = WIDTH == 4 ? *(const u32*)(from + i) : WIDTH == 2 ? *(const u16*)(from + i) : from[i];
                bits |= (Bits)set_bytes(four) << i;
            }
            if (!FULL) bits &= ((Bits)1 << mine) - 1;  // what lies behind the last flag is of another tile
        } else if constexpr (BY_NEIGHBOUR) {
            // From the first element on, whether each differs from the one before; KEEP_LAST: turned round.
            const u32 lane = lane_index(), vector = threadIdx.x * ROWS;
            const Slot* const own = slots(k);
            constexpr u32 EDGE = KEEP_LAST ? WARP - 1 : 0;
            const Slot& beside = lane == EDGE ? edge(k) : own[KEEP_LAST ? vector + ROWS : vector - 1];
            In neighbour;
            const bool ends = KEEP_LAST ? index + mine == p.n : index == 0;  // there is no neighbour
            if (mine > 0 && !ends) neighbour = ((const In*)beside.bytes)[KEEP_LAST ? 0 : VECTOR - 1];
#pragma unroll
            for (u32 step = 0; step < ROWS; step++) {
                const u32 row = KEEP_LAST ? ROWS - 1 - step : step;
                const Vector x(own[vector + row]);
#pragma unroll
                for (u32 next = 0; next < VECTOR; next++) {
                    const u32 j = KEEP_LAST ? VECTOR - 1 - next : next, i = row * VECTOR + j;
                    if (!FULL && i >= mine) continue;
                    const bool alone = ends && i == (KEEP_LAST ? mine - 1 : 0);
                    const bool same = !alone && (KEEP_LAST ? same_key(x.elements[j], neighbour) : same_key(neighbour, x.elements[j]));
                    bits |= (Bits)!same << i;
                    neighbour = x.elements[j];
                }
            }
        } else {
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) {
                const Vector x(slots(k)[threadIdx.x * ROWS + row]);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    const u32 i = row * VECTOR + j;
                    if (FULL || i < mine) bits |= (Bits)load_acc(x.elements[j], index + i, index + i) << i;
                }
            }
        }
        return bits;
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u32 count = tile_count(p.n, tile);
        const Bits bits = count == TILE ? kept_bits<true>(k, tile, count) : kept_bits<false>(k, tile, count);
        const u32 own = number_of(bits), up_to = warp_inclusive_sum(own);
        shared.bits[k % STAGES][threadIdx.x] = bits | (Bits)(up_to - own) << ITEMS;
        if (lane_index() == WARP - 1) shared.warp_totals[k % STAGES][warp_index()] = {up_to};
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Kept>& chain) const {
        const u32 slot = k % STAGES, lane = lane_index();
        const u32 own = lane < WARPS ? (u32)shared.warp_totals[slot][lane].number : 0, up_to = warp_inclusive_sum(own);
        if (lane < WARPS) shared.before_warp[slot][lane] = up_to - own;
        const u32 number = __shfl_sync(~0u, up_to, WARP - 1);
        Kept before = {};
        if (tile > 0) before = chain.look_back(tile);
        if (lane != 0) return;
        shared.before_tile[slot] = before;
        shared.number[slot] = number;
        if (tile + 1 == chain.tiles) {
            const u64 kept = (u64)before.number + number;
            *p.count = kept;
            if (kept > p.capacity) report_fault(p.workspace, FAULT_CAPACITY, kept, (i64)p.capacity);
            if (p.n - kept > p.others_capacity) report_fault(p.workspace, FAULT_OTHERS, p.n - kept, (i64)p.others_capacity);
        }
    }

    // How many of `number` results from place `at` on there is room for.
    static __device__ __forceinline__ u32 with_room(u64 at, u32 number, u64 capacity) {
        return at >= capacity ? 0 : (u32)min((u64)number, capacity - at);
    }

    // Where the results that come to lie from `to` on are in a buffer at a multiple of PHASE.
    static __device__ __forceinline__ Stored* at_phase(unsigned char* buffer, const Stored* to) {
        return (Stored*)(buffer + (u64)to % PHASE);
    }

    // Stores `number` results from a buffer to `to`. All compute warps.
    static __device__ __forceinline__ void store_run(Stored* to, const unsigned char* buffer, u32 number) {
        constexpr u32 UNIT = alignof(Stored) < PHASE ? alignof(Stored) : PHASE;
        struct alignas(UNIT) Unit { unsigned char bytes[UNIT]; };
        const u32 phase = (u64)to % PHASE, end = phase + number * (u32)sizeof(Stored);
        unsigned char* const base = (unsigned char*)to - phase;
        for (u32 at = threadIdx.x * PHASE; at < end; at += THREADS * PHASE) {
            if (at >= phase && at + PHASE <= end) {
                *(uint4*)(base + at) = *(const uint4*)(buffer + at);
            } else {
                for (u32 i = at; i < at + PHASE; i += UNIT) {
                    if (i >= phase && i < end) *(Unit*)(base + i) = *(const Unit*)(buffer + i);
                }
            }
        }
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u32 slot = k % STAGES, count = tile_count(p.n, tile), number = shared.number[slot];
        const u64 before = shared.before_tile[slot].number;
        Stored* const to = (Stored*)p.output + before;
        unsigned char* const kept_buffer = buffer(k);
        Stored* const kept = at_phase(kept_buffer, to);

        // The others lie behind the kept ones.
        const u64 before_others = tile * TILE - before;
        Stored* const others_to = (Stored*)p.others + before_others;
        unsigned char* const others_buffer = kept_buffer + (number * sizeof(Stored) + 2 * PHASE - 1) / PHASE * PHASE;
        Stored* const others = at_phase(others_buffer, others_to);

        const Bits word = shared.bits[slot][threadIdx.x];
        const u32 begin = threadIdx.x * ITEMS, mine = existing<false>(begin, ITEMS, count);
        u32 at = shared.before_warp[slot][warp_index()] + (u32)(word >> ITEMS);
        u32 others_at = begin - at;
        const auto put = [&](u32 i, const Stored& x) {
            if (word >> i & 1) kept[at++] = x;
            else if (i < mine) others[others_at++] = x;
        };
        Vector x[ROWS];
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            if constexpr (INDEX_BYTES == 0) x[row] = Vector(slots(k)[threadIdx.x * ROWS + row]);
        }
        if (!BUFFERED) main_sync();
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            put(i, Result<(INDEX_BYTES > 0)>::of(tile * TILE + begin + i, x[i / VECTOR].elements[i % VECTOR]));
        }
        main_sync();
        store_run(to, kept_buffer, with_room(before, number, p.capacity));
        store_run(others_to, others_buffer, with_room(before_others, count - number, p.others_capacity));
        if (!BUFFERED) main_sync();
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<SelectTask>::HELPERS * WARP, BLOCKS) upsweep_partition(const __grid_constant__ SelectParams given) {
    SelectParams p = given;
    if (p.length) {
        const u64 length = *p.length;
        if (length > p.n && blockIdx.x == 0 && threadIdx.x == 0) report_fault(p.workspace, FAULT_LENGTH, length, (i64)p.n);
        p.n = min(p.n, length);
    }
    if (p.behind) p.others = (Stored*)p.output + *p.behind;  // stored again at the end, with the same value
    Pipeline<SelectTask>::run(p, tile_number(p.n));
}
