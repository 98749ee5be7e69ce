// What the host puts before a kernel, of one job: the sum of f32, by the numbers of an H200, but with the tiles of
// other operators. It stands here so that editors and readers find every name that is declared in no other file; a
// kernel that runs has a prelude of its own in its place (src/code.rs, params.rs, upsweep-plan).
// `UPSWEEP_WRITE=1 cargo test -p upsweep-cuda --lib config` writes it.

#pragma once

#include "arith.cuh"

// Where functions find the values that they hold.
#define PARAMETERS "upsweep_scan_param_0"
constexpr u32 VALUES_AT = 288, WORKSPACE_AT = 240;

// Types and functions of the job.
__device__ __forceinline__ f32 sum_0([[maybe_unused]] f32 a_1_, [[maybe_unused]] f32 b_2_) {
return arith::add(a_1_, b_2_);
}
__device__ __forceinline__ f32 map_same_1(f32 x, u64) { return x; }
__device__ __forceinline__ f32 same_2(f32 x) { return x; }
__device__ __forceinline__ bool equal_3(u32 a, u32 b) { return eq(a, b); }
using In = f32;
constexpr u32 STREAMS = 1;
template <u32 S> struct StreamOf;
template <> struct StreamOf<0> {
    using type = In;
    static __device__ __forceinline__ In& of(In& x) { return x; }
    static __device__ __forceinline__ const In* base() { return nullptr; }
};
using Acc = f32;
using Out = f32;
using Given = f32;
using Key = u32;
using Offset = u64;
__device__ __forceinline__ Acc combine_acc(const Acc& a, const Acc& b) { return sum_0(a, b); }
__device__ __forceinline__ Acc load_acc(const In& x, u64 index, u64 at) { return map_same_1(x, index); }
__device__ __forceinline__ Out store_acc(const Acc& x) { return same_2(x); }
__device__ __forceinline__ Acc given_acc(const Given& x) { return same_2(x); }
__device__ __forceinline__ Given carried_acc(const Acc& x) { return same_2(x); }
__device__ __forceinline__ bool same_key(const Key& a, const Key& b) { return equal_3(a, b); }
__device__ __forceinline__ void store_item([[maybe_unused]] const Out& value, [[maybe_unused]] u64 at) {
}
template <class Store>
__device__ __forceinline__ void store_items([[maybe_unused]] const Out* from, [[maybe_unused]] u64 at, [[maybe_unused]] const Store& store) {
}
template <class Aligned>
__device__ __forceinline__ bool items_aligned([[maybe_unused]] const Aligned& aligned) { return true; }
constexpr bool PLAIN_INPUT = true, PLAIN_OUTPUT = true;
enum class Form { OTHER, SUM, MINIMUM, MAXIMUM, AND, OR, XOR, };
constexpr Form FORM = Form::SUM;
constexpr bool PLAIN = true, WIDENS = false, ANY_BITS = true, PRODUCT = false, SAME_NAN = true;
enum class Heads { NONE, ROWS, LINES, FLAGS, KEYS, OFFSETS, };
constexpr Heads HEADS = Heads::NONE;
constexpr bool EXCLUSIVE = false, REVERSE = false, HAS_INIT = false, BY_SEGMENT = false, CARRIES = false, CONTINUES = false;
constexpr bool COUNTED_INPUT = false;
__device__ __forceinline__ const u64* counted_length() { return (const u64*)nullptr; }
constexpr bool READS_APART = false, INDEXED = false;
__device__ __forceinline__ bool indices_right([[maybe_unused]] const In& x, [[maybe_unused]] u64 at) { return true; }
__device__ __forceinline__ void report_indices([[maybe_unused]] const In& x, [[maybe_unused]] u64 at) {
}

