// Where the elements of a tile lie in the array.
//
// A tile has the next elements of the array. But where each line of a float scan along the last axis has a tree of its own
// (upsweep-core/src/tree.rs), it begins with a row of a tile (the elements of a thread), a group or a tile: LINED. What is
// left behind it is empty. How many lines a tile has is the plan's: upsweep-plan/src/line_tiles.rs.

#pragma once

#include "tile/geometry.cuh"
#include "tile/state.cuh"

constexpr bool LINED = HEADS == Heads::LINES;
static_assert(!LINED || TREE, "other operators have no tree");

// Returns where those elements lie that have the places from `offset` on, at most `most` of them, of a row of a tile with
// `count` elements in all.
__device__ __forceinline__ Extent extent(const ScanParams& p, u32 offset, u32 most, u32 count) {
    u32 at = offset, there = count;
    if (LINED && p.stretches > 0) {
        const u32 row = offset / ITEMS, unit = row * (u32)p.unit_inverse >> 16, in_unit = row - unit * (u32)p.unit_rows;
        const u32 stretch = in_unit * (u32)p.stretch_inverse >> 16;
        const u32 begin = (unit * (u32)p.of_unit + stretch) * (u32)p.stretch;
        at = begin + (in_unit - stretch * (u32)p.stretch_rows) * ITEMS + offset % ITEMS;
        there = stretch < (u32)p.of_unit ? min(begin + (u32)p.stretch, count) : 0;
    }
    return Extent{at, existing<false>(at, most, there)};
}

// Returns the number of tiles.
__device__ __forceinline__ u64 tile_number(const ScanParams& p) { return LINED ? p.tiles : tile_number(p.n); }

// Returns the line that tile `t` belongs to, if lines have several. `tiles_inverse` is (2^32 - 1) / tiles_of_line, rounded
// down: the product's upper half is the quotient or one less.
__device__ __forceinline__ u32 line_of_tile(const ScanParams& p, u32 t) {
    const u32 line = __umulhi(t, (u32)p.tiles_inverse);
    return line + (t - line * (u32)p.tiles_of_line >= (u32)p.tiles_of_line);
}

// The logical index of a tile's first element, and the number of its elements.
struct TilePlace {
    u64 begin;
    u32 count;
};
__device__ __forceinline__ TilePlace tile_place(const ScanParams& p, u64 t) {
    if constexpr (!LINED) return TilePlace{t * TILE, tile_count(p.n, t)};
    if (p.stretches > 0) {
        const u32 room = (u32)p.stretches * (u32)p.stretch;
        const u64 begin = t * room;
        return TilePlace{begin, (u32)min(p.n - begin, (u64)room)};
    }
    const u32 line = line_of_tile(p, (u32)t), within = (u32)t - line * (u32)p.tiles_of_line;
    return TilePlace{line * p.stretch + (u64)within * TILE, tile_count(p.stretch, within)};
}

// Moves a tile's begin and number of elements so that the places of this thread's elements count from them. Returns the
// number of the thread's elements.
__device__ __forceinline__ u32 own_place(const ScanParams& p, u64& begin, u32& count) {
    const u32 offset = threadIdx.x * ITEMS;
    const Extent own = extent(p, offset, ITEMS, count);
    begin += (i64)own.at - (i64)offset;
    count = offset + own.count;
    return own.count;
}
