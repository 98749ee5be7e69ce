// Scan along a linked list (list ranking): r[first] = x[first] and r[next[e]] = r[e] + x[next[e]], with any operator
// for +.
//
// The list is cut into pieces that begin at `first` and at elements chosen by a hash, one of SPACING neighbours in
// memory. So pieces are short, whatever the order of the list. The pieces form a list themselves, a SPACING-th as long:
//
//   walk          the total and the successor of each piece                       a thread a piece, and then the next one
//   pieces        recursively the list of pieces, until they are few; then `rank` by one block:
//                   before[p] = predecessor of p, jump: value[p] = value[before[p]] + value[p], before[p] = before[before[p]]
//   walk, STORES  the pieces once more, each from its exclusive prefix            results
//
// (Helman and JaJa, "Designing Practical Efficient Algorithms for Symmetric Multiprocessors", 1999; Wyllie's pointer
// jumping at the top.)
//
// In contrast to the pseudocode, a thread at the end of its piece takes another one at once, so that the lanes of a
// warp do not wait for its longest piece. A step waits for next[e] and x[e] alone: enough threads hide that latency.
//
// A `next` that is no list does no harm, and is detected. A traversal ends after n steps, and at an index out of range.
// Two pieces that meet have the same successor, which is then met twice, or none: then one of the two is not on the
// list. So if the number of elements passed from `first` on is n, each was passed once. The last block compares.
//
// Memory ordering
//   what                      written by                        read by                              ordered by
//   seen[0], elements passed  each block, before it counts      the block that counts last           a fence before and one after the
//                             itself in seen[1]                                                      addition to seen[1]
//   totals, behind, known,    a launch                          the launches after it                the stream
//   before
//
// Blocks exchange nothing else.

#pragma once

#include "memory/streams.cuh"
#include "memory/workspace.cuh"
#include "word/value.cuh"

constexpr u32 NOTHING = ~0u;                   // in place of a piece's index: no piece
// Marks of a piece: it has a predecessor; it is the first listed; it is a later one.
constexpr u32 MET = 1, FIRST = 2, BEHIND = 3;

// Returns which of the SPACING neighbours from element slot * SPACING on begins a piece: its index among them, by a
// hash.
__device__ __forceinline__ u32 chosen(u32 slot) {
    slot = (slot ^ slot >> 16) * 0x7feb352d;
    slot = (slot ^ slot >> 15) * 0x846ca68b;
    return (slot ^ slot >> 16) % SPACING;
}

// Returns the element that begins piece `piece`; `n` or more if there is no such piece.
__device__ __forceinline__ u64 begin_of(const ListScanParams& p, u32 piece) {
    if (piece == 0) return p.first;
    const u64 at = (u64)(piece - 1) * SPACING + chosen(piece - 1);
    return at == p.first ? p.n : at;
}

// Whether an element begins a piece. `piece_of` is the index of that piece.
__device__ __forceinline__ bool begins_piece(const ListScanParams& p, u32 at) {
    return at == p.first || at % SPACING == chosen(at / SPACING);
}
__device__ __forceinline__ u32 piece_of(const ListScanParams& p, u32 at) { return at == p.first ? 0 : at / SPACING + 1; }

// Returns the mapped element at position `at`.
__device__ __forceinline__ T element_at(const ListScanParams& p, u64 at) {
    In x;
    if constexpr (PLAIN_INPUT) x = p.input[at];
    else load_streams(p.input, at, x);
    if (INDEXED && !indices_right(x, at)) report_indices(x, at);
    return map(x, at, at);
}

__device__ __forceinline__ void report_list(const ListScanParams& p) { report_fault(p.workspace, FAULT_LIST, p.elements, 0); }

// Reports the list if it is shorter than the array. Called by all threads of all blocks; `seen` is the number of
// elements that this thread has passed.
__device__ __forceinline__ void compare_with_all(const ListScanParams& p, u32 seen) {
    __shared__ u32 of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    atomicAdd(&of_block, seen);
    __syncthreads();
    if (threadIdx.x > 0) return;
    atomicAdd(&p.seen[0], of_block);
    __threadfence();
    if (atomicAdd(&p.seen[1], 1) != gridDim.x - 1) return;
    __threadfence();
    const u32 all = *(volatile u32*)&p.seen[0];
    if (all != p.n) report_list(p);
}

