// A stable LSD radix pass by a digit of 8 bits: each key is read once and written once.
//
//   for each tile, in the order of tickets:
//       rank      each key: the number of keys of the same digit before it in its warp, in the warp's counters
//       publish   the tile's count of each digit
//       look back the count of each digit in lower tiles: now the place of each run is known
//       scatter   each key to its slot in shared memory, by digit and rank
//       drain     each digit's run of slots to its place
//
// Ranker warps rank, publish and scatter. Storer warps look back while the rankers scatter, and drain a tile while the
// rankers rank the next one. Values have slots of their own, with the indices of their keys' slots.
//
// A run that begins or ends inside a sector of 32 bytes costs more than its bytes (the L2 cache has to merge the
// sector), and this bounds a pass. So tiles are as large as shared memory allows, and the lanes of a store cover whole
// lines of 32 values of the output.
//
// Unstable ranking: if equal keys are indistinguishable, the first LSD pass of keys alone and the MSD passes rank by
// atomic additions, in any order. Tiles take their places in any order as well, by additions to cursors: none looks
// back. If most keys of a warp have the digit of the key before (sorted or reversed keys, runs), additions to its word
// would be serialised; then one lane adds for each run. If a zero with a sign has been found, every pass is stable, and
// both zeros have the same digits.
//
// Sources: Merrill and Grimshaw, "High Performance and Scalable Radix Sorting", 2011; Adinets and Merrill, "Onesweep", 2022.

#include "block/barrier.cuh"
#include "memory/instructions.cuh"
#include "sort/drain.cuh"
#include "sort/octave_pass.cuh"
#include "sort/rank.cuh"
#include "warp/sum.cuh"

constexpr u32 RANKER_WARPS = RANKERS / WARP, STORER_WARPS = THREADS / WARP - RANKER_WARPS, STORERS = THREADS - RANKERS;
constexpr u32 SORT_TILE = RANKERS * KEYS;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;
// Number of slots for a tile's keys. An unused slot follows those of each digit (padding). Without it a tile with
// equally many keys of many digits, as of regular orders, has its runs at multiples of the number of banks, and the
// keys of a row, one of each of many digits, conflict in few banks.
constexpr u32 SORT_SLOTS = SORT_TILE + DIGITS;
static_assert(KEYS % 2 == 0 && RANKERS >= DIGITS && SORT_SLOTS <= 1 << 15, "two slots of 16 bits in a register");

extern __shared__ __align__(128) unsigned char dynamic_shared[];

struct SortShared {
    u32 masks[RANKER_WARPS][MASK_ROWS * DIGITS];  // for each digit, bit set of the lanes that have it
    u16 counts[RANKER_WARPS][DIGITS];  // number of the warp's keys with each digit; then the slot of the first of them
    // Slot of the first key with each digit, and number of keys with it. Double buffer: one tile is drained while the
    // next one is ranked.
    u32 starts[2][DIGITS], totals[2][DIGITS];
    u64 places[DIGITS];
    u32 sums[DIGITS / WARP];
    // Ring of the block's next four tiles, which are known before they are needed.
    u32 tickets[4];
    SortTile ring[4];
};
constexpr u32 KEY_SLOT_BYTES = (SORT_SLOTS * KEY_BYTES + 127) / 128 * 128;
constexpr u32 SORT_SLOT_BYTES = KEY_SLOT_BYTES + (SORT_SLOTS * VALUE_BYTES + 127) / 128 * 128;
static_assert(SORT_SLOT_BYTES + sizeof(SortShared) <= SORT_SHARED_BYTES);

// Ids of named barriers. COUNTED are two in turns: rankers may have counted the next tile before the storers reach this
// one's.
enum : u32 { RANKERS_MEET = 1, SLOTS_FULL, SLOTS_FREE, DIGITS_MEET, STORERS_MEET, COUNTED };

struct SortPass {
    const SortParams& p;
    const SortStep step;
    SortHeader& header;
    SortShared& shared;
    const u32 tiles;
    const bool zeros;  // whether a zero has a sign

    __device__ __forceinline__ SortPass(const SortParams& p, SortHeader& header, SortShared& shared)
        : p(p), step(header.steps[p.launch]), header(header), shared(shared),
          tiles(step.parts ? header.tiles : (u32)((p.n + SORT_TILE - 1) / SORT_TILE)), zeros(HAS_ZEROS && (header.order & NEGATIVE_ZEROS) != 0) {}

