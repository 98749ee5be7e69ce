// States of a linear recurrence between threads, warps and tiles: of whatever lies between two places only its length matters.
//
//   states after m elements  =  A^m states before  +  what the elements make of no states
//
// A^(ITEMS 2^l) is known for each level l. Warps, tiles and groups of tiles have ITEMS times a power of two elements each, so a
// scan of any of them goes up by these levels.
//
//   level   0 .. 4              so many threads
//           WARP_LEVEL ..       so many warps
//           TILE_LEVEL ..       so many tiles
//           GROUP_LEVEL ..      so many groups of tiles, up to GROUPS
//
// What differs from lookback.cuh: states must be taken from where they are to where they are needed, so values are combined at even
// distances, from the last one back. The prefix of a group waits for one product alone once the prefix GROUPS before is there: on
// that chain all tiles depend.
//
// The states travel in a basis (BASIS) in which the square of a state is the energy of the results that it alone leads to, so
// that powers of a stable recurrence make nothing larger. In the states themselves they are small differences of large terms.
//
// Powers of an unstable recurrence may be infinite, and those of one without feedback are mostly 0. CAREFUL: such a factor, or
// a state of 0, contributes nothing, whatever the other one is.

#pragma once

#include "tile/heads.cuh"
#include "tile/lookback.cuh"
#include "tile/states.cuh"

__device__ constexpr u32 log2_of(u32 x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }
constexpr u32 WARP_LEVEL = log2_of(WARP), TILE_LEVEL = WARP_LEVEL + log2_of(WARPS), GROUP_LEVEL = TILE_LEVEL + log2_of(GROUP);
static_assert(1 << log2_of(WARPS) == WARPS && 1 << log2_of(GROUPS) == GROUPS, "levels are powers of two");
static_assert(GROUP_LEVEL + log2_of(GROUPS) < LEVELS, "the powers that the look-back takes");

// Behind the coefficients lie the matrices into the basis and back, which are upper triangles unless there are sections, and the
// powers, row by row. A kernel has them in shared memory, behind its tiles: warps go through all of them, which are more than a
// cache of constants holds.
constexpr u32 MATRIX = ORDER * ORDER, INTO = 0, BACK = 1, POWERS = BASIS ? 2 : 0, MATRICES = POWERS + LEVELS;
struct alignas(16) Matrix {
    T at[MATRIX];
};
__device__ __forceinline__ Matrix* matrices() { return (Matrix*)(dynamic_shared + STAGES * Input::TILE_BYTES); }

// Code for one level after the other is as fast where states are few, and too long for the caches where they are many.
constexpr bool FEW_STATES = ORDER <= 4;
constexpr u32 LEVELS_AT_ONCE = FEW_STATES ? WARP_LEVEL : 1, MATRIX_ROWS = FEW_STATES ? ROWS : 1;

// By all compute warps.
__device__ __forceinline__ void fill_matrices() {
    for (u32 i = threadIdx.x; i < MATRICES * MATRIX; i += THREADS) matrices()[i / MATRIX].at[i % MATRIX] = given_number(COEFFICIENTS + i);
}

// c and a term, which is nothing where a factor is 0.
__device__ __forceinline__ T add_term(T a, T x, T c) {
    const T with = multiply_add(a, x, c);
    return CAREFUL && (a == 0 || x == 0) ? c : with;
}

// The matrix, or its upper triangle, times x, and c.
template <bool TRIANGLE>
__device__ __forceinline__ States product(const Matrix& matrix, const States& x, const States& c) {
    States r = c;
#pragma unroll
    for (u32 i = 0; i < ORDER; i++) {
#pragma unroll
        for (u32 j = TRIANGLE ? i : 0; j < ORDER; j++) r.z[i] = add_term(matrix.at[i * ORDER + j], x.z[j], r.z[i]);
    }
    return r;
}
__device__ __forceinline__ States into_basis(const States& x) { return BASIS ? product<SECTIONS == 0>(matrices()[INTO], x, States::none()) : x; }
__device__ __forceinline__ States back_from_basis(const States& x) { return BASIS ? product<SECTIONS == 0>(matrices()[BACK], x, States::none()) : x; }

// A^(ITEMS 2^level) x + c.
__device__ __forceinline__ States apply(u32 level, const States& x, const States& c) { return product<false>(matrices()[POWERS + level], x, c); }

