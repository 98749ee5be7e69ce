// What the kernels that scan tiles are given, and how a tile comes to shared memory.

#include "word/value.cuh"
#include "warp/shuffle.cuh"
#include "memory/workspace.cuh"

struct Params {
    const In* input;
    Out* output;
    u64 n;                  // elements
    u64 row;                // ROWS: elements a row
    u64 row_reciprocal;     // see row_of
    u64 row_pattern;        // the bits 0, row, 2 * row, ... below 64
    const void* signs;      // FLAGS: an element's flag; KEYS: its key
    const Offset* offsets;  // OFFSETS: segments + 1 of them
    u64 segments;
    u64 share;              // OFFSETS: how many of them each tile checks
    u64 outputs;            // a reduction stores no result beyond this
    u64* count;             // null, or where a reduction by flags or keys stores the number of segments
    const Single* init_from;  // null, or where the initial value lies
    Workspace workspace;
    T init;
    T first;                // what an exclusive scan begins with, and the result of an empty segment
};

#include "block/barrier.cuh"
#include "tile/geometry.cuh"
#include "tile/state.cuh"
#include "warp/scan.cuh"
#include "memory/status.cuh"
#include "memory/stage.cuh"
#include "memory/store.cuh"
#include "tile/heads.cuh"
#include "tile/offsets.cuh"
#include "tile/packed.cuh"
#include "tile/scan.cuh"

static_assert(sizeof(Params) == HOST_PARAMS_BYTES, "the host has the same struct");
static_assert(sizeof(State) == HOST_STATE_BYTES, "the host sizes the workspace by it");

using TileStatus = Status<State>;

// A warp's asynchronous copies and loads are of whole 128-byte lines only where the tiles begin at one.
extern __shared__ __align__(128) unsigned char dynamic_shared[];

__device__ __forceinline__ void stage_tile(const Params& p, u64 t, u64 tiles, Slot* slots, bool aligned) {
    if (t < tiles) {
        const u32 count = tile_count(p.n, t), first = row_vector(0);
        const u64 begin = t * TILE + first * VECTOR;
        if (PIECE > 1 && count == TILE && aligned) {
            // The rows lie at even distances, so that one address does for all.
            const In* const from = vector_address(p.input, p.n, begin);
#pragma unroll
            for (i32 row = 0; row < (i32)ROWS; row++) {
                constexpr i32 DISTANCE = WARP * VECTOR;
                stage_all(slots[first + row * WARP], from + (REVERSE ? -row : row) * DISTANCE);
                if (READ_MARKS) prefetch_signs(p, begin + row * DISTANCE);
            }
        } else {
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) {
                const u32 vector = row_vector(row), offset = vector * VECTOR;
                const u32 mine = existing<false>(offset, VECTOR, count);
                stage_vector(slots[vector], vector_address(p.input, p.n, t * TILE + offset), mine, aligned);
                if (READ_MARKS && mine > 0) prefetch_signs(p, t * TILE + offset);
            }
        }
    }
    close_group();  // also an empty one, so that the number of groups tells the tile
}

// The parameters, with the initial value where it is read and where it is asked for.
__device__ __forceinline__ Params with_initial_value(Params p) {
    if constexpr (HAS_INIT) {
        if (p.init_from) p.init = __builtin_bit_cast(T, each_acc(*p.init_from));
        p.first = p.init = given(p.init);
    } else {
        p.first = given(p.first);
    }
    return p;
}