    static __device__ __forceinline__ void* pick(Place place, void* input, void* result, void* scratch) {
        return place == Place::INPUT ? input : place == Place::RESULT ? result : scratch;
    }
    __device__ __forceinline__ KeyBits* keys(Place place) const { return (KeyBits*)pick(place, p.keys, p.keys_out, p.keys_scratch); }
    __device__ __forceinline__ Value* values(Place place) const { return (Value*)pick(place, p.values, p.values_out, p.values_scratch); }
    // Returns where the keys of a tile lie; past the last tile, an empty range.
    __device__ __forceinline__ SortTile tile_at(u32 tile) const {
        if (tile >= tiles) return {0, 0, 0, 0};
        if (step.parts) return ((const SortTile*)p.tiles)[tile];
        const u64 begin = (u64)tile * SORT_TILE;
        return {begin, begin, (u32)min((u64)SORT_TILE, p.n - begin), tile == 0};
    }
    // Stores `ticket`, and the tile whose index it is, as the block's tile number `turn`.
    __device__ __forceinline__ void take(u32 ticket, u32 turn) const {
        shared.tickets[turn % 4] = ticket;
        shared.ring[turn % 4] = tile_at(ticket);
    }
    static __device__ __forceinline__ KeyBits* key_slots() { return (KeyBits*)dynamic_shared; }
    static __device__ __forceinline__ Value* value_slots() { return (Value*)(dynamic_shared + KEY_SLOT_BYTES); }

    // Returns the index in a tile of key `k` of this thread, a ranker.
    static __device__ __forceinline__ u32 at(u32 k) { return warp_index() * (WARP * KEYS) + k * WARP + lane_index(); }

    // Loads the ranker's keys of a tile from the array `from` into `key`. `prepare` replaces those past the end of the
    // tile by padding.
    __device__ __forceinline__ void load(const SortTile& tile, const KeyBits* from, KeyBits (&key)[KEYS]) const {
        const u32 count = tile.count;
        if (count == SORT_TILE) {
            const KeyBits* const mine = from + tile.begin + at(0);
#pragma unroll
            for (u32 k = 0; k < KEYS; k++) key[k] = mine[k * WARP];
        } else {
            const KeyBits* const mine = from + tile.begin;
#pragma unroll
            for (u32 k = 0; k < KEYS; k++) key[k] = at(k) < count ? mine[at(k)] : 0;
        }
    }

    __device__ __forceinline__ void prepare(u32 count, KeyBits (&key)[KEYS]) const {
        if ((SIGNED || MANTISSA_BITS > 0 || DESCENDING) && step.first) {
#pragma unroll
            for (u32 k = 0; k < KEYS; k++) key[k] = in_order(key[k]);
        }
        if (count < SORT_TILE) {
#pragma unroll
            for (u32 k = 0; k < KEYS; k++) key[k] = at(k) < count ? key[k] : (KeyBits)~(KeyBits)0;
        }
    }

    // Sums the ranker warps' counts of each digit: publishes the tile's count, and computes the slot of each warp's
    // first key with the digit. `tile` is the tile's index, `turn` its number among the block's tiles. Called by
    // threads 0 to DIGITS - 1.
    __device__ __forceinline__ void sum_counts(u32 tile, u32 turn) const {
        const u32 digit = threadIdx.x, phase = turn % 2;
        u32 of_lower_warps[RANKER_WARPS], sum = 0;
#pragma unroll
        for (u32 warp = 0; warp < RANKER_WARPS; warp++) {
            of_lower_warps[warp] = sum;
            sum += shared.counts[warp][digit];
        }
        const SortTile& which = shared.ring[turn % 4];
        const u32 exist = digit == digit_at((KeyBits)~(KeyBits)0, step.shift) ? sum - (SORT_TILE - which.count) : sum;
        if (HAS_VALUES || !step.cursors) publish(tile, digit, which.row_and_first & 1 ? DigitStatus::PREFIX : DigitStatus::COUNT, exist);
        shared.totals[phase][digit] = exist;
        const u32 inclusive = warp_inclusive_sum(sum);
        if (lane_index() == WARP - 1) shared.sums[warp_index()] = inclusive;
        barrier_wait(DIGITS_MEET, DIGITS);
        u32 start = inclusive - sum + digit;
#pragma unroll
        for (u32 warp = 0; warp < DIGITS / WARP; warp++) start += warp < warp_index() ? shared.sums[warp] : 0;
        shared.starts[phase][digit] = start;
#pragma unroll
        for (u32 warp = 0; warp < RANKER_WARPS; warp++) shared.counts[warp][digit] = (u16)(start + of_lower_warps[warp]);
    }

