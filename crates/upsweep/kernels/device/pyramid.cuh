// Pyramid: levels of an image, each of which has a value for 2 x 2 values of the level before.
//
//   for l = 1 .. levels:                                  in parallel for all pixels (x, y) of level l and all channels:
//       level[l][y, x] = f(level[l-1][2y, 2x], level[l-1][2y, 2x+1], level[l-1][2y+1, 2x], level[l-1][2y+1, 2x+1])
//
// (Williams, "Pyramidal Parametrics", 1983.) Where level l-1 has one row or column, that is both.
//
// A block has a tile of the image, with one part for each level, and makes at most TILE_LEVELS levels of it: further ones are made by
// further launches. A thread has a patch of the tile:
//       load     the patch, all of it before the first use
//       halve    the patch, once or twice, in registers; and store each level
//       leave    the last of these levels in shared memory
// and from there the block halves and stores, level by level, a thread for each value. Tiles whose pixels all exist go by vectors.
// A patch has all channels of its pixels (WHOLE_PIXELS), or one of the BLOCK_CHANNELS of the tile.
//
// Sizes and places in the image have 64 bits, those in a tile 32. Only what exists is computed.
//
// Memory ordering. Nobody reads in global memory what the launch stores there. Levels in shared memory alternate between two places: one is
// written before a barrier and read behind it, and written again behind the next one.

#pragma once

#include "memory/access.cuh"
#include "word/value.cuh"

constexpr u32 PATCH_CHANNELS = WHOLE_PIXELS ? BLOCK_CHANNELS : 1, CHANNEL_PATCHES = BLOCK_CHANNELS / PATCH_CHANNELS;
constexpr u32 PATCHES_ACROSS = TILE_WIDTH / PATCH_WIDTH, TILE_PATCHES = PATCHES_ACROSS * (TILE_ROWS / PATCH_ROWS) * CHANNEL_PATCHES;
constexpr u32 PATCH_LEVELS = PATCH_ROWS == 4 ? 2 : 1;
// Values of a level of the tile.
__device__ constexpr u32 tile_values(u32 level) { return (TILE_WIDTH >> level) * (TILE_ROWS >> level) * BLOCK_CHANNELS; }

// What a block has of the image.
struct PyramidTile {
    u64 plane;
    u32 across, down;  // which tile of the plane
    u32 channel;       // its first one
};

// The block's part of a level: what exists of it, and where it lies.
struct TileLevel {
    u64 width, height;  // of the level
    u64 row;            // elements from one row of the level to the next
    u64 first;          // the part's first element in the level
    u32 columns, rows;  // that exist in the part

    template <u32 LEVEL>
    static __device__ __forceinline__ TileLevel of(const PyramidParams& p, const PyramidTile& tile) {
        constexpr u32 WIDTH = TILE_WIDTH >> LEVEL, ROWS = TILE_ROWS >> LEVEL;
        TileLevel l;
        l.width = max(p.width >> LEVEL, (u64)1), l.height = max(p.height >> LEVEL, (u64)1);
        const u64 x = (u64)tile.across * WIDTH, y = (u64)tile.down * ROWS;
        l.columns = (u32)min(l.width - min(x, l.width), (u64)WIDTH), l.rows = (u32)min(l.height - min(y, l.height), (u64)ROWS);
        l.row = l.width * channels(p);
        l.first = (tile.plane * l.height + y) * l.row + x * channels(p) + tile.channel;
        return l;
    }
    static __device__ __forceinline__ u64 channels(const PyramidParams& p) { return WHOLE_PIXELS ? BLOCK_CHANNELS : p.channels; }
};

// Where a level of the launch goes; 0 is the input itself.
template <u32 LEVEL>
__device__ __forceinline__ Out* level_of(const PyramidParams& p) {
    static_assert(LEVEL <= 6, "the parameters name 6 levels");
    return LEVEL == 0 ? p.level_0 : LEVEL == 1 ? p.level_1 : LEVEL == 2 ? p.level_2 : LEVEL == 3 ? p.level_3 : LEVEL == 4 ? p.level_4
         : LEVEL == 5 ? p.level_5 : p.level_6;
}

__device__ __forceinline__ Out combined(const Out& upper_left, const Out& upper_right, const Out& lower_left, const Out& lower_right) {
    const In four = {upper_left, upper_right, lower_left, lower_right};
    return result(map(four, 0, 0));
}

// A thread's patch in a level.
template <u32 LEVEL>
struct Patch {
    static constexpr u32 ROWS = PATCH_ROWS >> LEVEL, WIDTH = PATCH_WIDTH >> LEVEL, ROW = WIDTH * PATCH_CHANNELS;
    static constexpr u32 BYTES = ROW * sizeof(Out), ACCESS = access_width(BYTES), PARTS = BYTES / ACCESS;
    using Part = typename Access<ACCESS>::type;
    Out rows[ROWS][ROW];

