// Pyramid (mipmaps): levels of an image, each of which has a value for 2 x 2 values of the level before.
//
//   for l = 1 .. levels:                                  in parallel for all pixels (x, y) of level l and all channels:
//       level[l][y, x] = f(level[l-1][2y, 2x], level[l-1][2y, 2x+1], level[l-1][2y+1, 2x], level[l-1][2y+1, 2x+1])
//
// (Williams, "Pyramidal Parametrics", 1983.) If level l-1 has one row or column, it stands for both.
//
// A block has a tile of the image, with one part for each level, and makes at most TILE_LEVELS levels of it; further
// launches make further ones. In a tile whose pixels all exist, with rows that go by vectors, a thread has a patch with
// all channels:
//       load     the patch, all of it before the first use
//       halve    the patch, PATCH_LEVELS times, in registers; and store each level
//       leave    the last of these levels in shared memory
// In any other tile a thread makes values of level 1, VALUES_AT_ONCE at once, and leaves these there; images whose
// pixels are large have such tiles alone, of BLOCK_CHANNELS channels. From there the block halves and stores, level by
// level, a thread for each value.
//
// Sizes and positions in the image have 64 bits, those in a tile 32. One thread computes the tile's place in each level
// for all, which saves the others registers and multiplications. Only pixels that exist are computed.
//
// Memory ordering. No thread reads global memory that the launch stores. The tile is written before the first barrier,
// and read after it. Levels in shared memory alternate between two places (double buffer): one is written before a
// barrier and read after it, and written again after the next one.

#pragma once

#include "memory/access.cuh"
#include "word/value.cuh"

constexpr u32 PATCH_LEVELS = PATCH_ROWS == 4 ? 2 : 1;
// Returns the number of values of a level of the tile.
__device__ constexpr u32 tile_values(u32 level) { return (TILE_WIDTH >> level) * (TILE_ROWS >> level) * BLOCK_CHANNELS; }
__device__ __forceinline__ u64 pixel_channels(const PyramidParams& p) { return WHOLE_PIXELS ? BLOCK_CHANNELS : p.channels; }

// Values of a thread's patch (a rectangle of a tile) in level LEVEL, with all channels.
template <u32 LEVEL>
struct Patch {
    static constexpr u32 ROWS = PATCH_ROWS >> LEVEL, WIDTH = PATCH_WIDTH >> LEVEL, ROW = WIDTH * BLOCK_CHANNELS;
    static constexpr u32 BYTES = ROW * sizeof(Out), ACCESS = access_width(BYTES), PARTS = BYTES / ACCESS;
    using Part = typename Access<ACCESS>::type;
    Out rows[ROWS][ROW];
};
// Returns the width, in bytes, of an access to a row of a patch in level `level`, if rows go by vectors: the alignment
// that the rows need. 1 for a level without patches.
__device__ __forceinline__ u32 patch_access(u32 level) {
    return level == 0 ? Patch<0>::ACCESS : level == 1 ? Patch<1>::ACCESS : level == PATCH_LEVELS ? Patch<PATCH_LEVELS>::ACCESS : 1;
}

// A block's part of a level: its address, and the number of its columns and rows that exist.
struct LevelPart {
    Out* first;
    u64 row;  // stride of the level's rows, in elements
    u32 columns, rows;
    bool aligned;

    // Returns the address of pixel (x, y) of the part.
    __device__ __forceinline__ Out* at(const PyramidParams& p, u32 y, u32 x) const { return first + (y * row + x * pixel_channels(p)); }
};

// A block's tile of the image, with its part of each level. The part of level 0, from which the launch begins, is in
// the stored level, or in the input, if that level is not stored.
struct PyramidTile {
    LevelPart levels[TILE_LEVELS + 1];
    const Out* input;
    u32 channel;  // the tile's first channel
};

// Returns the quotient of `n` by `by`, and in `left` the remainder. `reciprocal` is 2^32 / by, rounded down (of 1, 2^32
// - 1): the product is at most 1 too small.
__device__ __forceinline__ u32 divided(u32 n, u64 by, u64 reciprocal, u32& left) {
    u32 quotient = (u32)((u64)n * (u32)reciprocal >> 32);
    left = n - quotient * (u32)by;
    if (left >= (u32)by) quotient++, left -= (u32)by;
    return quotient;
}