// Traverses pieces, a thread one after the other. STORES: it stores results, else the total and the successor of each
// piece. OF_PIECES: the list is one of pieces. The successor of its last element is NOTHING, and its results are the
// prefix of each piece.
template <bool STORES, bool OF_PIECES>
__device__ __forceinline__ void walk(const ListScanParams& p) {
    const Begin begins(p);
    const u32 step = gridDim.x * THREADS;
    u32 piece = blockIdx.x * THREADS + threadIdx.x, at = 0, steps = 0, seen = 0;
    bool fresh = true, any = false;  // whether a piece begins; whether its element has a predecessor
    T acc;
    while (piece < p.pieces) {
        if (fresh) {
            const u64 begin = begin_of(p, piece);
            const u32 known = STORES ? p.known[piece] : FIRST;
            if (begin >= p.n || known < FIRST) {
                if constexpr (!STORES) p.behind[piece] = NOTHING;
                piece += step;
                continue;
            }
            at = (u32)begin, steps = 0, any = known == BEHIND;
            if constexpr (STORES) {
                if (any) acc = ValueOfAcc::of(p.before[piece]);
            }
        }
        const u32 next = p.next[at];
        const T x = element_at(p, at), with = any ? combine(acc, x) : x;
        if constexpr (STORES && OF_PIECES) {
            p.known_below[at] = any ? BEHIND : FIRST;
            if (any) p.before_below[at] = ValueOfAcc::back(acc);
        } else if constexpr (STORES) {
            store_result(output_of(p) + at, result(!EXCLUSIVE ? with : any ? acc : begins.first));
        }
        acc = with, any = true, steps++;
        const bool ends = next == at || next >= p.n, meets = !ends && begins_piece(p, next);
        fresh = ends || meets || steps == p.n;
        if (fresh) {
            if constexpr (!STORES) {
                const u32 behind = meets ? piece_of(p, next) : NOTHING;
                p.totals[piece] = ValueOfAcc::back(acc);
                p.behind[piece] = behind;
                if (!OF_PIECES && next >= p.n) report_fault(p.workspace, FAULT_INDEX, at, next, p.n);
                if (meets ? atomicExch(&p.known[behind], MET) != 0 : !ends) report_list(p);
            }
            piece += step, seen += steps;
        } else {
            at = next;
        }
    }
    if constexpr (STORES && !OF_PIECES) compare_with_all(p, seen);
}

// Scans the list of at most RANKED pieces by pointer jumping: computes the exclusive prefix of each piece. Called by
// one block, with a thread for each piece.
__device__ __forceinline__ void rank(const ListScanParams& p) {
    // State of the jumps of each piece: the total of the pieces jumped over so far and its own, the predecessor of
    // these or NOTHING, and the first of them.
    __shared__ T value[RANKED];
    __shared__ u32 before[RANKED];
    __shared__ u32 begin[RANKED];
    const u32 piece = threadIdx.x, pieces = (u32)p.pieces;
    before[piece] = NOTHING, begin[piece] = piece;
    if (piece < pieces) value[piece] = ValueOfAcc::of(p.totals[piece]);
    __syncthreads();
    const u32 behind = piece < pieces ? p.behind[piece] : NOTHING;
    // A circle back to the first piece is cut there.
    if (behind < pieces && behind > 0) atomicMin(&before[behind], piece);  // two predecessors are no list: one is taken
    __syncthreads();
    const u32 neighbour = before[piece];
    u32 from = neighbour, first = piece;
    T mine = value[piece];
    for (u32 jumped = 1; jumped < pieces; jumped *= 2) {
        u32 next = NOTHING;
        const bool jumps = from != NOTHING;
        if (jumps) mine = combine(value[from], mine), first = begin[from], next = before[from];
        __syncthreads();
        if (jumps) value[piece] = mine, begin[piece] = first, before[piece] = next;
        from = next;
        __syncthreads();
    }
    if (piece >= pieces) return;
    const bool listed = from == NOTHING && first == 0;
    p.known_below[piece] = !listed ? 0 : piece == 0 ? FIRST : BEHIND;
    if (listed && piece > 0) p.before_below[piece] = ValueOfAcc::back(value[neighbour]);
}

extern "C" __global__ void __launch_bounds__(OF_FEW != 0 ? RANKED : THREADS) upsweep_along(const __grid_constant__ ListScanParams p) {
    if constexpr (OF_FEW != 0) rank(p);
    else walk<STORES != 0, OF_PIECES != 0>(p);
}