    // Whether its rows go by vectors, where the patch exists as a whole.
    static __device__ __forceinline__ bool aligned(const void* level, const TileLevel& l) {
        return WHOLE_PIXELS && ((u64)level | l.row * sizeof(Out)) % ACCESS == 0;
    }
    // Its pixel (x, y), channel c.
    __device__ __forceinline__ Out& at(u32 y, u32 x, u32 c) { return rows[y][x * PATCH_CHANNELS + c]; }
    __device__ __forceinline__ const Out& at(u32 y, u32 x, u32 c) const { return rows[y][x * PATCH_CHANNELS + c]; }
};

// Which patch of the tile.
struct PatchPlace {
    u32 across, down, channel;
    bool exists;  // its channel

    __device__ __forceinline__ PatchPlace(const PyramidParams& p, const PyramidTile& tile, u32 i) {
        channel = i % CHANNEL_PATCHES, across = i / CHANNEL_PATCHES % PATCHES_ACROSS, down = i / CHANNEL_PATCHES / PATCHES_ACROSS;
        exists = i < TILE_PATCHES && (WHOLE_PIXELS || tile.channel + channel < p.channels);
    }
    // Whether the pixel (x, y) of the patch in a level exists.
    template <bool FULL, u32 LEVEL>
    __device__ __forceinline__ bool has(const TileLevel& l, u32 y, u32 x) const {
        return FULL || (exists && across * Patch<LEVEL>::WIDTH + x < l.columns && down * Patch<LEVEL>::ROWS + y < l.rows);
    }
    // Where its row `y` lies in a level.
    template <u32 LEVEL>
    __device__ __forceinline__ u64 row(const PyramidParams& p, const TileLevel& l, u32 y) const {
        const u64 column = (u64)(across * Patch<LEVEL>::WIDTH) * TileLevel::channels(p);
        return l.first + (u64)(down * Patch<LEVEL>::ROWS + y) * l.row + column + channel;
    }
};

// The bytes of a pixel, where a patch has all of it: how wide they are loaded and stored where rows do not go by vectors.
constexpr u32 PIXEL_BYTES = PATCH_CHANNELS * sizeof(Out), PIXEL_ACCESS = access_width(PIXEL_BYTES);
constexpr bool BY_PIXELS = WHOLE_PIXELS && PIXEL_ACCESS > 1 && PIXEL_BYTES > sizeof(Out);

template <bool FULL>
__device__ __forceinline__ void load_patch(const PyramidParams& p, const TileLevel& l, const PatchPlace& place, Patch<0>& patch) {
    using Patch = Patch<0>;
    using Pixel = typename Access<PIXEL_ACCESS>::type;
    const bool by_pixels = BY_PIXELS && (u64)p.input % PIXEL_ACCESS == 0;
#pragma unroll
    for (u32 y = 0; y < Patch::ROWS; y++) {
        const Out* const row = p.input + place.row<0>(p, l, y);
        if constexpr (FULL && WHOLE_PIXELS) {
            typename Patch::Part parts[Patch::PARTS];
#pragma unroll
            for (u32 i = 0; i < Patch::PARTS; i++) parts[i] = ((const typename Patch::Part*)row)[i];
            memcpy(patch.rows[y], parts, Patch::BYTES);
        } else {
#pragma unroll
            for (u32 x = 0; x < Patch::WIDTH; x++) {
                if (!place.has<FULL, 0>(l, y, x)) continue;
                const Out* const pixel = row + x * TileLevel::channels(p);
                if (by_pixels) {
                    Pixel parts[PIXEL_BYTES / PIXEL_ACCESS];
#pragma unroll
                    for (u32 i = 0; i < PIXEL_BYTES / PIXEL_ACCESS; i++) parts[i] = ((const Pixel*)pixel)[i];
                    memcpy(&patch.at(y, x, 0), parts, PIXEL_BYTES);
                } else {
#pragma unroll
                    for (u32 c = 0; c < PATCH_CHANNELS; c++) patch.at(y, x, c) = pixel[c];
                }
            }
        }
    }
}