// Computes the part of the block's tile in one level. Called by one thread for each level.
__device__ __forceinline__ void find_tile(const PyramidParams& p, u32 level, PyramidTile& tile) {
    // Order of tiles: along the rows, then down the columns, then the next plane.
    u32 block = blockIdx.x, across, down, channel = 0;
    if constexpr (!WHOLE_PIXELS) {
        const u32 parts = (u32)((p.channels + BLOCK_CHANNELS - 1) / BLOCK_CHANNELS);
        channel = block % parts * BLOCK_CHANNELS, block /= parts;
    }
    block = divided(block, p.tiles_across, p.across_reciprocal, across);
    const u64 plane = p.first_plane + divided(block, p.tiles_down, p.down_reciprocal, down);
    const u64 width = max(p.width >> level, (u64)1), height = max(p.height >> level, (u64)1);
    const u32 tile_width = TILE_WIDTH >> level, tile_rows = TILE_ROWS >> level;
    const u64 x = (u64)across * tile_width, y = (u64)down * tile_rows;
    Out* const levels[] = {p.level_0, p.level_1, p.level_2, p.level_3, p.level_4, p.level_5, p.level_6};
    Out* start = levels[0];
#pragma unroll
    for (u32 i = 1; i <= TILE_LEVELS; i++) start = level == i ? levels[i] : start;
    LevelPart& part = tile.levels[level];
    part.row = width * pixel_channels(p);
    const u64 first = (plane * height + y) * part.row + x * pixel_channels(p) + channel;
    part.first = start + first;
    part.columns = (u32)min(width - min(x, width), (u64)tile_width), part.rows = (u32)min(height - min(y, height), (u64)tile_rows);
    part.aligned = ((u64)start | part.row * sizeof(Out)) % patch_access(level) == 0;
    if (level == 0) {
        part.aligned = part.aligned && (u64)p.input % patch_access(0) == 0 && part.columns == TILE_WIDTH && part.rows == TILE_ROWS;
        tile.input = p.input + first, tile.channel = channel;
    }
}

// Returns the job's function of 2 x 2 values of a level: they are the fields of its argument, an `In`.
__device__ __forceinline__ Out combined(const Out& upper_left, const Out& upper_right, const Out& lower_left, const Out& lower_right) {
    const Out values[] = {upper_left, upper_right, lower_left, lower_right};
    In four;
    memcpy(&four, values, sizeof(four));
    return result(map(four, 0, 0));
}

// Stores the values of a patch in level LEVEL. It is in column `across` and row `down` of the tile's patches.
template <u32 LEVEL>
__device__ __forceinline__ void store_patch(const PyramidParams& p, const PyramidTile& tile, u32 across, u32 down, Patch<LEVEL>& patch) {
    using Patch = Patch<LEVEL>;
    const u64 to_next = tile.levels[LEVEL].row;
    Out* row = tile.levels[LEVEL].at(p, down * Patch::ROWS, across * Patch::WIDTH);
#pragma unroll
    for (u32 y = 0; y < Patch::ROWS; y++, row += to_next) {
        typename Patch::Part parts[Patch::PARTS];
#pragma unroll
        for (u32 i = 0; i < Patch::ROW; i++) arith::clear_padding(&patch.rows[y][i]);
        memcpy(parts, patch.rows[y], Patch::BYTES);
#pragma unroll
        for (u32 i = 0; i < Patch::PARTS; i++) ((typename Patch::Part*)row)[i] = parts[i];
    }
}