// Numbers of the plan.
constexpr u32 SMALL_STATE = 4;
constexpr u32 WORD_PAYLOAD = 12;
constexpr u32 POLL_NANOSECONDS = 40;
constexpr u32 HOST_STATE_BYTES = 4;
constexpr u32 GROUP = 32;
constexpr u32 SPREAD = 16;
constexpr u32 OFFSETS_A_WARP = 768;
constexpr u32 THREADS = 256;
constexpr u32 VECTOR = 4;
constexpr u32 ROWS = 3;
constexpr u32 SLOT_BYTES = 16;
constexpr u32 TREE = 0;
constexpr u32 BLOCKS = 3;
constexpr u32 AHEAD = 1;
constexpr u32 LAG = 4;
constexpr u32 STAGES = 6;
constexpr u32 RING = 6;
constexpr u32 LOOK_BACK_WARPS = 2;
constexpr u32 OFFSETS_WARPS = 0;
constexpr u32 MARK_SLOTS = 6;
constexpr u32 GROUPS = 8;
constexpr u32 MOST_PARTS = 384;
constexpr u32 MOST_TILES = 5;
constexpr u32 DEPTH = 8;
constexpr u32 FEW_PARTS = 128;
constexpr u32 REDUCE_PARTS = 264;
constexpr u32 ONE_BLOCK = 4;
constexpr u32 CHUNK_LANES = 128;
constexpr u32 ROWS_BLOCKS = 8;
constexpr u32 ROW_LANES = 128;
constexpr u32 ROW_DEEP = 8;
constexpr u32 ROW_USED = 16;
constexpr u32 NARROW_LEAVES = 8;
constexpr u32 PARTS_JOINED = 64;
constexpr u32 APART_BLOCKS = 5;
constexpr u32 RING_BYTES = 86528;
constexpr u32 STORING_WARPS = 2;
constexpr u32 INDEX_BYTES = 0;
constexpr u32 KEEP_LAST = 0;
constexpr u32 RUN_BYTES = 0;
constexpr u32 RUN_LENGTHS = 0;
constexpr u32 COUNT_BYTES = 4;
constexpr u32 EXPAND = 0;
constexpr u32 MARKS = 8192;
constexpr u32 LARGE_TILE = 32768;
constexpr u32 COUNTING_BLOCKS = 2;
constexpr u32 COLUMNS = 32;
constexpr u32 CHANNELS = 1;
constexpr u32 COUNTED_CHANNELS = 1;
constexpr u32 WEIGHTS = 0;
constexpr u32 HALVES = 0;
constexpr u32 HALVES_TURN = 57344;
constexpr u32 HALF_FULL = 4096;
constexpr u32 BY_VALUE = 0;
constexpr u32 BY_EDGES = 0;
constexpr u32 SLICED = 0;
constexpr u32 QUANTILES = 1;
constexpr u32 KEY_BYTES = 4;
constexpr u32 VALUE_BYTES = 4;
constexpr u32 MANTISSA_BITS = 23;
constexpr u32 SIGNED = 1;
constexpr u32 DESCENDING = 0;
constexpr u32 INDICES = 0;
constexpr u32 KEYS_OUT = 1;
constexpr u32 LAUNCHES = 4;
constexpr u32 SORT_HEADER_BYTES = 8528;
constexpr u32 STATUS_BYTES = 8;
constexpr u32 BY_OCTAVES = 0;
constexpr u32 RANKERS = 512;
constexpr u32 KEYS = 24;
constexpr u32 MASK_ROWS = 2;
constexpr u32 ROWS_AT_ONCE = 4;
constexpr u32 SORT_SHARED_BYTES = 147712;
constexpr u32 LONG_LINES = 6;
constexpr u32 SORT_POLL_NANOSECONDS = 20;
constexpr u32 COLUMN_BITS = 5;
constexpr u32 FILL_BYTES = 8192;
constexpr u32 UNIT_BYTES = 4;
constexpr u32 UNITS = 1;
constexpr u32 COUNT_DIGITS = 1;
constexpr u32 WIDE_COUNTERS = 1;
constexpr u32 SCATTER_BLOCKS = 2;
constexpr u32 LOCAL_BLOCKS = 4;
constexpr u32 LOCAL_BITS = 8;
constexpr u32 FINE = 0;
constexpr u32 CLUSTER = 16;
constexpr u32 OFFSET_BYTES = 4;
constexpr u32 OFFSET_SIGNED = 0;
constexpr u32 SIDE = 32;
constexpr u32 LANE_KEYS = 8;
constexpr u32 LOOKED_UP = 4;
constexpr u32 UPPER = 1;
constexpr u32 PLACE_BYTES = 4;
constexpr u32 RANK_HEADER_BYTES = 98384;
constexpr u32 SAMPLE = 16384;
constexpr u32 COLLECT_BLOCKS = 2;
constexpr u32 SPLITTERS = 128;
constexpr u32 MERGE_ITEMS = 15;
constexpr u32 VALUE_ALIGN = 4;
constexpr u32 MERGE_STEP = 2;
constexpr u32 POSITIONS = 0;
constexpr u32 ORDER = 2;
constexpr u32 SECTIONS = 0;
constexpr u32 FEEDBACK = 1;
constexpr u32 CAREFUL = 0;
constexpr u32 BASIS = 1;
constexpr u32 LEVELS = 19;
constexpr u32 CARRIED_BYTES = 8;
constexpr u32 TABLE = 1;
constexpr u32 WEIGHTS_GIVEN = 1;
constexpr u32 STATES = 2;
constexpr u32 LANES = 32;
constexpr u32 KEPT_TILES = 6;
constexpr u32 APART = 0;
constexpr u32 TEAM_WARPS = 1;
constexpr u32 WAY_STATES = 32;
constexpr u32 TILES_A_WARP = 16;
constexpr u32 STATE_BYTES = 128;
constexpr u32 COPIES = 32;
constexpr u32 SCALED = 1;
constexpr u32 ENDS_AT = 256;
constexpr u32 TOLD_AT = 320;
constexpr u32 EVENTS_AT = 832;
constexpr u32 EVENTS_AT_ONCE = 4608;
constexpr u32 NUMBERS_BYTES = 2048;
constexpr u32 OPEN_ROW = 16;
constexpr u32 PART_LANES = 128;
constexpr u32 PART_SUBTREES = 56;
constexpr u32 SPACING = 16;
constexpr u32 RANKED = 512;
constexpr u32 OF_FEW = 0;
constexpr u32 STORES = 1;
constexpr u32 OF_PIECES = 1;
constexpr u32 LEAVES = 8;
constexpr u32 WHOLE_PIXELS = 1;
constexpr u32 BLOCK_CHANNELS = 1;
constexpr u32 PATCH_WIDTH = 4;
constexpr u32 PATCH_ROWS = 4;
constexpr u32 TILE_WIDTH = 64;
constexpr u32 TILE_ROWS = 64;
constexpr u32 TILE_LEVELS = 6;
constexpr u32 VALUES_AT_ONCE = 2;
constexpr u32 PYRAMID_BLOCKS = 5;
constexpr u32 WITH_INPUT = 1;
constexpr u32 CHUNK_COLUMNS = 8;
constexpr u32 ONE_ROW = 0;
constexpr u32 FEW_COLUMNS = 0;
constexpr u32 WINDOW_FIRST = 6;
constexpr u32 WINDOW_LAST = 2;
constexpr u32 MOVING_BLOCKS = 4;
constexpr u32 HEAD_BYTES = 8;