template <bool FULL, u32 LEVEL>
__device__ __forceinline__ void store_patch(const PyramidParams& p, const TileLevel& l, const PatchPlace& place, Patch<LEVEL>& patch) {
    using Patch = Patch<LEVEL>;
    using Pixel = typename Access<PIXEL_ACCESS>::type;
    Out* const level = level_of<LEVEL>(p);
    const bool aligned = FULL && Patch::aligned(level, l), by_pixels = BY_PIXELS && (u64)level % PIXEL_ACCESS == 0;
#pragma unroll
    for (u32 y = 0; y < Patch::ROWS; y++) {
        Out* const row = level + place.template row<LEVEL>(p, l, y);
        if (aligned) {
            typename Patch::Part parts[Patch::PARTS];
#pragma unroll
            for (u32 i = 0; i < Patch::ROW; i++) arith::clear_padding(&patch.rows[y][i]);
            memcpy(parts, patch.rows[y], Patch::BYTES);
#pragma unroll
            for (u32 i = 0; i < Patch::PARTS; i++) ((typename Patch::Part*)row)[i] = parts[i];
            continue;
        }
#pragma unroll
        for (u32 x = 0; x < Patch::WIDTH; x++) {
            if (!place.template has<FULL, LEVEL>(l, y, x)) continue;
            Out* const pixel = row + x * TileLevel::channels(p);
            if (by_pixels) {
                Pixel parts[PIXEL_BYTES / PIXEL_ACCESS];
#pragma unroll
                for (u32 c = 0; c < PATCH_CHANNELS; c++) arith::clear_padding(&patch.at(y, x, c));
                memcpy(parts, &patch.at(y, x, 0), PIXEL_BYTES);
#pragma unroll
                for (u32 i = 0; i < PIXEL_BYTES / PIXEL_ACCESS; i++) ((Pixel*)pixel)[i] = parts[i];
            } else {
#pragma unroll
                for (u32 c = 0; c < PATCH_CHANNELS; c++) store_result(pixel + c, patch.at(y, x, c));
            }
        }
    }
}

// Makes the levels of a patch from LEVEL on; the last one goes to shared memory.
template <bool FULL, u32 LEVEL>
__device__ __forceinline__ void halve_patch(
    const PyramidParams& p, const PyramidTile& tile, const PatchPlace& place, const Patch<LEVEL - 1>& above, Out* shared) {
    if (p.levels < LEVEL) return;
    const TileLevel l = TileLevel::of<LEVEL>(p, tile);
    // One row or column stands for both.
    const bool wide = FULL || (p.width >> (LEVEL - 1)) > 1, tall = FULL || (p.height >> (LEVEL - 1)) > 1;
    Patch<LEVEL> patch;
#pragma unroll
    for (u32 y = 0; y < Patch<LEVEL>::ROWS; y++) {
#pragma unroll
        for (u32 x = 0; x < Patch<LEVEL>::WIDTH; x++) {
            if (!place.template has<FULL, LEVEL>(l, y, x)) continue;
#pragma unroll
            for (u32 c = 0; c < PATCH_CHANNELS; c++) {
                const Out a = above.at(2 * y, 2 * x, c);
                const Out b = wide ? above.at(2 * y, 2 * x + 1, c) : a;
                const Out d = tall ? above.at(2 * y + 1, 2 * x, c) : a;
                const Out e = !wide ? d : tall ? above.at(2 * y + 1, 2 * x + 1, c) : b;
                patch.at(y, x, c) = combined(a, b, d, e);
            }
        }
    }
    store_patch<FULL, LEVEL>(p, l, place, patch);
    if constexpr (LEVEL < PATCH_LEVELS) {
        halve_patch<FULL, LEVEL + 1>(p, tile, place, patch, shared);
    } else if constexpr (LEVEL < TILE_LEVELS) {
        constexpr u32 ROW = (TILE_WIDTH >> LEVEL) * BLOCK_CHANNELS;
#pragma unroll
        for (u32 y = 0; y < Patch<LEVEL>::ROWS; y++) {
#pragma unroll
            for (u32 x = 0; x < Patch<LEVEL>::WIDTH; x++) {
                if (!place.template has<FULL, LEVEL>(l, y, x)) continue;
                const u32 row = (place.down * Patch<LEVEL>::ROWS + y) * ROW;
                Out* const to = shared + row + (place.across * Patch<LEVEL>::WIDTH + x) * BLOCK_CHANNELS + place.channel;
#pragma unroll
                for (u32 c = 0; c < PATCH_CHANNELS; c++) to[c] = patch.at(y, x, c);
            }
        }
    }
}