// Makes and stores the levels of a patch from LEVEL on, from its level before, `above`; the last one also goes to
// shared memory.
template <u32 LEVEL>
__device__ __forceinline__ void halve_patch(
    const PyramidParams& p, const PyramidTile& tile, u32 across, u32 down, const Patch<LEVEL - 1>& above, Out* shared) {
    if (p.levels < LEVEL) return;
    Patch<LEVEL> patch;
#pragma unroll
    for (u32 y = 0; y < Patch<LEVEL>::ROWS; y++) {
#pragma unroll
        for (u32 i = 0; i < Patch<LEVEL>::ROW; i++) {
            const u32 left = i / BLOCK_CHANNELS * 2 * BLOCK_CHANNELS + i % BLOCK_CHANNELS, right = left + BLOCK_CHANNELS;
            const auto &upper = above.rows[2 * y], &lower = above.rows[2 * y + 1];
            patch.rows[y][i] = combined(upper[left], upper[right], lower[left], lower[right]);
        }
    }
    store_patch<LEVEL>(p, tile, across, down, patch);
    if constexpr (LEVEL < PATCH_LEVELS) {
        halve_patch<LEVEL + 1>(p, tile, across, down, patch, shared);
    } else if constexpr (LEVEL < TILE_LEVELS) {
#pragma unroll
        for (u32 y = 0; y < Patch<LEVEL>::ROWS; y++) {
            Out* const row = shared + ((down * Patch<LEVEL>::ROWS + y) * (TILE_WIDTH >> LEVEL) + across * Patch<LEVEL>::WIDTH) * BLOCK_CHANNELS;
#pragma unroll
            for (u32 i = 0; i < Patch<LEVEL>::ROW; i++) row[i] = patch.rows[y][i];
        }
    }
}

// Makes the first PATCH_LEVELS levels of a tile whose pixels all exist and go by vectors, patch by patch.
__device__ __forceinline__ void halve_patches(const PyramidParams& p, const PyramidTile& tile, Out* shared) {
    using Patch = Patch<0>;
    constexpr u32 ACROSS = TILE_WIDTH / PATCH_WIDTH, PATCHES = ACROSS * (TILE_ROWS / PATCH_ROWS);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < PATCHES; i += THREADS) {
        const u32 across = i % ACROSS, down = i / ACROSS;
        const u64 to_next = tile.levels[0].row;
        const Out* row = tile.input + (down * PATCH_ROWS * to_next + across * Patch::ROW);
        typename Patch::Part parts[Patch::ROWS][Patch::PARTS];
#pragma unroll
        for (u32 y = 0; y < Patch::ROWS; y++, row += to_next) {
#pragma unroll
            for (u32 k = 0; k < Patch::PARTS; k++) parts[y][k] = ((const typename Patch::Part*)row)[k];
        }
        Patch patch;
        memcpy(&patch, parts, sizeof(patch));
        if constexpr (WITH_INPUT) {
#pragma unroll
            for (u32 y = 0; y < Patch::ROWS; y++) {
#pragma unroll
                for (u32 k = 0; k < Patch::ROW; k++) patch.rows[y][k] = canonical(patch.rows[y][k]);
            }
            store_patch<0>(p, tile, across, down, patch);
        }
        halve_patch<1>(p, tile, across, down, patch, shared);
    }
}

// Operands of value `i` of level 1 of a tile: where they are, and whether they exist.
struct PyramidValue {
    u64 at;  // index of the upper left operand, counted from the tile's first element in level 0
    bool exists, right, lower;

    __device__ __forceinline__ PyramidValue(const PyramidParams& p, const PyramidTile& tile, u32 i) {
        constexpr u32 WIDTH = TILE_WIDTH / 2;
        const u32 c = i % BLOCK_CHANNELS, x = i / BLOCK_CHANNELS % WIDTH * 2, y = i / BLOCK_CHANNELS / WIDTH * 2;
        const LevelPart& l = tile.levels[0];
        exists = i < tile_values(1) && x < l.columns && y < l.rows && (WHOLE_PIXELS || tile.channel + c < p.channels);
        right = exists && x + 1 < l.columns, lower = exists && y + 1 < l.rows;
        at = y * l.row + x * pixel_channels(p) + c;
    }
};

