// Partition (stable, in a single pass): the elements that a predicate, flags or their neighbours select are stored
// contiguously, or their indices, and the rejected ones contiguously after them or elsewhere.
//
// The pipeline (pipeline.cuh) of this task:
//
//   reduce      a bit for each element: whether it is selected; the count of each warp
//   look back   the number of selected elements before the tile
//   finish      compacts selected and rejected elements, each contiguously, in the tile's own shared memory, at their
//               destination's address modulo 16 bytes; from there to global memory, 16 bytes a store
//
// In contrast to other libraries' kernels, the bits are computed once and stored for the LAG tiles that follow until
// the tile is finished. By then the destination of a tile's results is known, so it compacts them at their
// destination's address modulo 16, and only the first and last 16 bytes of a contiguous run are stored in pieces. No
// data is in shared memory twice, which leaves room for a longer LAG.
//
// Results of up to 2 bytes are compacted and stored by each warp alone, because warps that wait for each other bound
// their time. Larger ones are compacted by the warps of a block together, because the ends of contiguous runs bound
// theirs: each end is a part of a memory line, which is stored twice.
//
// A pipeline and no relay (select/select.cuh), because all elements wait for their prefix. Blocks of a relay would wait
// for room while they hold tiles for which other blocks wait.
//
// The number of elements may lie in device memory (`length`): the grid is then sized for the capacity of the input.
//
// Memory ordering: pipeline.cuh. If results replace elements, all threads that compact together first load these into
// registers; then they write results, then they read each other's, and then they stage the next tile there: a barrier
// between any two of these. A buffer that holds no elements is written after the barrier at which all compute warps
// receive the prefix, when they have read the tile before from it.
//
// In place: a tile is published when its elements are in shared memory, and stored when all tiles before it are
// published. A result lies at or before its element, so no element is overwritten before it is read. (A neighbour in
// another tile is also read before this tile is published, and until then only its own value can be stored in its
// place.)

#pragma once

#include "select/choose.cuh"
#include "tile/pipeline.cuh"
#include "warp/store.cuh"
#include "warp/sum.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

struct SelectTask {
    using State = Kept;
    using Params = SelectParams;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::EARLY;
    // Bytes besides elements or results: two contiguous runs of results begin at their destination's address modulo 16
    // (the phase), and the first one's end is rounded up.
    static constexpr u32 PHASE = 16, PHASES = 3 * PHASE;
    static constexpr bool BY_WARP = sizeof(Stored) <= 2;  // whether each warp compacts and stores by itself
    static constexpr u32 LANES = BY_WARP ? WARP : THREADS;  // number of threads that compact and store together
    using Chosen = Choose<(PHASES + SLOT_BYTES - 1) / SLOT_BYTES, !BY_WARP>;

    // Dynamic shared memory: the tiles, the flags of staged tiles, and a buffer if results need more room than
    // elements.
    static constexpr bool BUFFERED = !Chosen::READS || sizeof(Stored) * VECTOR > SLOT_BYTES;
    static constexpr u32 FLAG_SLOTS = AHEAD + 1, TILES_BYTES = STAGES * Chosen::STAGED_BYTES, FLAGS_BYTES = FLAG_SLOTS * Chosen::FLAG_BYTES;
    static constexpr u32 DYNAMIC_BYTES = TILES_BYTES + FLAGS_BYTES + (BUFFERED ? TILE * sizeof(Stored) + PHASES : 0);
    static_assert(!BY_WARP || !BUFFERED, "a warp's results take the place of its elements");

    struct Shared {
        u32 bits[STAGES][Chosen::BIT_WORDS][THREADS];
        Kept warp_totals[STAGES][WARPS];
        Kept before_tile[STAGES];
        u32 before_warp[STAGES][WARPS];  // number of the tile's selected elements before a warp's
        u32 number[STAGES];              // number of the tile's selected elements
        typename Chosen::Copies copies[STAGES];
    };

    const Params& p;
    Shared& shared;
    const Chosen chosen;

    __device__ __forceinline__ SelectTask(const Params& p, Shared& shared) : p(p), shared(shared), chosen(p.input, p.flags, p.n) {
        if (warp_index() >= WARPS) return;
#pragma unroll
        for (u32 k = 0; k < STAGES; k++) Chosen::open(shared.copies[k]);
    }

    __device__ __forceinline__ unsigned char* staged(u32 k) const { return dynamic_shared + k % STAGES * Chosen::STAGED_BYTES; }
    __device__ __forceinline__ u8* flags(u32 k) const { return dynamic_shared + TILES_BYTES + k % FLAG_SLOTS * Chosen::FLAG_BYTES; }
    // Returns the buffer of the results of this block's k-th tile before they are stored.
    __device__ __forceinline__ unsigned char* results(u32 k) const {
        return BUFFERED ? dynamic_shared + TILES_BYTES + FLAGS_BYTES : staged(k) + (BY_WARP ? warp_index() * Chosen::WARP_BYTES : 0);
    }
    // Barrier of the threads that compact together: the warp (BY_WARP), or all compute warps.
    static __device__ __forceinline__ void meet() {
        if constexpr (BY_WARP) __syncwarp();
        else main_sync();
    }
    __device__ __forceinline__ const Kept* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const { chosen.stage(tile, staged(k), flags(k), shared.copies[k % STAGES]); }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        Chosen::await(shared.copies[k % STAGES], k / STAGES);
        const auto found = chosen.find(tile, tile_count(p.n, tile), staged(k), flags(k), [](u32, const auto&) {}, [] {});
        u32 own = 0;
#pragma unroll
        for (u32 i = 0; i < Chosen::BIT_WORDS; i++) {
            shared.bits[k % STAGES][i][threadIdx.x] = found.bits[i];
            own += __popc(found.bits[i]);
        }
        const u32 all = warp_sum(own);
        if (lane_index() == 0) shared.warp_totals[k % STAGES][warp_index()] = {all};
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