    __device__ __forceinline__ void publish(u32 tile, u32 digit, DigitStatus::Code code, StatusWord number) const {
        store_relaxed((StatusWord*)p.status + (u64)tile * DIGITS + digit, DigitStatus::word(code, number, DigitStatus::flip(step.turn)));
    }

    // Scatters this ranker's keys to their slots; each rank in `ranks` becomes the slot.
    template <bool ZEROS>
    __device__ __forceinline__ void scatter(const KeyBits (&key)[KEYS], u32 (&ranks)[KEYS / 2]) const {
        const u16* const firsts = shared.counts[warp_index()];
        u32 shift = step.shift;
        KeyBits* const to = key_slots();
        constexpr u32 AT_ONCE = KEYS % 4 == 0 ? 4 : 2;  // more would spill
#pragma unroll
        for (u32 k = 0; k < KEYS; k += AT_ONCE) {
            u32 slot[AT_ONCE];
#pragma unroll
            for (u32 j = 0; j < AT_ONCE; j++) {
                slot[j] = *(const volatile u16*)(firsts + digit_at<DIGIT_BITS, ZEROS>(key[k + j], shift)) + (ranks[(k + j) / 2] >> j % 2 * 16 & 0xffff);
            }
#pragma unroll
            for (u32 j = 0; j < AT_ONCE; j++) to[slot[j]] = key[k + j];
            // Slots have 15 bits, so what `after` gets is 0.
            if (HAS_VALUES) {
#pragma unroll
                for (u32 j = 0; j < AT_ONCE; j += 2) {
                    ranks[(k + j) / 2] = slot[j] | slot[j + 1] << 16;
                    shift = after(shift, ranks[(k + j) / 2] >> 31);
                }
            } else {
                shift = after(shift, slot[AT_ONCE - 1] >> 16);
            }
        }
    }

    // Loads values FIRST to FIRST + NUMBER - 1 of this thread, a ranker.
    template <u32 FIRST, u32 NUMBER>
    __device__ __forceinline__ void load_values(const SortTile& tile, Value (&value)[NUMBER]) const {
        const u32 count = tile.count;
        const u64 first = tile.begin + at(FIRST);
        if (INDICES && step.first) {
            const u64 position = (INDICES == IN_SEGMENT ? tile.at : tile.begin) + at(FIRST);
#pragma unroll
            for (u32 k = 0; k < NUMBER; k++) value[k] = (Value)(position + k * WARP);
            return;
        }
        const Value* const mine = values(step.from) + first;
        if (count == SORT_TILE) {
#pragma unroll
            for (u32 k = 0; k < NUMBER; k++) value[k] = mine[k * WARP];
        } else {
#pragma unroll
            for (u32 k = 0; k < NUMBER; k++) value[k] = at(FIRST + k) < count ? mine[k * WARP] : (Value)0;
        }
    }

