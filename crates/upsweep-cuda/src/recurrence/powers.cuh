// Powers of the transition of few states, by distance: each lane advances states over its own number of lanes, of
// tiles, or of groups of tiles.

#pragma once

#include "recurrence/matrices.cuh"

constexpr u32 WARP_LEVEL = log2_of(WARP), TILE_LEVEL = WARP_LEVEL + log2_of(WARPS), GROUP_LEVEL = TILE_LEVEL + log2_of(GROUP);

struct Powers {
    static constexpr u32 LANES = 0, TILES = 1, GROUPS_OF_TILES = 2, UNITS = 3;
    T at[UNITS][MATRIX][WARP];

    // `level_of`: level of the power A^(ITEMS 2^level) that advances states over one unit: a lane, a tile or a group of
    // tiles. `bits_of`: number of bits of a distance in that unit, at most WARP_LEVEL of which have powers.
    static __device__ constexpr u32 level_of(u32 unit) { return unit == LANES ? 0 : unit == TILES ? TILE_LEVEL : GROUP_LEVEL; }
    static __device__ constexpr u32 bits_of(u32 unit) { return unit == GROUPS_OF_TILES ? log2_of(GROUPS) + 1 : WARP_LEVEL; }

    // Fills the table column by column, from unit vectors. Called by all compute warps.
    __device__ __forceinline__ void fill() {
        for (u32 column = warp_index(); column < UNITS * ORDER; column += WARPS) {
            const u32 unit = column / ORDER, j = column % ORDER;
            States states;
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) states.z[i] = i == j ? 1 : 0;
            states = apply_times(level_of(unit), min(bits_of(unit), WARP_LEVEL), lane_index(), states);
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) at[unit][i * ORDER + j][lane_index()] = states.z[i];
        }
    }

    // Returns the states x advanced over `distance` units (LANES, TILES or GROUPS_OF_TILES), plus c.
    __device__ __forceinline__ States times(u32 unit, u32 distance, const States& x, const States& c) const {
        States r = c;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) {
#pragma unroll
            for (u32 j = 0; j < ORDER; j++) r.z[i] = add_term(at[unit][i * ORDER + j][distance], x.z[j], r.z[i]);
        }
        return r;
    }
};
