// Scan of a part of an array that begins or ends inside of a tile of the tree (upsweep-core/src/tree.rs), by one block.
//
//   for each tile of the part:
//       each thread       chain of the elements of its row: y
//       one thread        what comes before each row: R, Q, G, P; and before the next tile
//       each thread       results of its row: P . (G . (Q . (R . y)))
//
// The elements before the part are in the levels that an earlier call has left, and those after it get the levels that
// this one leaves. So the results are those of one scan of the whole array. The other tiles of a part are scan.cuh's.
//
// Memory ordering. Inside a block only: rows are written before a barrier and read by one thread after it, bases the
// other way round, and both are written again after the next barrier.

#pragma once

#include "memory/vectors.cuh"
#include "word/value.cuh"

constexpr u32 OPEN_LEVELS = 5, KEY_AT = (OPEN_LEVELS * sizeof(Acc) + 15) / 16 * 16;
constexpr u32 GROUP_ROWS = 8, SPAN_TILES = 32, OPEN_ROWS = 192, OPEN_TILE = OPEN_ROWS * OPEN_ROW;

template <Heads FLAGS_OR_KEYS> struct SourceOf { using type = Key; };
template <> struct SourceOf<Heads::FLAGS> { using type = bool; };
using Source = SourceOf<HEADS>::type;

// Open levels of the tree: the chain of the elements of a row, of the rows of a group, of the groups of a tile, of the
// tiles of a span, and of the spans. A chain that is missing is the neutral value.
struct Levels {
    T y, rows, groups, tiles, spans;

    static __device__ __forceinline__ T neutral() { return PRODUCT ? (T)1 : (T)-0.0; }
    static __device__ __forceinline__ Levels none() { return Levels{neutral(), neutral(), neutral(), neutral(), neutral()}; }

    __device__ __forceinline__ T result() const { return combine(spans, combine(tiles, combine(groups, combine(rows, y)))); }
    // Adds an element; before a head there is nothing.
    __device__ __forceinline__ void add(const T& x, bool head) {
        if (head) *this = none(), y = x;
        else y = combine(y, x);
    }
    // Ends the row that ends at `position`, and what ends with it.
    __device__ __forceinline__ void end_row(u64 position) {
        rows = combine(rows, y), y = neutral();
        if (position % (GROUP_ROWS * OPEN_ROW) == 0) groups = combine(groups, rows), rows = neutral();
        if (position % OPEN_TILE == 0) tiles = combine(tiles, groups), groups = neutral();
        if (position % (SPAN_TILES * OPEN_TILE) == 0) spans = combine(spans, tiles), tiles = neutral();
    }
};

// Elements of one row: those of the part from `begin` on up to `end`.
struct RowPart {
    const OpenParams& p;
    const T& init;
    const u64 begin, end;

    // Whether element `i` of the part begins a segment.
    __device__ __forceinline__ bool head(u64 i) const {
        if (p.position + i == 0) return true;
        const Source* const sources = (const Source*)p.head_source;
        if constexpr (HEADS == Heads::FLAGS) return sources[i];
        else if constexpr (HEADS == Heads::KEYS) return !same_key(i > 0 ? sources[i - 1] : *(const Source*)((const u8*)p.before + KEY_AT), sources[i]);
        else return false;
    }

    // Calls `f` with each element, mapped, and whether it is a head.
    template <bool REPORTS, class F>
    __device__ __forceinline__ void each(const F& f) const {
        for (u64 i = begin; i < end; i++) {
            const In x = load_element(p.input, p.first + i);
            if (REPORTS && !indices_right(x, p.first + i)) report_indices(x, p.first + i);
            const bool is_head = head(i);
            T e = map(x, p.position + i, p.first + i);
            if (HAS_INIT && is_head) e = combine(init, e);
            f(i, e, is_head);
        }
    }
};

__device__ __forceinline__ void leave_levels(const OpenParams& p, const Levels& levels) {
    const T all[OPEN_LEVELS] = {levels.y, levels.rows, levels.groups, levels.tiles, levels.spans};
#pragma unroll
    for (u32 k = 0; k < OPEN_LEVELS; k++) p.after[k] = canonical(ValueOfAcc::back(all[k]));
    if constexpr (HEADS == Heads::KEYS) {
        Source& key = *(Source*)((u8*)p.after + KEY_AT);
        if (p.n > 0) key = ((const Source*)p.head_source)[p.n - 1];
        else if (p.position > 0) key = *(const Source*)((const u8*)p.before + KEY_AT);
    }
}

extern "C" __global__ void __launch_bounds__(OPEN_ROWS) upsweep_open(const __grid_constant__ OpenParams p) {
    __shared__ T totals[OPEN_ROWS];
    __shared__ u32 row_heads[OPEN_ROWS];
    __shared__ Levels bases[OPEN_ROWS];
    __shared__ Levels open;
    const Begin begin(p);
    const u32 row = threadIdx.x;
    if (row == 0) {
        open = Levels::none();
        if (p.position > 0) {
            const auto level = [&](u32 k) { return ValueOfAcc::of(p.before[k]); };
            open = Levels{level(0), level(1), level(2), level(3), level(4)};
        }
    }
    __syncthreads();
    for (u64 done = 0; done < p.n;) {
        const u32 from = (u32)((p.position + done) % OPEN_TILE);  // place of the first element in the tile
        const u32 count = (u32)min((u64)(OPEN_TILE - from), p.n - done), to = from + count;
        const u32 low = max(row * OPEN_ROW, from), high = min(row * OPEN_ROW + OPEN_ROW, to);
        const bool mine = low < high;
        const RowPart part = {p, begin.init, done + low - from, done + high - from};
        const T before = row == from / OPEN_ROW ? open.y : Levels::neutral();
        if (mine) {
            Levels own = Levels::none();
            own.y = before;
            bool any = false;
            part.each<true>([&](u64, const T& e, bool head) { own.add(e, head), any |= head; });
            totals[row] = own.y, row_heads[row] = any;
        }
        __syncthreads();
        if (row == 0) {
            Levels levels = open;
            for (u32 r = from / OPEN_ROW; r * OPEN_ROW < to; r++) {
                levels.y = Levels::neutral();
                bases[r] = levels;
                if (row_heads[r]) levels = Levels::none();
                levels.y = totals[r];
                if ((r + 1) * OPEN_ROW <= to) levels.end_row(p.position + done + (r + 1) * OPEN_ROW - from);
            }
            open = levels;
        }
        __syncthreads();
        if (mine) {
            Levels own = bases[row];
            own.y = before;
            T last = p.position + done + low == from ? begin.first : own.result();  // of the element before
            part.each<false>([&](u64 i, const T& e, bool head) {
                own.add(e, head);
                const T with = own.result();
                store_result(output_of(p) + (p.first + i), result(!EXCLUSIVE ? with : head ? begin.first : last));
                last = with;
            });
        }
        done += count;
        __syncthreads();
    }
    if (row == 0) {
        leave_levels(p, open);
        if (p.total) store_result(output_of(p) + (p.first + p.n), result(p.position + p.n > 0 ? open.result() : begin.first));
    }
}