// Parameters of the families.
#include "memory/layout.cuh"
struct ScanParams {
    const In* input;
    Out* output;
    u64 n;
    u64 row;
    u64 row_reciprocal;
    u64 row_pattern;
    u64 stretch;
    u64 stretches;
    u64 tiles_of_line;
    u64 tiles_inverse;
    u64 unit_rows;
    u64 unit_inverse;
    u64 stretch_rows;
    u64 stretch_inverse;
    u64 of_unit;
    u64 tiles;
    const void* head_source;
    const Offset* offsets;
    u64 segments;
    u64 share;
    u64 outputs;
    u64* count;
    void* keys;
    u64 keys_room;
    Given* carry;
    const Acc* before;
    Acc* after;
    u64 position;
    u64 total;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct OpenParams {
    const In* input;
    Out* output;
    u64 first;
    u64 n;
    u64 position;
    const void* head_source;
    const Acc* before;
    Acc* after;
    u64 total;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ReduceParams {
    const In* input;
    Out* output;
    u64 n;
    u64 part;
    u64 streamed;
    u64 first;
    u64 position;
    const Acc* before;
    Acc* after;
    u64 total;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct PartParams {
    const In* input;
    Out* output;
    u64 n;
    u64 position;
    u64 chunks;
    const Acc* totals;
    const Acc* before;
    Acc* after;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct RowsParams {
    const In* input;
    Out* output;
    u64 rows;
    u64 row;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct RowTotalsParams {
    const In* input;
    Out* output;
    u64 rows;
    u64 row;
    u64 part;
    u64 parts;
    Acc* totals;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ColumnTotalsParams {
    const In* input;
    Out* output;
    u64 outer;
    u64 len;
    u64 inner;
    u64 part;
    u64 parts;
    const Acc* from;
    Acc* to;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct GatheredParams {
    const In* input;
    Out* output;
    u64 n;
    const Offset* offsets;
    u64 segments;
    u64 outputs;
    u64* starts;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct TransformParams {
    const In* input;
    Out* output;
    u64 n;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ColumnsParams {
    const In* input;
    Out* output;
    u64 lines;
    u64 len;
    u64 inner;
    u64 chunk;
    u64 chunks;
    const Acc* prefixes;
    const Given* init_from;
    Workspace workspace;
    Acc given_init, given_first;
};
struct SelectParams {
    const In* input;
    const u8* flags;
    void* output;
    void* others;
    void* runs;
    const u64* behind;
    u64 n;
    const u64* length;
    u64 capacity;
    u64 others_capacity;
    u64* count;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ExpandParams {
    const void* counts;
    const In* values;
    void* output;
    void* large;
    u64 n;
    const u64* length;
    u64 capacity;
    u64 asked;
    u64* count;
    Workspace workspace;
    Acc given_init, given_first;
};
struct HistogramParams {
    const In* input;
    const Out* weights;
    const In* edges;
    Out* output;
    u64 n;
    u64 part;
    u64 bins;
    u64 search;
    u64 slices;
    u64 slice;
    const u64* pieces;
    u64 rows;
    u32* largest;
    u64 spare;
    u32* marks;
    u64* sums;
    Workspace workspace;
    Acc given_init, given_first;
};
struct RangeHistogramParams {
    const u64* prefixes;
    const In* queries;
    Out* output;
    u64 bins;
    u64 n;
    Workspace workspace;
    Acc given_init, given_first;
};
struct SortCountParams {
    const void* keys;
    u64 n;
    u64 part;
    u64 in_place;
    void* header;
    void* status;
    u64 status_words;
    void* cursors;
};
struct SortParams {
    void* keys;
    void* keys_out;
    void* keys_scratch;
    void* values;
    void* values_out;
    void* values_scratch;
    u64 n;
    u64 launch;
    void* header;
    void* status;
    const void* tiles;
};
struct SortValuesParams {
    const void* values;
    void* output;
    const void* positions;
    u64 n;
};
struct SortTallyParams {
    const void* keys;
    u64 n;
    u64 part;
    u64* counts;
    u32* done;
    u64* zeros;
    u32* signs;
    u64 signs_of_part;
};
struct SortFillParams {
    void* output;
    u64 n;
    const u64* places;
    const u64* zeros;
    const u32* signs;
    u64 signs_of_part;
    u64 parts;
};
struct SortSplitParams {
    const void* keys;
    u64 n;
    u64 part;
    u64 in_place;
    void* header;
    void* places;
    void* status;
    u64 status_words;
    u64 status_empty;
    void* cursors;
    void* tiles;
    u64 tile;
    u64 bits;
    u64 room;
    void* list;
    u64 most_listed;
    u64 large_room;
};
struct SortScatterParams {
    const void* keys;
    void* output;
    u64 n;
    u64 bits;
    const void* header;
    const void* places;
    void* cursors;
};
struct SortLocalParams {
    const void* keys;
    void* keys_out;
    const void* values;
    void* values_out;
    u64 segments;
    const void* starts;
    u64 length;
    const void* list;
    const void* listed;
    u64 given;
    const void* header;
};
struct SortShortParams {
    const void* keys;
    void* keys_out;
    const void* values;
    void* values_out;
    u64 segments;
    const void* starts;
    u64 length;
    u64 each;
    u64 given;
    const void* buckets;
    void* header;
    const void* list;
    u64 more;
    u64 room;
    u64 large_room;
    void* for_more;
    void* for_blocks;
    void* for_large_blocks;
    void* for_passes;
};
struct SortClusterParams {
    const void* keys;
    void* keys_out;
    const void* values;
    void* values_out;
    u64 n;
    u64 share;
};
struct SortCutsParams {
    const void* keys;
    u64 n;
    u64 run;
    u64* cuts;
};
struct SortStartsParams {
    const void* offsets;
    void* starts;
    u64 segments;
    u64 n;
    void* header;
    Workspace workspace;
};
struct SortPartsParams {
    const void* keys;
    const void* segments;
    const void* list;
    u64 rows;
    u64 length;
    u64 in_place;
    u64 tile;
    void* header;
    void* firsts;
    void* counts;
    void* status;
    void* tiles;
};
struct SortLinesParams {
    const void* input;
    void* output;
    u64 outer;
    u64 len;
    u64 inner;
};
struct SearchParams {
    const In* sorted;
    const In* values;
    void* output;
    u64 len;
    u64 step;
    u64 n;
    Workspace workspace;
    Acc given_init, given_first;
};
struct TopKParams {
    const In* keys;
    u64 n;
    u64 rank;
    u64 rows;
    void* header;
    In* candidates;
    void* candidate_places;
    u64 room;
    u64 takes;
    u64 low_rank;
    u64 high_rank;
    u64 pass;
    In* wanted;
    In* values;
    void* places;
    u64 order_room;
    u64 by_key;
    Workspace workspace;
    Acc given_init, given_first;
};
struct MergeParams {
    const In* a;
    const In* b;
    const void* values_a;
    const void* values_b;
    In* output;
    void* values_output;
    u64 of_a;
    u64 of_b;
    u64 cell;
    u64* cell_splits;
    u64* tile_splits;
    Workspace workspace;
    Acc given_init, given_first;
};
struct MergeFourParams {
    const In* input;
    const void* values;
    In* output;
    void* values_output;
    u64 n;
    u64 run;
    u64 pivots;
    u64* splits;
    Workspace workspace;
    Acc given_init, given_first;
};
struct SortByParams {
    const In* input;
    In* output;
    const void* values;
    void* values_output;
    u64 n;
    Workspace workspace;
    Acc given_init, given_first;
};
struct RecurrenceLinesParams {
    const In* input;
    Out* output;
    u64 lines;
    u64 len;
    u64 inner;
    const Given* init_from;
    Given* carry;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ScanAxesParams {
    const In* input;
    Out* output;
    u64 height;
    u64 width;
    u64 out_height;
    u64 out_width;
    u64 strips;
    u64 tiles;
    u64 groups;
    u64 group_entries;
    u64 access;
    u64 out_aligned;
    Workspace workspace;
    Acc given_init, given_first;
};
struct AutomatonParams {
    const u8* text;
    u8* kinds;
    void* places;
    u8* entries;
    u8* ways;
    u64* count;
    const u64* before;
    u64* after;
    u64 position;
    u64 n;
    u64 capacity;
    u64 states;
    u64 classes;
    u64 steps_at;
    u64 lasting;
    Workspace workspace;
    Acc given_init, given_first;
};
struct ListScanParams {
    const In* input;
    Out* output;
    const u32* next;
    u64 n;
    u64 first;
    u64 pieces;
    u64 elements;
    Acc* totals;
    u32* behind;
    const Acc* before;
    u32* known;
    Acc* before_below;
    u32* known_below;
    u32* seen;
    Workspace workspace;
    Acc given_init, given_first;
};
struct UpSweepParams {
    const In* input;
    Out* output;
    u64 n;
    u64 stride;
    Workspace workspace;
    Acc given_init, given_first;
};
struct PyramidParams {
    const Out* input;
    Out* level_0;
    Out* level_1;
    Out* level_2;
    Out* level_3;
    Out* level_4;
    Out* level_5;
    Out* level_6;
    u64 levels;
    u64 height;
    u64 width;
    u64 channels;
    u64 first_plane;
    u64 tiles_across;
    u64 across_reciprocal;
    u64 tiles_down;
    u64 down_reciprocal;
    Workspace workspace;
    Acc given_init, given_first;
};
struct MovingSumParams {
    const In* input;
    Out* output;
    u64 height;
    u64 width;
    u64 channels;
    u64 above;
    u64 below;
    u64 left;
    u64 right;
    u64 part;
    u64 parts;
    u64 strip;
    u64 strips;
    u64 first_block;
    Workspace workspace;
    Acc given_init, given_first;
};