// Makes the levels of the tile from LEVEL on, of the one before in shared memory.
template <bool FULL, u32 LEVEL>
__device__ __forceinline__ void halve_tile(const PyramidParams& p, const PyramidTile& tile, Out* above, Out* below) {
    if constexpr (LEVEL <= TILE_LEVELS) {
        if (p.levels < LEVEL) return;
        __syncthreads();
        constexpr u32 WIDTH = TILE_WIDTH >> LEVEL, VALUES = tile_values(LEVEL), ROW = 2 * WIDTH * BLOCK_CHANNELS;
        const TileLevel l = TileLevel::of<LEVEL>(p, tile);
        const u32 right = FULL || (p.width >> (LEVEL - 1)) > 1 ? BLOCK_CHANNELS : 0, lower = FULL || (p.height >> (LEVEL - 1)) > 1 ? ROW : 0;
        Out* const level = level_of<LEVEL>(p) + l.first;
        for (u32 i = threadIdx.x; i < VALUES; i += THREADS) {
            const u32 c = i % BLOCK_CHANNELS, x = i / BLOCK_CHANNELS % WIDTH, y = i / BLOCK_CHANNELS / WIDTH;
            if (!FULL && !(x < l.columns && y < l.rows && (WHOLE_PIXELS || tile.channel + c < p.channels))) continue;
            const Out* const from = above + 2 * y * ROW + 2 * x * BLOCK_CHANNELS + c;
            const Out value = combined(from[0], from[right], from[lower], from[lower + right]);
            if (LEVEL < TILE_LEVELS) below[i] = value;
            store_result(level + (u64)y * l.row + x * TileLevel::channels(p) + c, value);
        }
        halve_tile<FULL, LEVEL + 1>(p, tile, below, above);
    }
}

template <bool FULL>
__device__ __forceinline__ void halve_image(const PyramidParams& p, const PyramidTile& tile, const TileLevel& l, Out* above, Out* below) {
    constexpr u32 STEP = THREADS * PATCHES_AT_ONCE, ROUNDS = (TILE_PATCHES + STEP - 1) / STEP;
#pragma unroll 1
    for (u32 round = 0; round < ROUNDS; round++) {
        Patch<0> patches[PATCHES_AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < PATCHES_AT_ONCE; k++) {
            const PatchPlace place(p, tile, round * STEP + k * THREADS + threadIdx.x);
            if (place.exists) load_patch<FULL>(p, l, place, patches[k]);
        }
#pragma unroll
        for (u32 k = 0; k < PATCHES_AT_ONCE; k++) {
            const PatchPlace place(p, tile, round * STEP + k * THREADS + threadIdx.x);
            if (!place.exists) continue;
            if constexpr (WITH_INPUT) {
#pragma unroll
                for (u32 y = 0; y < PATCH_ROWS; y++) {
#pragma unroll
                    for (u32 i = 0; i < Patch<0>::ROW; i++) {
                        if (place.has<FULL, 0>(l, y, i / PATCH_CHANNELS)) patches[k].rows[y][i] = canonical(patches[k].rows[y][i]);
                    }
                }
                store_patch<FULL, 0>(p, l, place, patches[k]);
            }
            halve_patch<FULL, 1>(p, tile, place, patches[k], above);
        }
    }
    halve_tile<FULL, PATCH_LEVELS + 1>(p, tile, above, below);
}

// `n` by `by`, whose `reciprocal` is 2^32 / by, rounded down (of 1, 2^32 - 1), and what is left: the quotient is at most 1 too small.
__device__ __forceinline__ u32 divided(u32 n, u64 by, u64 reciprocal, u32& left) {
    u32 quotient = (u32)((u64)n * (u32)reciprocal >> 32);
    left = n - quotient * (u32)by;
    if (left >= (u32)by) quotient++, left -= (u32)by;
    return quotient;
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) upsweep_pyramid(const __grid_constant__ PyramidParams p) {
    __shared__ Out first_level[tile_values(PATCH_LEVELS)];
    __shared__ Out second_level[tile_values(PATCH_LEVELS + 1) + 1];
    // Tiles lie beside each other, then below each other, then in the next plane.
    PyramidTile tile;
    u32 block = blockIdx.x;
    tile.channel = 0;
    if constexpr (!WHOLE_PIXELS) {
        const u32 parts = (u32)((p.channels + BLOCK_CHANNELS - 1) / BLOCK_CHANNELS);
        tile.channel = block % parts * BLOCK_CHANNELS, block /= parts;
    }
    block = divided(block, p.tiles_across, p.across_reciprocal, tile.across);
    tile.plane = p.first_plane + divided(block, p.tiles_down, p.down_reciprocal, tile.down);
    const TileLevel l = TileLevel::of<0>(p, tile);
    const bool whole = l.columns == TILE_WIDTH && l.rows == TILE_ROWS;
    const bool full = WHOLE_PIXELS ? whole && Patch<0>::aligned(p.input, l) : whole && tile.channel + BLOCK_CHANNELS <= p.channels;
    if (full) halve_image<true>(p, tile, l, first_level, second_level);
    else halve_image<false>(p, tile, l, first_level, second_level);
}