// Makes the first level of any tile, value by value.
__device__ __forceinline__ void halve_values(const PyramidParams& p, const PyramidTile& tile, Out* shared) {
    constexpr u32 OF_LEVEL = tile_values(1), WIDTH = TILE_WIDTH / 2;
#pragma unroll 1
    for (u32 begin = threadIdx.x; begin < OF_LEVEL; begin += THREADS * VALUES_AT_ONCE) {
        Out four[VALUES_AT_ONCE][4];
#pragma unroll
        for (u32 k = 0; k < VALUES_AT_ONCE; k++) {
            const PyramidValue value(p, tile, begin + k * THREADS);
            const Out* const from = tile.input + value.at;
            if (value.exists) four[k][0] = from[0];
            if (value.right) four[k][1] = from[pixel_channels(p)];
            if (value.lower) four[k][2] = from[tile.levels[0].row];
            if (value.right && value.lower) four[k][3] = from[tile.levels[0].row + pixel_channels(p)];
        }
#pragma unroll
        for (u32 k = 0; k < VALUES_AT_ONCE; k++) {
            const u32 i = begin + k * THREADS;
            const PyramidValue value(p, tile, i);
            if (!value.exists) continue;
            if constexpr (WITH_INPUT) {
                Out* const to = tile.levels[0].first + value.at;
                store_result(to, canonical(four[k][0]));
                if (value.right) store_result(to + pixel_channels(p), canonical(four[k][1]));
                if (value.lower) store_result(to + tile.levels[0].row, canonical(four[k][2]));
                if (value.right && value.lower) store_result(to + tile.levels[0].row + pixel_channels(p), canonical(four[k][3]));
            }
            if (p.levels == 0) continue;
            // A single row or column stands for both.
            if (!value.right) four[k][1] = four[k][0];
            if (!value.lower) four[k][2] = four[k][0];
            if (!(value.right && value.lower)) four[k][3] = value.right ? four[k][1] : four[k][2];
            const Out half = combined(four[k][0], four[k][1], four[k][2], four[k][3]);
            const u32 c = i % BLOCK_CHANNELS, x = i / BLOCK_CHANNELS % WIDTH, y = i / BLOCK_CHANNELS / WIDTH;
            store_result(tile.levels[1].at(p, y, x) + c, half);
            shared[i] = half;
        }
    }
}

// Makes the levels of the tile from LEVEL on, from the level before in shared memory; `known` is the last level that
// has been made already.
template <u32 LEVEL>
__device__ __forceinline__ void halve_tile(const PyramidParams& p, const PyramidTile& tile, u32 known, Out* above, Out* below) {
    if constexpr (LEVEL <= TILE_LEVELS) {
        if (p.levels < LEVEL) return;
        if (PATCH_LEVELS == 1 || known < LEVEL) {
            constexpr u32 WIDTH = TILE_WIDTH >> LEVEL, OF_LEVEL = tile_values(LEVEL), ROW = 2 * WIDTH * BLOCK_CHANNELS;
            __syncthreads();
            const LevelPart& l = tile.levels[LEVEL];
            const u32 right = p.width >> (LEVEL - 1) > 1 ? BLOCK_CHANNELS : 0, lower = p.height >> (LEVEL - 1) > 1 ? ROW : 0;
#pragma unroll 1
            for (u32 i = threadIdx.x; i < OF_LEVEL; i += THREADS) {
                const u32 c = i % BLOCK_CHANNELS, x = i / BLOCK_CHANNELS % WIDTH, y = i / BLOCK_CHANNELS / WIDTH;
                if (!(x < l.columns && y < l.rows && (WHOLE_PIXELS || tile.channel + c < p.channels))) continue;
                const Out* const from = above + 2 * y * ROW + 2 * x * BLOCK_CHANNELS + c;
                const Out value = combined(from[0], from[right], from[lower], from[lower + right]);
                if (LEVEL < TILE_LEVELS) below[i] = value;
                store_result(l.at(p, y, x) + c, value);
            }
        }
        halve_tile<LEVEL + 1>(p, tile, known, below, above);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, PYRAMID_BLOCKS) upsweep_pyramid(const __grid_constant__ PyramidParams p) {
    __shared__ Out first_level[tile_values(1)];
    __shared__ Out second_level[tile_values(2) + 1];
    __shared__ PyramidTile tile;
    if (threadIdx.x <= TILE_LEVELS) find_tile(p, threadIdx.x, tile);
    __syncthreads();
    const bool full = WHOLE_PIXELS && tile.levels[0].aligned && tile.levels[1].aligned && tile.levels[PATCH_LEVELS].aligned;
    if constexpr (WHOLE_PIXELS) {
        if (full) halve_patches(p, tile, PATCH_LEVELS == 1 ? first_level : second_level);
    }
    if (!full) halve_values(p, tile, first_level);
    halve_tile<2>(p, tile, full ? PATCH_LEVELS : 1, first_level, second_level);
}