    template <u32 FIRST, u32 NUMBER>
    __device__ __forceinline__ void put_values(const Value (&value)[NUMBER], const u32 (&ranks)[KEYS / 2]) const {
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) value_slots()[ranks[(FIRST + k) / 2] >> (FIRST + k) % 2 * 16 & 0xffff] = value[k];
    }

    __device__ __forceinline__ void run_rankers() const {
        const KeyBits* const from = keys(step.from);
        KeyBits key[KEYS];
        u32 tile = shared.tickets[0];
        if (tile < tiles) {
            load(shared.ring[0], from, key);
        }
        for (u32 k = 0; tile < tiles; k++) {
            const u32 next = shared.tickets[(k + 1) % 4];
            u32 ticket = 0;
            if (threadIdx.x == RANKERS - 1) ticket = atomicAdd(&header.tickets[p.launch], 1u);
            u32 ranks[KEYS / 2];
            const u32 count = shared.ring[k % 4].count;
            prepare(count, key);
            // Padding keys must stay after the others, so an incomplete tile is ranked stably.
            u16* const counts = shared.counts[warp_index()];
            u32* const masks = shared.masks[warp_index()];
            if (zeros) warp_rank<DIGIT_BITS, MASK_ROWS, HAS_ZEROS>(key, step.shift, masks, counts, ranks);
            else if (HAS_VALUES || !step.loose || count < SORT_TILE) warp_rank(key, step.shift, masks, counts, ranks);
            else if (has_runs(digit_at(key[0], step.shift))) warp_rank_runs_in_any_order(key, step.shift, counts, ranks);
            else warp_rank_in_any_order(key, step.shift, counts, ranks);
            barrier_wait(RANKERS_MEET, RANKERS);
            if (threadIdx.x < DIGITS) sum_counts(tile, k);
            if (threadIdx.x == RANKERS - 1) take(ticket, k + 2);
            barrier_wait(RANKERS_MEET, RANKERS);
            barrier_arrive(COUNTED + k % 2, THREADS);
            // Half of the values at a time: all of them would spill.
            constexpr u32 HALF = KEYS / 2, REST = KEYS - HALF;
            Value low[HALF];
            if (HAS_VALUES) load_values<0>(shared.ring[k % 4], low);
            if (k > 0) barrier_wait(SLOTS_FREE, THREADS);
            if (zeros) scatter<HAS_ZEROS>(key, ranks);
            else scatter<false>(key, ranks);
            __syncwarp();
            for (u32 digit = lane_index(); digit < DIGITS; digit += WARP) shared.counts[warp_index()][digit] = 0;
            if (HAS_VALUES) {
                Value high[REST];
                load_values<HALF>(shared.ring[k % 4], high);
                put_values<0>(low, ranks);
                put_values<HALF>(high, ranks);
            }
            barrier_arrive(SLOTS_FULL, THREADS);
            if (next < tiles) load(shared.ring[(k + 1) % 4], from, key);
            tile = next;
        }
    }

    // Returns the number of keys with digit `digit` in lower tiles, by a look-back; 0 for the first tile (`first`).
    __device__ __forceinline__ StatusWord look_back(u32 tile, u32 digit, bool first) const {
        const StatusWord flip = DigitStatus::flip(step.turn);
        StatusWord sum = 0;
        i64 at = (i64)tile - 1;
        for (bool found = first; !found;) {
            constexpr u32 WINDOW = 8;
            StatusWord word[WINDOW];
#pragma unroll
            for (u32 j = 0; j < WINDOW; j++) {
                if (at >= (i64)j) load_relaxed((const StatusWord*)p.status + (u64)(at - j) * DIGITS + digit, word[j]);
            }
            const i64 highest = at;
#pragma unroll
            for (u32 j = 0; j < WINDOW; j++) {
                // Stops at an EMPTY word, or at a prefix. The first tile has a prefix.
                if (found || at != highest - j) continue;
                const u32 code = (u32)((word[j] ^ flip) >> DigitStatus::CODE_AT);
                if (code == DigitStatus::EMPTY) continue;
                sum += (word[j] ^ flip) & DigitStatus::NUMBER;
                found = code == DigitStatus::PREFIX;
                at--;
            }
            if (!found && at == highest) __nanosleep(SORT_POLL_NANOSECONDS);
        }
        return sum;
    }

    __device__ __forceinline__ void run_storers() const {
        u32 tile = shared.tickets[0];
        for (u32 k = 0; tile < tiles; k++) {
            barrier_wait(COUNTED + k % 2, THREADS);
            const u32 phase = k % 2, next = shared.tickets[(k + 1) % 4];
            for (u32 digit = threadIdx.x - RANKERS; digit < DIGITS; digit += STORERS) {
                const u32 row_and_first = shared.ring[k % 4].row_and_first;
                const u64 of_all = step.bases[(u64)(row_and_first / 2) * step.stride + ((u64)digit << step.spread)];
                StatusWord lower;
                if (!HAS_VALUES && step.cursors) {
                    lower = atomicAdd((StatusWord*)step.cursors + (u64)(row_and_first / 2) * DIGITS + digit, (StatusWord)shared.totals[phase][digit]);
                } else {
                    lower = look_back(tile, digit, row_and_first & 1);
                    if (!(row_and_first & 1)) publish(tile, digit, DigitStatus::PREFIX, lower + shared.totals[phase][digit]);
                }
                shared.places[digit] = of_all + lower;
            }
            barrier_wait(STORERS_MEET, STORERS);
            barrier_wait(SLOTS_FULL, THREADS);
            const TileRuns runs = {shared.starts[phase], shared.totals[phase], shared.places};
            const u32 warp = warp_index() - RANKER_WARPS;
            if (KEYS_OUT || !step.last) {
                if (step.last && (SIGNED || MANTISSA_BITS > 0 || DESCENDING)) drain<STORER_WARPS>(runs, key_slots(), keys(step.to), warp, out_of_order);
                else drain<STORER_WARPS>(runs, key_slots(), keys(step.to), warp, [](KeyBits key) { return key; });
            }
            if (HAS_VALUES) drain<STORER_WARPS>(runs, value_slots(), values(step.to), warp, [](Value value) { return value; });
            if (next < tiles) barrier_arrive(SLOTS_FREE, THREADS);
            barrier_wait(STORERS_MEET, STORERS);  // before the places change
            tile = next;
        }
    }

    template <class V>
    __device__ __forceinline__ void copy(V* to, const V* from) const {
        constexpr u32 VECTOR = 16 / sizeof(V);
        const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, threads = (u64)gridDim.x * THREADS;
        const bool aligned = ((u64)to | (u64)from) % 16 == 0;
        const u64 vectors = aligned ? p.n / VECTOR : 0;
        for (u64 i = first; i < vectors; i += threads) ((uint4*)to)[i] = ((const uint4*)from)[i];
        for (u64 i = vectors * VECTOR + first; i < p.n; i += threads) to[i] = from[i];
    }

    // Stores the keys in reverse order, from the last to the first.
    __device__ __forceinline__ void run_reversal() const {
        const KeyBits* const from = keys(step.from);
        KeyBits* const to = keys(step.to);
        constexpr u32 VECTOR = 16 / KEY_BYTES;
        struct alignas(16) Vector { KeyBits at[VECTOR]; } vector;
        const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, threads = (u64)gridDim.x * THREADS;
        const u64 vectors = (u64)to % 16 == 0 ? p.n / VECTOR : 0;
        for (u64 v = first; v < vectors; v += threads) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) vector.at[j] = from[p.n - 1 - (v * VECTOR + j)];
            ((Vector*)to)[v] = vector;
        }
        for (u64 i = vectors * VECTOR + first; i < p.n; i += threads) to[i] = from[p.n - 1 - i];
    }

    __device__ __forceinline__ void run_copy() const {
        if (KEYS_OUT) copy(keys(step.to), keys(step.from));
        if (!HAS_VALUES) return;
        if (!INDICES) return copy(values(step.to), values(step.from));
        const u64 threads = (u64)gridDim.x * THREADS;
        for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < p.n; i += threads) values(step.to)[i] = (Value)i;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) upsweep_sort(const __grid_constant__ SortParams p) {
    SortHeader& header = *(SortHeader*)p.header;
    SortShared& shared = *(SortShared*)(dynamic_shared + SORT_SLOT_BYTES);
    wait_for_kernel_before();
    const SortPass pass(p, header, shared);
    if (pass.step.deed == Deed::NOTHING) return;
    if (pass.step.deed == Deed::COPY) return pass.run_copy();
    if (!HAS_VALUES && pass.step.deed == Deed::FILL) return fill_few(p, header, pass.step, pass.keys(pass.step.to));
    if (!HAS_VALUES && pass.step.deed == Deed::REVERSE) return pass.run_reversal();
    if (BY_OCTAVES && pass.step.deed == Deed::COUNT_OCTAVES) return count_octaves(p, header, pass.step, pass.keys(pass.step.from));
    if (BY_OCTAVES && pass.step.deed == Deed::BY_OCTAVES) return put_by_octaves(p, pass.step, pass.keys(pass.step.from), pass.keys(pass.step.to));
    if (threadIdx.x == 0) {
        // Sequential draws: a block's tiles ascend, so that it never waits for one of its own.
        for (u32 turn = 0; turn < 2; turn++) pass.take(atomicAdd(&header.tickets[p.launch], 1u), turn);
    }
    for (u32 i = threadIdx.x; i < RANKER_WARPS * MASK_ROWS * DIGITS; i += THREADS) shared.masks[0][i] = 0;
    for (u32 i = threadIdx.x; i < RANKER_WARPS * DIGITS; i += THREADS) shared.counts[0][i] = 0;
    __syncthreads();
    if (warp_index() < RANKER_WARPS) pass.run_rankers();
    else pass.run_storers();
}