// What a tile, or a warp, tells others: the states that its elements since the last head leave, and whether it has a head.
template <bool HEADED>
struct CarriedOf {
    States states;
    u32 heads;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool heads) { return CarriedOf{states, heads}; }
    __device__ __forceinline__ bool headed() const { return heads; }
};
template <>
struct CarriedOf<false> {
    States states;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool) { return CarriedOf{states}; }
    __device__ __forceinline__ bool headed() const { return false; }
};
using Carried = CarriedOf<SEGMENTED>;
static_assert(sizeof(Carried) == CARRIED_BYTES, "the host sizes the workspace by it");

// Of two neighbours, the second of which is as long as the power at `level`.
__device__ __forceinline__ Carried join(u32 level, const Carried& a, const Carried& b) {
    return Carried::of(b.headed() ? b.states : apply(level, a.states, b.states), a.headed() || b.headed());
}

// The total of 2^level warps, as the publisher reduces them.
struct WarpTotal {
    Carried carried;
    u32 level;
    __device__ __forceinline__ operator Carried() const { return carried; }
};
struct WarpTotals {
    const Carried* totals;
    __device__ __forceinline__ WarpTotal operator[](u32 warp) const { return WarpTotal{totals[warp], 0}; }
};
__device__ __forceinline__ WarpTotal combine(const WarpTotal& a, const WarpTotal& b) {
    return WarpTotal{join(WARP_LEVEL + a.level, a.carried, b.carried), a.level + 1};
}

// Each of the first 2^STEPS lanes, or in the last one the last so many, gets what it and the lanes below leave together; each lane
// has as many elements as the power at `level`.
template <u32 STEPS>
__device__ __forceinline__ Carried scan_carried(u32 level, Carried carried) {
#pragma unroll LEVELS_AT_ONCE
    for (u32 step = 0; step < STEPS; step++) {
        const Carried lower = shuffle_up(carried, 1 << step);
        const Carried with = join(level + step, lower, carried);
        if (lane_index() >= 1 << step) carried = with;
    }
    return carried;
}

// Of the `count` entries from `first` on, at distances of `spread`, the last one in the last lane; other lanes have nothing.
__device__ __forceinline__ Carried wait_for_last(const Chain<Carried>& chain, u64 first, u64 spread, u32 count) {
    const u32 lane = lane_index(), none = WARP - count;
    Carried found = Carried::of(States::none(), false);
    if (lane >= none) found = Chain<Carried>::Entry::wait(chain.space, first + spread * (lane - none), chain.epoch);
    __syncwarp();
    return found;
}

// What the elements before tile `t` leave, which is not tile 0, for every lane of a warp.
__device__ __forceinline__ States look_back(const Chain<Carried>& chain, u64 t) {
    using Entry = Chain<Carried>::Entry;
    const u64 group = t / GROUP, first = group < GROUPS ? 0 : group - GROUPS;
    const u32 lane = lane_index(), in_group = t % GROUP;

    // The tiles of this group; its last tile publishes the group.
    Carried near = wait_for_last(chain, chain.first_entry + group * GROUP, 1, in_group);
    if (in_group == GROUP - 1 && t + 1 < chain.tiles) {
        const Carried before = shuffle(scan_carried<log2_of(GROUP)>(TILE_LEVEL, near), WARP - 1);
        const Carried all = join(TILE_LEVEL, before, Entry::wait(chain.space, chain.first_entry + t, chain.epoch));
        if (lane == 0) Entry::put(chain.space, chain.group_entry(group), all, chain.epoch);
    }

    // The groups before it, and the prefix before them.
    States prefix = States::none();
    if (group > 0) {
        const Carried far = wait_for_last(chain, chain.group_entry(first), 2 * SPREAD, (u32)(group - first));
        const Carried of_groups = shuffle(scan_carried<log2_of(GROUPS)>(GROUP_LEVEL, far), WARP - 1);
        prefix = of_groups.states;
        if (first > 0) {
            const Carried base = Entry::wait(chain.space, chain.prefix_entry(first), chain.epoch);
            prefix = join(GROUP_LEVEL + log2_of(GROUPS), base, of_groups).states;
        }
        if (in_group == 0 && lane == 0 && (group + GROUPS) * GROUP < chain.tiles) {
            Entry::put(chain.space, chain.prefix_entry(group), Carried::of(prefix, false), chain.epoch);
        }
    }
    if (in_group == 0) return prefix;

    // The prefix comes before the tiles of the group.
    if (lane == WARP - 1 - in_group) near = Carried::of(prefix, false);
    return shuffle(scan_carried<log2_of(GROUP)>(TILE_LEVEL, near), WARP - 1).states;
}