    // Returns the selected elements of this block's k-th tile, which has been reduced.
    __device__ __forceinline__ Chosen::Found found(u32 k) const {
        typename Chosen::Found found = {};
#pragma unroll
        for (u32 i = 0; i < Chosen::BIT_WORDS; i++) found.bits[i] = shared.bits[k % STAGES][i][threadIdx.x];
#pragma unroll
        for (u32 row = 0; row < Chosen::GRAINS; row++) {
            const u32 first = row * Chosen::GRAIN;
            found.add(row, found.bits[first / 32] >> first % 32 & (u32)((1ull << Chosen::GRAIN) - 1));
        }
        return found;
    }

    // Compacts a thread's elements to two places in shared memory, one for the selected elements and one for the
    // rejected ones.
    template <bool FULL>
    __device__ __forceinline__ void leave(u64 tile, u32 count, const Chosen::Found& found, const Chosen::Places& places, const typename Chosen::Grain (&grains)[Chosen::GRAINS], SharedPlace kept, SharedPlace others) const {
#pragma unroll
        for (u32 row = 0; row < Chosen::GRAINS; row++) {
            const u32 item = Chosen::item_of(row), place = places.of(row);
            SharedPlace at = kept + place * (u32)sizeof(Stored);
            SharedPlace other_at = others + (item - warp_index() * Chosen::SHARE - place) * (u32)sizeof(Stored);
            const SharedPlace both = at + other_at;
#pragma unroll
            for (u32 j = 0; j < Chosen::GRAIN; j++) {
                const bool keep = found.keeps(row * Chosen::GRAIN + j);
                if constexpr (BY_WARP) {
                    if (keep) leave_one(at, tile, item, grains[row], j);
                    else if (FULL || item + j < count) leave_one(other_at, tile, item, grains[row], j);
                } else {
                    // One store for either destination: each element advances one of the two addresses, so their sum
                    // gives one from the other.
                    SharedPlace to = keep ? at : both + j * (u32)sizeof(Stored) - at;
                    if (FULL || keep || item + j < count) leave_one(to, tile, item, grains[row], j);
                    if (keep) at += sizeof(Stored);
                }
            }
        }
    }
    static __device__ __forceinline__ void leave_one(SharedPlace& at, u64 tile, u32 item, const typename Chosen::Grain& words, u32 j) {
        if constexpr (INDEX_BYTES == 0) {
            Chosen::leave(at, words, j);
        } else {
            *(Stored*)at_shared_place(at) = (Stored)(tile * TILE + item + j);
            at += sizeof(Stored);
        }
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u32 slot = k % STAGES, count = tile_count(p.n, tile), begin = warp_index() * Chosen::SHARE;
        const typename Chosen::Found found = this->found(k);
        const typename Chosen::Places places = Chosen::places(found.own);
        // Two contiguous runs: the `number` selected ones of the `all` elements of the tile from index `from` on, and
        // the rejected ones. `kept_from` selected elements of the tile precede them.
        const u32 kept_before = shared.before_warp[slot][warp_index()];
        const u32 from = BY_WARP ? begin : 0, kept_from = BY_WARP ? kept_before : 0;
        const u32 number = BY_WARP ? places.number : shared.number[slot], all = BY_WARP ? existing<false>(begin, Chosen::SHARE, count) : count;
        const u64 before = (u64)shared.before_tile[slot].number + kept_from, before_others = tile * TILE + from - before;
        Stored* const to = (Stored*)p.output + before;
        Stored* const others_to = (Stored*)p.others + before_others;

        // Both runs begin at their destination's address modulo 16, the rejected elements after the selected ones.
        unsigned char* const buffer = results(k);
        const u32 phase = (u64)to % PHASE, others_phase = (u64)others_to % PHASE;
        unsigned char* const others_buffer = buffer + (phase + number * (u32)sizeof(Stored) + PHASE - 1) / PHASE * PHASE;
        typename Chosen::Grain grains[Chosen::GRAINS];
        if constexpr (INDEX_BYTES == 0) {
#pragma unroll
            for (u32 row = 0; row < Chosen::GRAINS; row++) Chosen::load(staged(k), row, grains[row]);
        }
        if constexpr (!BUFFERED) meet();
        const u32 own = kept_before - kept_from;  // number of the run's selected elements before the warp's
        const SharedPlace kept = shared_place(buffer + phase) + own * (u32)sizeof(Stored);
        const SharedPlace others = shared_place(others_buffer + others_phase) + (begin - from - own) * (u32)sizeof(Stored);
        if (count == TILE) leave<true>(tile, count, found, places, grains, kept, others);
        else leave<false>(tile, count, found, places, grains, kept, others);
        meet();
        store_in_phase<LANES>(to, buffer, with_room(before, number, p.capacity));
        store_in_phase<LANES>(others_to, others_buffer, with_room(before_others, all - number, p.others_capacity));
        if constexpr (!BUFFERED) meet();
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
